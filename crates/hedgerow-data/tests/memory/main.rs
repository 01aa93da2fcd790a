//! Small files that would become large: each is refused with a typed error, in memory that the limit justifies.
//!
//! What an allocator has held at most is never forgotten, so every case is read in a process of its own: a test makes the
//! file, then calls this program again for itself alone. What was measured stands beside each bound.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::alloc::System;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use cap::Cap;
use hedgerow_data::progress::silent;
use hedgerow_data::{Blocks, Column, Encoding, Problem, ReadError, ReadOptions, RoleColumn, Schema, read};

/// Counts what is allocated, to see the largest amount held at once.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

const MB: usize = 1 << 20;

/// Names the folder with the file for the process that reads it.
const FOLDER: &str = "HEDGEROW_MEMORY_TEST_FOLDER";

/// Makes files, then has `refuse` read them in another process and checks that it held `most_bytes` at most.
fn in_a_process_of_its_own(
    test: &str,
    make: impl FnOnce(&Path),
    most_bytes: usize,
    refuse: impl FnOnce(&Path) -> ReadError,
    is_expected: impl FnOnce(&Problem) -> bool,
) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let held_before = ALLOCATOR.allocated();
        let error = refuse(Path::new(&folder));
        let peak = ALLOCATOR.max_allocated() - held_before;
        println!("peak {} KiB of {} KiB: {error}", peak >> 10, most_bytes >> 10);
        assert!(is_expected(&error.problem), "{error:?}");
        assert!(peak <= most_bytes, "{test}: held {peak} bytes, more than {most_bytes}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let this = std::env::current_exe().unwrap();
    let child = Command::new(this).args([test, "--exact", "--nocapture"]).env(FOLDER, folder.path()).output().unwrap();
    let said = [child.stdout, child.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    println!("{test}: {}", said.lines().find(|line| line.starts_with("peak")).unwrap_or_default());
    assert!(child.status.success() && said.contains("peak"), "{said}");
}

fn options(memory_limit: usize, change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions { memory_limit: memory_limit as u64, ..ReadOptions::default() };
    change(&mut options);
    options
}

fn refused(path: &Path, options: &ReadOptions) -> ReadError {
    match read(path, options, &mut silent()) {
        Ok(data) => panic!("read as {} rows of {}", data.len(), data.width()),
        Err(error) => error,
    }
}

fn is_too_large(problem: &Problem) -> bool {
    matches!(problem, Problem::TooLarge { needed_bytes, limit_bytes } if needed_bytes > limit_bytes)
}

/// A gzip file of some text.
fn gzip(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
    let file = std::fs::File::create(path).unwrap();
    let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut out = std::io::BufWriter::new(encoder);
    write(&mut out).unwrap();
    out.into_inner().unwrap().finish().unwrap();
}

/// 100 rows whose ids have a megabyte each, all different.
fn long_ids(folder: &Path) {
    gzip(&folder.join("ids.csv.gz"), |out| {
        writeln!(out, "id,x,label")?;
        (0..100).try_for_each(|row| writeln!(out, "{row}{},1,{}", "i".repeat(MB), row % 2))
    });
}

fn id_first(options: &mut ReadOptions) {
    options.id_column = RoleColumn::At(Column::Number(0));
}

#[test]
fn two_lines_of_commas() {
    let commas = |folder: &Path| {
        gzip(&folder.join("commas.csv.gz"), |out| {
            let line = ",".repeat(6_000_000);
            writeln!(out, "{line}\n{line}")
        });
    };
    in_a_process_of_its_own(
        "two_lines_of_commas",
        commas,
        24 * MB, // measured: 16.5 MiB: the two lines, and the ends of a million fields
        |folder| refused(&folder.join("commas.csv.gz"), &options(1 << 30, |_| ())),
        |problem| matches!(problem, Problem::TooManyColumns { max: 1_048_576 }),
    );
}

#[test]
fn more_columns_than_the_limit_has_room_for() {
    let header = |folder: &Path| {
        let names: String = (0..200_000).map(|column| format!("c{column},")).collect();
        std::fs::write(folder.join("wide.csv"), format!("{names}label\n{}1\n", "1,".repeat(200_000))).unwrap();
    };
    in_a_process_of_its_own(
        "more_columns_than_the_limit_has_room_for",
        header,
        8 * MB, // measured: 4.8 MiB
        |folder| refused(&folder.join("wide.csv"), &options(16 * MB, |_| ())),
        is_too_large,
    );
}

#[test]
fn many_wide_records_behind_a_long_one() {
    let records = |folder: &Path| {
        gzip(&folder.join("behind.csv.gz"), |out| {
            writeln!(out, "\"{}\"", "x".repeat(8 * MB))?;
            (0..1000).try_for_each(|_| writeln!(out, "{}", ",".repeat(8191)))
        });
    };
    in_a_process_of_its_own(
        "many_wide_records_behind_a_long_one",
        records,
        56 * MB, // measured: 48.5 MiB: 16 of text, 16 for the long record, 8 to look at the others
        |folder| refused(&folder.join("behind.csv.gz"), &options(64 * MB, |options| options.label = RoleColumn::None)),
        |problem| matches!(problem, Problem::Ragged { .. } | Problem::CategoriesTooLong { .. }),
    );
}

#[test]
fn long_ids_in_csv() {
    in_a_process_of_its_own(
        "long_ids_in_csv",
        long_ids,
        16 * MB, // measured: 10.5 MiB
        |folder| refused(&folder.join("ids.csv.gz"), &options(8 * MB, id_first)),
        is_too_large,
    );
}

#[test]
fn long_ids_in_a_block() {
    let schema = || {
        let number = hedgerow_data::FeatureColumn::Number { name: "x".to_owned() };
        Schema { encoding: Encoding::new(vec![number], true), ..Schema::default() }
    };
    in_a_process_of_its_own(
        "long_ids_in_a_block",
        long_ids,
        16 * MB, // measured: 10.5 MiB
        |folder| {
            let options = options(8 * MB, |options| {
                id_first(options);
                options.schema = Some(schema());
            });
            let mut blocks = Blocks::open(folder.join("ids.csv.gz"), 50_000_000, &options).unwrap();
            blocks.next().unwrap().unwrap_err()
        },
        is_too_large,
    );
}

#[test]
fn a_block_of_all_rows() {
    let array = |folder: &Path| {
        gzip(&folder.join("zeros.npy.gz"), |out| {
            let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (100000, 1000), }";
            out.write_all(b"\x93NUMPY\x01\x00v\x00")?;
            writeln!(out, "{header:<117}")?;
            (0..100_000).try_for_each(|_| out.write_all(&[0; 1000]))
        });
    };
    in_a_process_of_its_own(
        "a_block_of_all_rows",
        array,
        16 * MB, // measured: 8.5 MiB
        |folder| {
            let schema = Schema { encoding: Encoding::matrix(1000), ..Schema::default() };
            let options = options(8 * MB, |options| options.schema = Some(schema));
            let mut blocks = Blocks::open(folder.join("zeros.npy.gz"), 50_000_000, &options).unwrap();
            blocks.next().unwrap().unwrap_err()
        },
        is_too_large,
    );
}

