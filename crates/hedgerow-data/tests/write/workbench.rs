//! Frames to write, and places to write them to, that the tests share.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use hedgerow_data::write::{ColumnData, Frame, TableWriter, WriteError, WriteFormat};

pub(crate) fn frame(columns: Vec<(&str, ColumnData)>) -> Frame {
    Frame::new(columns.into_iter().map(|(name, data)| (name.to_owned(), data)).collect()).unwrap()
}

pub(crate) fn texts(values: &[&str]) -> ColumnData {
    ColumnData::Text(values.iter().map(|text| (*text).to_owned()).collect())
}

/// One column of each kind, with values that are hard to write.
pub(crate) fn mixed() -> Frame {
    frame(vec![
        ("text", texts(&["plain", "a,\"b\"\nc", " ü\t"])),
        ("integer", ColumnData::Integer(vec![i64::MIN, 0, i64::MAX])),
        ("number", ColumnData::Number(vec![0.1, -0.0, 1e-40])),
        ("v", ColumnData::Vector { width: 2, values: vec![1.0, f32::MAX, 16_777_216.0, 1.0 / 3.0, 1e30, -2.5] }),
        ("p", ColumnData::VectorU8 { width: 2, values: vec![0, 1, 2, 3, 254, 255] }),
    ])
}

pub(crate) fn write_file(path: &Path, format: WriteFormat, frames: &[&Frame]) -> Result<(), WriteError> {
    let mut writer = TableWriter::create(path, format)?;
    frames.iter().try_for_each(|frame| writer.write(frame))?;
    writer.finish()
}

/// A stream whose bytes can be looked at, and which is full after some of them.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Arc<Mutex<Vec<u8>>>,
    pub(crate) room: Option<usize>,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.bytes.lock().unwrap();
        let room = self.room.map_or(bytes.len(), |room| room - held.len().min(room));
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n_bytes = bytes.len().min(room);
        held.extend(&bytes[..n_bytes]);
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn stream_bytes(format: WriteFormat, frames: &[&Frame]) -> Vec<u8> {
    let disk = Disk::default();
    let mut writer = TableWriter::to_stream(Box::new(disk.clone()), format, "-").unwrap();
    frames.iter().for_each(|frame| writer.write(frame).unwrap());
    writer.finish().unwrap();
    let bytes = disk.bytes.lock().unwrap();
    bytes.clone()
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
