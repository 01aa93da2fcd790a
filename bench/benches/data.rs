//! Reading from memory: parsing alone, without files. What is read is copied once first, as `read_bytes` does.

use divan::{Bencher, counter::BytesCount};
use hedgerow_data::{ReadOptions, read_bytes};

use hedgerow_bench::data::files::{Content, Order, Pictures};

/// Rows of each: some megabytes.
const ROWS: usize = 5000;

fn main() {
    divan::main();
}

fn read(bencher: Bencher<'_, '_>, name: &str, content: Content) {
    let mut bytes = Vec::new();
    content.write(ROWS, &Pictures::synthetic(ROWS), &mut bytes).expect("writing to memory cannot fail");
    let options = ReadOptions::default();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| read_bytes(name, &bytes, &options).expect("the data are valid"));
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn csv_decimals(bencher: Bencher<'_, '_>) {
    read(bencher, "decimals.csv", Content::DecimalsCsv);
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn csv_digits(bencher: Bencher<'_, '_>) {
    read(bencher, "digits.csv", Content::DigitsCsv);
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn csv_pixels(bencher: Bencher<'_, '_>) {
    read(bencher, "pixels.csv", Content::PixelsCsv);
}

#[divan::bench(args = [64, 784], sample_count = 20, sample_size = 1, max_time = 2)]
fn npy_rows(bencher: Bencher<'_, '_>, width: usize) {
    read(bencher, "rows.npy", Content::FloatsNpy { width, order: Order::C });
}

#[divan::bench(args = [64, 784], sample_count = 20, sample_size = 1, max_time = 2)]
fn npy_columns(bencher: Bencher<'_, '_>, width: usize) {
    read(bencher, "columns.npy", Content::FloatsNpy { width, order: Order::Fortran });
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn npy_pixels(bencher: Bencher<'_, '_>) {
    read(bencher, "pixels.npy", Content::PixelsNpy);
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn idx(bencher: Bencher<'_, '_>) {
    read(bencher, "pictures-idx3-ubyte", Content::PicturesIdx);
}

#[divan::bench(sample_count = 20, sample_size = 1, max_time = 2)]
fn idx_gzip(bencher: Bencher<'_, '_>) {
    read(bencher, "pictures-idx3-ubyte.gz", Content::PicturesIdxGzip);
}
