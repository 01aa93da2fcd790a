//! Files that appear whole or not at all, and places that are not files.

use std::io;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use hedgerow_data::write::{ColumnData, TableWriter, WriteFault, WriteFormat};

use crate::workbench::*;

#[test]
fn a_file_of_any_kind_appears_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    hedgerow_data::write::write_file(&path, b"<p>one</p>").unwrap();
    hedgerow_data::write::write_file(&path, b"<p>two</p>").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"<p>two</p>");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let error = hedgerow_data::write::write_file(folder.path().join("none/page.html"), b"").unwrap_err();
    assert!(error.to_string().contains("page.html: cannot be written"), "{error}");
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    for format in WriteFormat::ALL {
        if format == WriteFormat::Parquet && cfg!(not(feature = "parquet")) {
            continue;
        }
        let path = folder.path().join(format!("t.{format}"));
        let numbers = frame(vec![("x", ColumnData::Number(vec![1.0; 1000]))]);
        let mut writer = TableWriter::create(&path, format).unwrap();
        writer.write(&numbers).unwrap();
        assert!(!path.exists());
        drop(writer);
        assert_eq!(names_in(folder.path()), Vec::<String>::new(), "{format}");

        std::fs::write(&path, "old").unwrap();
        let mut writer = TableWriter::create(&path, format).unwrap();
        writer.write(&numbers).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old", "{format}");
        assert_eq!(writer.rows(), 1000);
        writer.finish().unwrap();
        assert_ne!(std::fs::read(&path).unwrap(), b"old", "{format}");
        assert_eq!(names_in(folder.path()), [format!("t.{format}")]);
        std::fs::remove_file(&path).unwrap();
    }
}

/// Begins to write a table and waits, in the process that the test below starts and kills.
#[cfg(target_os = "linux")]
#[test]
fn never_ends_writing() {
    let Some(path) = std::env::var_os("HEDGEROW_TEST_NEVER_END") else { return };
    let mut writer = TableWriter::create(Path::new(&path), WriteFormat::Csv).unwrap();
    writer.write(&mixed()).unwrap();
    println!("\nwriting");
    std::thread::sleep(std::time::Duration::from_secs(60));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_process_left_goes_with_the_next_write_of_the_same_file() {
    use std::io::BufRead;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files::never_ends_writing", "--nocapture"])
        .env("HEDGEROW_TEST_NEVER_END", &path)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let said = io::BufReader::new(child.stdout.take().unwrap());
    assert!(said.lines().any(|line| line.unwrap() == "writing"));
    let partial = names_in(folder.path());
    assert!(matches!(&partial[..], [name] if name.ends_with(".partial")), "{partial:?}");
    // As long as it runs, its file is its own, also for others that write the same.
    write_file(&path, WriteFormat::Csv, &[&mixed()]).unwrap();
    assert_eq!(names_in(folder.path()), [partial[0].as_str(), "t.csv"]);
    child.kill().unwrap();
    child.wait().unwrap();
    write_file(&folder.path().join("u.csv"), WriteFormat::Csv, &[&mixed()]).unwrap();
    assert_eq!(names_in(folder.path()), [partial[0].as_str(), "t.csv", "u.csv"]);
    write_file(&path, WriteFormat::Csv, &[&mixed()]).unwrap();
    assert_eq!(names_in(folder.path()), ["t.csv", "u.csv"]);
}

#[test]
fn a_full_disk_is_an_error_that_says_so() {
    for format in WriteFormat::ALL {
        if format == WriteFormat::Parquet && cfg!(not(feature = "parquet")) {
            continue;
        }
        let numbers = frame(vec![("x", ColumnData::Number((0..100_000).map(|at| (at as f32).sqrt()).collect()))]);
        for room in [0, 1, 1000, 200_000] {
            let disk = Disk { room: Some(room), ..Disk::default() };
            let mut writer = TableWriter::to_stream(Box::new(disk), format, "disk").unwrap();
            let error = writer.write(&numbers).err().or_else(|| writer.finish().err()).unwrap();
            let WriteFault::Io(source) = &*error.fault else { panic!("{error}") };
            assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{format} {room}");
            assert!(error.to_string().ends_with("free some space, or write to another disk"), "{error}");
        }
    }
}

/// `/dev/full` is a device that has never room.
#[cfg(target_os = "linux")]
#[test]
fn devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let error = write_file(Path::new("/dev/full"), WriteFormat::Csv, &[&mixed()]).unwrap_err();
    assert!(matches!(&*error.fault, WriteFault::Io(error) if error.kind() == io::ErrorKind::StorageFull), "{error}");
    write_file(Path::new("/dev/null"), WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

/// Writes a table only in the process that the tests below start.
#[cfg(unix)]
#[test]
fn writes_where_told() {
    let Some(path) = std::env::var_os("HEDGEROW_TEST_WRITE_TO") else { return };
    write_file(Path::new(&path), WriteFormat::Csv, &[&frame(vec![("x", ColumnData::Integer(vec![7]))])]).unwrap();
}

/// Runs [`writes_where_told`] with a stream redirected, and gives what is in the file afterwards.
#[cfg(unix)]
fn redirected(path: &Path, stream: u8, append: bool) -> String {
    use std::io::{Seek, SeekFrom};
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    std::fs::write(&out, "what was there\n").unwrap();
    // As `>> out`, and as `> out` after another program wrote to it.
    let mut file = std::fs::File::options().append(append).write(true).open(&out).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let inode = file.metadata().unwrap().ino();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "files::writes_where_told", "--nocapture"]).env("HEDGEROW_TEST_WRITE_TO", path);
    let child = if stream == 1 { child.stdout(file) } else { child.stdout(std::process::Stdio::null()).stderr(file) };
    assert!(child.status().unwrap().success());
    assert_eq!(std::fs::metadata(&out).unwrap().ino(), inode, "the file was replaced");
    assert_eq!(names_in(folder.path()), ["out"]);
    std::fs::read_to_string(&out).unwrap()
}