#[test]
fn long_labels_in_svmlight() {
    let labels = |folder: &Path| {
        gzip(&folder.join("labels.svm.gz"), |out| {
            (0..100).try_for_each(|row| writeln!(out, "l{row}{} 1:1", "l".repeat(MB)))
        });
    };
    in_a_process_of_its_own(
        "long_labels_in_svmlight",
        labels,
        16 * MB, // measured: 10.5 MiB
        |folder| refused(&folder.join("labels.svm.gz"), &options(8 * MB, |_| ())),
        is_too_large,
    );
}

#[test]
fn long_texts_as_categories() {
    let texts = |folder: &Path| {
        gzip(&folder.join("texts.csv.gz"), |out| {
            (0..80).try_for_each(|row| writeln!(out, "{row}{},{}", "t".repeat(MB / 10), row % 2))
        });
    };
    in_a_process_of_its_own(
        "long_texts_as_categories",
        texts,
        8 * MB, // measured: 5.5 MiB
        |folder| refused(&folder.join("texts.csv.gz"), &options(1 << 30, |_| ())),
        |problem| matches!(problem, Problem::CategoriesTooLong { max_bytes: 1_048_576 }),
    );
}

#[test]
fn a_long_record() {
    let record = |folder: &Path| {
        gzip(&folder.join("record.csv.gz"), |out| writeln!(out, "1,2,a\n3,\"{}\",b", "line\n".repeat(10_000_000)));
    };
    in_a_process_of_its_own(
        "a_long_record",
        record,
        12 * MB, // measured: 8.5 MiB
        |folder| refused(&folder.join("record.csv.gz"), &options(8 * MB, |_| ())),
        is_too_large,
    );
}

