//! A data directory, a folder of stub clients, and the makers of archives that the tests share.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use hedgerow_data::fetch::{
    Contents, FetchError, GetOptions, GetReport, Outcome, Package, PinnedFile, RegisteredSet, Source, Sources, Store,
    Via, get,
};
use hedgerow_data::progress::silent;
use hedgerow_data::{Column, LabelKind, MissingValues};
use tempfile::TempDir;

/// Content of the small file.
pub(crate) fn labels() -> Vec<u8> {
    b"0,1\n1,0\n".repeat(100)
}

/// Content of the large file: more than one chunk, and nothing that compresses well.
pub(crate) fn images() -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..200_000).map(|_| next()).collect()
}

/// Both files of the set, by name.
pub(crate) fn contents() -> Vec<(&'static str, Vec<u8>)> {
    vec![("images.bin", images()), ("labels.csv", labels())]
}

/// A set of two small files that every registry has and no known mirror.
pub(crate) fn tiny() -> RegisteredSet {
    let package = |version: &str| {
        Some(Package { name: "tiny-data".to_owned(), version: version.to_owned(), folder: "data".to_owned() })
    };
    RegisteredSet {
        name: "tiny".to_owned(),
        description: "two small files".to_owned(),
        license: "none".to_owned(),
        contents: Contents::Table {
            file: "labels.csv".to_owned(),
            label: Column::Number(-1),
            label_kind: LabelKind::Detect,
            missing: MissingValues::Refuse,
        },
        files: contents().iter().map(|(name, content)| PinnedFile::of(name, content)).collect(),
        sources: Sources {
            system_folder: Some("datasets/tiny".to_owned()),
            mirrors: Vec::new(),
            npm: package("1.0.0"),
            apt: package(""),
            pip: package("1.0.0"),
        },
    }
}

pub(crate) struct Workbench {
    pub(crate) temp: TempDir,
    pub(crate) store: Store,
    pub(crate) set: RegisteredSet,
    pub(crate) options: GetOptions,
}

impl Workbench {
    pub(crate) fn new() -> Self {
        let temp = TempDir::new().unwrap();
        let bin = temp.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let store = Store::open(temp.path().join("data")).unwrap();
        let options = GetOptions {
            via: Via::Auto,
            from: None,
            timeout: Duration::from_secs(30),
            mirror: None,
            search_path: Some(bin.into_os_string()),
            system_data_dirs: Vec::new(),
        };
        Self { temp, store, set: tiny(), options }
    }

    pub(crate) fn get(&self) -> Result<GetReport, FetchError> {
        get(&self.store, &self.set, &self.options, &mut silent())
    }

    pub(crate) fn get_from(&mut self, path: &Path) -> Result<GetReport, FetchError> {
        self.options.from = Some(path.to_owned());
        self.get()
    }

    /// The outcome of the last try at a source, of a call that failed.
    pub(crate) fn failed_outcome(&self, source: Source) -> Outcome {
        match self.get().unwrap_err() {
            FetchError::Nowhere { attempts, .. } => {
                attempts.into_iter().rev().find(|attempt| attempt.source == source).unwrap().outcome
            }
            other => panic!("{other}"),
        }
    }

    /// Writes a client that runs this shell script.
    ///
    /// Another process writes the file: while this one has it open, a client that another test starts could inherit it,
    /// and a file that is open for writing cannot be run.
    pub(crate) fn stub(&self, name: &str, script: &str) {
        let path = self.temp.path().join("bin").join(name);
        let mut shell = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        write!(shell.stdin.take().unwrap(), "#!/bin/sh\n{script}\n").unwrap();
        assert!(shell.wait().unwrap().success());
    }

    /// Writes a client that leaves a copy of `content` as `name` in the folder it runs in.
    pub(crate) fn stub_leaving(&self, tool: &str, name: &str, content: &[u8]) {
        let package = self.file(&format!("of-{tool}-{name}"), content);
        self.stub(tool, &format!("cp '{}' ./{name}", package.display()));
    }

    /// A file outside of the data directory.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.temp.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.store.folder(&self.set)
    }

    /// Writes a file where the set has it.
    pub(crate) fn place(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.folder()).unwrap();
        fs::write(self.folder().join(name), content).unwrap();
    }

    pub(crate) fn assert_whole(&self) {
        let folder = self.store.path(&self.set).unwrap();
        for (name, content) in contents() {
            assert!(fs::read(folder.join(name)).unwrap() == content, "{name}");
        }
        self.assert_clean();
    }

    /// Nothing lies in the data directory but folders of sets, and in those nothing but their files.
    pub(crate) fn assert_clean(&self) {
        for name in names_in(self.store.dir()) {
            assert!(name.starts_with("tiny-"), "{name} was left behind");
        }
        for name in names_in(&self.folder()) {
            assert!(contents().iter().any(|(wanted, _)| *wanted == name), "{name} was left behind");
        }
    }
}

pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// A listener that asks to stop after this many calls.
pub(crate) fn stop_after(calls: usize) -> impl FnMut(&hedgerow_data::progress::Progress<'_>) -> ControlFlow<()> {
    let mut left = calls;
    move |_| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A tar of these entries, whose names are written as they are: the usual way would refuse the bad ones.
pub(crate) fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar_header(name);
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn tar_header(name: &str) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(0o644);
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header
}

pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The set as npm packs it: raw files in a gzipped tar.
pub(crate) fn npm_package() -> Vec<u8> {
    gzip(&tar(&[
        ("package/package.json", b"{}"),
        ("package/data/images.bin", &images()),
        ("package/data/labels.csv", &labels()),
    ]))
}

/// The set as Debian packs it: gzipped files, paths that begin with `./`.
pub(crate) fn debian_tar() -> Vec<u8> {
    tar(&[
        ("./usr/share/datasets/tiny/images.bin.gz", &gzip(&images())),
        ("./usr/share/datasets/tiny/labels.csv.gz", &gzip(&labels())),
    ])
}

pub(crate) fn wheel() -> Vec<u8> {
    zip(&[
        ("tiny/data/images.bin", &images()),
        ("tiny/data/labels.csv", &labels()),
        ("tiny-1.dist-info/METADATA", b"Name: tiny"),
    ])
}

/// The first bytes of a Debian package; the rest is the stub's to know.
pub(crate) const DEB: &[u8] = b"!<arch>\ndebian-binary";