#[cfg(unix)]
#[test]
fn redirected_streams_are_written_to_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    for append in [true, false] {
        for name in ["/dev/stdout", "/dev/../dev/stdout", "/dev/fd/1", link.to_str().unwrap()] {
            let text = redirected(Path::new(name), 1, append);
            assert!(text.starts_with("what was there\n") && text.contains("x\n7\n"), "{name}: {text}");
            // What the test says after the table is neither lost nor written over it.
            assert!(text.contains("test result: ok"), "{name}: {text}");
        }
        for name in ["/dev/stderr", "/dev/fd/2"] {
            assert_eq!(redirected(Path::new(name), 2, append), "what was there\nx\n7\n", "{name}");
        }
    }
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn open_files_are_appended_to() {
    use std::os::fd::AsRawFd;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    std::fs::write(&path, "what was there\n").unwrap();
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    for name in ["/dev/fd", "/proc/self/fd"] {
        let name = format!("{name}/{}", file.as_raw_fd());
        write_file(Path::new(&name), WriteFormat::Csv, &[&frame(vec![("x", ColumnData::Integer(vec![7]))])]).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "what was there\nx\n7\nx\n7\n");
    assert_eq!(names_in(folder.path()), ["out"]);
}

#[cfg(unix)]
#[test]
fn links_to_what_is_not_there_yet_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    symlink("inner/second", at("first.csv")).unwrap();
    symlink("../new.csv", at("inner/second")).unwrap();
    write_file(&at("first.csv"), WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(["first.csv", "inner/second"].iter().all(|name| std::fs::symlink_metadata(at(name)).unwrap().is_symlink()));
    assert!(std::fs::symlink_metadata(at("new.csv")).unwrap().is_file());
    symlink(at("loop.csv"), at("loop.csv")).unwrap();
    let error = TableWriter::create(at("loop.csv"), WriteFormat::Csv).unwrap_err();
    assert!(error.to_string().contains("too many links"), "{error}");
}

#[test]
fn places_where_no_file_can_be_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let error = TableWriter::create(folder.path().join("none/t.csv"), WriteFormat::Csv).unwrap_err();
    assert!(matches!(&*error.fault, WriteFault::Io(error) if error.kind() == io::ErrorKind::NotFound), "{error}");
    assert!(error.to_string().ends_with("make the folder first, or give another one"), "{error}");
    let error = TableWriter::create(folder.path(), WriteFormat::Csv).unwrap_err();
    assert!(error.to_string().ends_with("this is a folder: give the name of a file"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write_file(&link, WriteFormat::Csv, &[&mixed()]).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_ne!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file is as readable as any other new file.
    let (new, usual) = (folder.path().join("new.csv"), folder.path().join("usual"));
    write_file(&new, WriteFormat::Csv, &[&mixed()]).unwrap();
    std::fs::write(&usual, "").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&usual));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_must_be_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let error = TableWriter::create(folder.path().join("t.parquet"), WriteFormat::Parquet).unwrap_err();
    assert!(matches!(*error.fault, WriteFault::NotBuilt { .. }), "{error}");
    assert_eq!(names_in(folder.path()), Vec::<String>::new());
}