#[test]
fn a_long_line_in_svmlight() {
    let line = |folder: &Path| {
        gzip(&folder.join("line.svm.gz"), |out| {
            write!(out, "1")?;
            (1..4_000_000).try_for_each(|index| write!(out, " {index}:1"))
        });
    };
    in_a_process_of_its_own(
        "a_long_line_in_svmlight",
        line,
        24 * MB, // measured: 17.1 MiB
        |folder| refused(&folder.join("line.svm.gz"), &options(8 * MB, |_| ())),
        is_too_large,
    );
}

#[test]
fn many_values_in_a_line_of_svmlight() {
    let line = |folder: &Path| {
        gzip(&folder.join("values.svm.gz"), |out| {
            write!(out, "1")?;
            (1..800_000).try_for_each(|index| write!(out, " {index}:1"))
        });
    };
    in_a_process_of_its_own(
        "many_values_in_a_line_of_svmlight",
        line,
        20 * MB,
        |folder| refused(&folder.join("values.svm.gz"), &options(8 * MB, |_| ())),
        is_too_large,
    );
}

#[test]
fn a_large_index_in_svmlight() {
    in_a_process_of_its_own(
        "a_large_index_in_svmlight",
        |folder| std::fs::write(folder.join("index.svm"), "1 100000000:1\n0 1:1").unwrap(),
        MB,
        |folder| refused(&folder.join("index.svm"), &ReadOptions::default()),
        |problem| matches!(problem, Problem::Disproportionate { width: 100_000_000, rows: 2, source_bytes: 19 }),
    );
}

#[test]
fn a_schema_wider_than_memory() {
    in_a_process_of_its_own(
        "a_schema_wider_than_memory",
        |folder| std::fs::write(folder.join("wide.svm"), "1 1:1\n0 1:1\n").unwrap(),
        MB, // measured: 16 KiB
        |folder| {
            let read = |width: usize| {
                let schema = Schema { encoding: Encoding::matrix(width), ..Schema::default() };
                refused(&folder.join("wide.svm"), &options(8 * MB, |options| options.schema = Some(schema)))
            };
            assert!(is_too_large(&read(1 << 28).problem));
            read(usize::MAX / 2)
        },
        is_too_large,
    );
}

#[test]
fn parts_that_only_fit_alone() {
    let parts = |folder: &Path| {
        // 150,000 rows of 2 numbers, a label and a row number take some 4 MB.
        for part in ["train", "validation", "test"] {
            let text = "1.5,2.5,a\n3.5,4.5,b\n".repeat(75_000);
            std::fs::write(folder.join(format!("{part}.csv")), text).unwrap();
        }
    };
    in_a_process_of_its_own(
        "parts_that_only_fit_alone",
        parts,
        12 * MB, // measured: 7.3 MiB
        |folder| refused(folder, &options(8_000_000, |_| ())),
        |problem| is_too_large(problem) && matches!(problem, Problem::TooLarge { limit_bytes: 8_000_000, .. }),
    );
}

#[cfg(feature = "parquet")]
mod parquet_files {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float32Array, RecordBatch};
    use parquet::arrow::ArrowWriter;

    use super::*;

    fn write(path: &Path, columns: Vec<(String, ArrayRef)>) {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    fn numbers(rows: usize) -> ArrayRef {
        Arc::new(Float32Array::from_iter_values((0..rows).map(|row| row as f32)))
    }

    #[test]
    fn a_long_id_shared_by_many_rows() {
        let shared = |folder: &Path| {
            let id = "i".repeat(MB);
            let ids: DictionaryArray<Int32Type> = std::iter::repeat_n(id.as_str(), 200).collect();
            let columns = vec![("id".to_owned(), Arc::new(ids) as ArrayRef), ("x".to_owned(), numbers(200))];
            write(&folder.join("shared.parquet"), columns);
        };
        in_a_process_of_its_own(
            "parquet_files::a_long_id_shared_by_many_rows",
            shared,
            16 * MB, // measured: 8.0 MiB
            |folder| {
                let options = options(8 * MB, |options| {
                    id_first(options);
                    options.label = RoleColumn::None;
                });
                refused(&folder.join("shared.parquet"), &options)
            },
            is_too_large,
        );
    }

    #[test]
    fn very_many_columns() {
        let wide = |folder: &Path| {
            let columns = (0..4000).map(|column| (format!("c{column}"), numbers(2))).collect();
            write(&folder.join("wide.parquet"), columns);
        };
        in_a_process_of_its_own(
            "parquet_files::very_many_columns",
            wide,
            12 * MB, // measured: 4.6 MiB
            |folder| refused(&folder.join("wide.parquet"), &options(16 * MB, |_| ())),
            is_too_large,
        );
    }
}
