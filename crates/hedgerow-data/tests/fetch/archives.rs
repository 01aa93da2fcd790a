//! Archives: every kind that `--from` takes, and those that must be refused.

use std::fs;
use std::path::Path;

use hedgerow_data::fetch::{ArchiveError, Failure, FetchError, MismatchKind, Outcome, Source, Via};

use crate::workbench::*;

/// The reason why `--from` did not give the set.
fn reason(result: Result<hedgerow_data::fetch::GetReport, FetchError>) -> Failure {
    match result.unwrap_err() {
        FetchError::From { reason, .. } => *reason,
        other => panic!("{other}"),
    }
}

#[test]
fn every_kind_of_archive_is_taken() {
    let raw = tar(&[("images.bin", &images()), ("x/labels.csv.gz", &gzip(&labels()))]);
    let kinds = [
        ("tiny.tgz", npm_package()),
        ("tiny.tar.gz", gzip(&raw)),
        ("tiny.tar", raw),
        ("tiny.whl", wheel()),
        ("tiny.zip", zip(&[("labels.csv", &labels()), ("deep/er/images.bin.gz", &gzip(&images()))])),
        ("misnamed", npm_package()),
    ];
    for (name, content) in kinds {
        let mut bench = Workbench::new();
        let path = bench.file(name, &content);
        bench.get_from(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        bench.assert_whole();
    }
}

#[test]
fn a_debian_package_is_taken_through_dpkg_deb_or_says_that_it_is_needed() {
    let mut bench = Workbench::new();
    let path = bench.file("tiny.deb", DEB);
    assert!(matches!(reason(bench.get_from(&path)), Failure::NeedsTool { tool } if tool == "dpkg-deb"));
    let tar = bench.file("fsys.tar", &debian_tar());
    bench.stub("dpkg-deb", &format!("cat '{}'", tar.display()));
    bench.get_from(&path).unwrap();
    bench.assert_whole();
}

#[test]
fn a_folder_is_taken_with_raw_gzipped_and_linked_files() {
    let mut bench = Workbench::new();
    bench.file("elsewhere.gz", &gzip(&labels()));
    bench.file("folder/images.bin", &images());
    std::os::unix::fs::symlink("../elsewhere.gz", bench.temp.path().join("folder/labels.csv.gz")).unwrap();
    let folder = bench.temp.path().join("folder");
    bench.get_from(&folder).unwrap();
    bench.assert_whole();
}

#[test]
fn a_damaged_file_in_a_folder_does_not_keep_the_others_out() {
    let mut bench = Workbench::new();
    bench.file("folder/images.bin.gz", &gzip(&images())[..1000]);
    bench.file("folder/labels.csv", &labels());
    let folder = bench.temp.path().join("folder");
    match bench.get_from(&folder).unwrap_err() {
        FetchError::From { kept, reason, .. } => {
            assert_eq!(kept, ["labels.csv"]);
            assert!(reason.to_string().contains("images.bin.gz is cut short or damaged"), "{reason}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn single_files_are_kept_one_after_the_other_whatever_their_name() {
    let mut bench = Workbench::new();
    let renamed = bench.file("download(1)", &images());
    match bench.get_from(&renamed).unwrap_err() {
        FetchError::From { kept, missing, .. } => {
            assert_eq!((kept, missing), (vec!["images.bin".to_owned()], vec!["labels.csv".to_owned()]));
        }
        other => panic!("{other}"),
    }
    let gzipped = bench.file("labels.csv.gz", &gzip(&labels()));
    bench.get_from(&gzipped).unwrap();
    bench.assert_whole();
}

#[test]
fn what_lacks_the_files_says_which_were_looked_for() {
    let mut bench = Workbench::new();
    let path = bench.file("other.zip", &zip(&[("readme.txt", b"hello")]));
    let text = bench.get_from(&path).unwrap_err().to_string();
    assert!(text.contains("other.zip does not have all of `tiny`"), "{text}");
    assert!(text.contains("looked for images.bin, labels.csv, each also with .gz"), "{text}");
    let text = bench.get_from(Path::new("no/such/file")).unwrap_err().to_string();
    assert!(text.contains("cannot open no/such/file"), "{text}");
    bench.assert_clean();
}

#[test]
fn a_truncated_archive_gives_what_is_whole_in_it() {
    let mut bench = Workbench::new();
    let whole = gzip(&tar(&[("labels.csv", &labels()), ("images.bin", &images())]));
    let path = bench.file("cut.tgz", &whole[..whole.len() / 2]);
    match bench.get_from(&path).unwrap_err() {
        FetchError::From { kept, reason, .. } => {
            assert_eq!(kept, ["labels.csv"]);
            assert!(reason.to_string().contains("cut.tgz: images.bin is cut short or damaged"), "{reason}");
        }
        other => panic!("{other}"),
    }
    bench.assert_clean();
    let wheel = wheel();
    let path = bench.file("cut.whl", &wheel[..wheel.len() / 2]);
    assert!(matches!(reason(bench.get_from(&path)), Failure::Unreadable { .. }));
    let gzipped = gzip(&images());
    let path = bench.file("images.bin.gz", &gzipped[..gzipped.len() / 2]);
    assert!(matches!(reason(bench.get_from(&path)), Failure::Unreadable { .. }));
    bench.assert_clean();
}

#[test]
fn a_gzip_bomb_stops_one_byte_past_the_pin() {
    let mut bench = Workbench::new();
    // Cut off: reading on past the pin would come to the damage and tell of that.
    let bomb = gzip(&vec![0; 64 << 20]);
    let bomb = &bomb[..bomb.len() / 2];
    let path = bench.file("images.bin.gz", bomb);
    let Failure::Mismatched { mismatches } = reason(bench.get_from(&path)) else { panic!() };
    assert_eq!(mismatches[0].kind, MismatchKind::Longer { expected: 200_000 });
    let path = bench.file("bomb.zip", &zip(&[("x/images.bin.gz", bomb), ("x/labels.csv.gz", bomb)]));
    let Failure::Mismatched { mismatches } = reason(bench.get_from(&path)) else { panic!() };
    assert_eq!(mismatches.len(), 2);
    assert!(mismatches.iter().all(|mismatch| matches!(mismatch.kind, MismatchKind::Longer { .. })));
    bench.assert_clean();
}

#[test]
fn a_zip_that_repeats_a_bomb_is_refused() {
    let mut bench = Workbench::new();
    // 1500 times 200,001 bytes are more than the 256 MiB that an archive may unpack to beyond what is wanted.
    let bomb = gzip(&vec![0; 200_001]);
    let names: Vec<String> = (0..1500).map(|number| format!("{number}/images.bin.gz")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), bomb.as_slice())).collect();
    let path = bench.file("bombs.zip", &zip(&entries));
    assert!(matches!(reason(bench.get_from(&path)), Failure::Archive(ArchiveError::TooLarge { .. })));
}

#[test]
fn a_tar_that_unpacks_to_far_too_much_is_refused_whole() {
    let mut bench = Workbench::new();
    // 300 MiB of zeros, made in pieces so that the test does not hold them: gzip members follow one another.
    let mut header = tar_header("zeros");
    header.set_size(300 << 20);
    header.set_cksum();
    let mut bomb = gzip(&[&tar(&[("labels.csv", &labels())])[..1536], header.as_bytes()].concat());
    let zeros = gzip(&vec![0; 1 << 20]);
    for _ in 0..300 {
        bomb.extend_from_slice(&zeros);
    }
    bomb.extend(gzip(&[0; 1024]));
    let path = bench.file("bomb.tgz", &bomb);
    assert!(matches!(reason(bench.get_from(&path)), Failure::Archive(ArchiveError::TooLarge { .. })));
    assert!(!bench.folder().exists(), "nothing of a refused archive is kept");
}

#[test]
fn too_many_entries_are_refused() {
    let mut bench = Workbench::new();
    let mut header = tar_header("empty");
    header.set_size(0);
    header.set_cksum();
    let path = bench.file("many.tgz", &gzip(&header.as_bytes().repeat(100_001)));
    let reason = reason(bench.get_from(&path));
    assert!(matches!(reason, Failure::Archive(ArchiveError::TooManyEntries { most: 100_000, .. })), "{reason}");
}

#[test]
fn entries_that_point_elsewhere_refuse_the_whole_archive() {
    for bad in ["../labels.csv", "a/../../b", "/etc/labels.csv", "..", "a\\..\\b", "C:\\x"] {
        let entries: [(&str, &[u8]); 3] = [("images.bin", &images()), ("labels.csv", &labels()), (bad, b"evil")];
        for (name, content) in
            [("bad.tar", tar(&entries)), ("bad.tgz", gzip(&tar(&entries))), ("bad.zip", zip(&entries))]
        {
            let mut bench = Workbench::new();
            let path = bench.file(name, &content);
            match reason(bench.get_from(&path)) {
                Failure::Archive(ArchiveError::UnsafePath { entry, .. }) => assert_eq!(entry, bad),
                other => panic!("{name} with {bad}: {other}"),
            }
            assert!(!bench.folder().exists(), "nothing of a refused archive is kept");
            bench.assert_clean();
        }
    }
}

#[test]
fn a_bad_package_of_a_client_is_refused_and_the_next_source_tried() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "bad.tgz", &gzip(&tar(&[("images.bin", &images()), ("../x", b"evil")])));
    bench.stub_leaving("python3", "tiny.whl", &wheel());
    let report = bench.get().unwrap();
    let refused = &report.attempts[2];
    assert_eq!(refused.source, Source::Npm);
    assert!(matches!(refused.outcome, Outcome::Failed(Failure::Archive(ArchiveError::UnsafePath { .. }))));
    bench.assert_whole();
}

#[test]
fn links_in_the_place_of_files_refuse_the_whole_archive() {
    let with_link = |kind, files: &[(&str, &[u8])]| {
        let mut header = tar_header("labels.csv");
        header.set_entry_type(kind);
        header.set_link_name("secret").unwrap();
        header.set_size(0);
        header.set_cksum();
        let mut archive = tar(files);
        // Before the two empty blocks at the end.
        archive.splice(archive.len() - 1024.., [&header.as_bytes()[..], &[0; 1024]].concat());
        archive
    };
    let (images, labels) = (images(), labels());
    let files: [(&str, &[u8]); 2] = [("images.bin", &images), ("labels.csv", &labels)];
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link] {
        // In place of the file, and after the file itself.
        for files in [&files[..1], &files] {
            let mut bench = Workbench::new();
            let path = bench.file("link.tar", &with_link(kind, files));
            assert!(matches!(reason(bench.get_from(&path)), Failure::Archive(ArchiveError::Link { .. })));
            assert!(!bench.folder().exists());
        }
    }
    let mut bench = Workbench::new();
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_symlink("labels.csv", "/etc/passwd", zip::write::SimpleFileOptions::default()).unwrap();
    let path = bench.file("link.zip", &writer.finish().unwrap().into_inner());
    assert!(matches!(reason(bench.get_from(&path)), Failure::Archive(ArchiveError::Link { .. })));
}

#[test]
fn what_a_package_of_the_system_installed_is_taken() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Local;
    bench.options.system_data_dirs = vec![bench.temp.path().join("none"), bench.temp.path().join("share")];
    bench.file("share/datasets/tiny/images.bin.gz", &gzip(&images()));
    bench.file("share/datasets/tiny/labels.csv.gz", &gzip(&labels()));
    let report = bench.get().unwrap();
    assert!(matches!(report.attempts[..], [hedgerow_data::fetch::Attempt { source: Source::Local, .. }]));
    bench.assert_whole();
    assert!(fs::symlink_metadata(bench.folder().join("images.bin")).unwrap().is_file());
}

#[test]
fn endless_empty_gzip_members_are_refused_at_once() {
    let started = std::time::Instant::now();
    let members = gzip(b"").repeat(250_000);
    let mut bench = Workbench::new();
    for (name, content) in [("images.bin.gz", members.clone()), ("many.zip", zip(&[("images.bin.gz", &members)]))] {
        let path = bench.file(name, &content);
        let reason = reason(bench.get_from(&path));
        assert!(reason.to_string().contains("too many empty members"), "{name}: {reason}");
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn compressed_bytes_that_give_nothing_still_heed_the_time_limit() {
    // One member of empty stored blocks: no output, however much is read.
    let mut member = gzip(b"")[..10].to_vec();
    member.extend([0, 0, 0, 0xff, 0xff].repeat(10_000_000));
    let mut bench = Workbench::new();
    bench.options.timeout = std::time::Duration::from_millis(1);
    let path = bench.file("images.bin.gz", &member);
    let reason = reason(bench.get_from(&path));
    assert!(matches!(reason, Failure::TimedOut { .. }), "{reason}");
}

#[test]
fn gzip_inside_of_gzip_is_not_undone() {
    let mut bench = Workbench::new();
    let path = bench.file("labels.csv.gz", &gzip(&gzip(&labels())));
    assert!(matches!(reason(bench.get_from(&path)), Failure::Mismatched { .. }));
}

#[test]
fn a_zip_with_too_many_entries_is_refused_before_room_is_made_for_them() {
    // A sound archive but for its end, which announces more entries than are looked at.
    let mut bytes = zip(&[("labels.csv", &labels())]);
    bytes.truncate(bytes.len() - 22);
    let end_64 = bytes.len() as u64;
    bytes.extend(b"PK\x06\x06");
    bytes.extend(44u64.to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(3_000_000u64.to_le_bytes());
    bytes.extend(3_000_000u64.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(end_64.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([0xff; 12]);
    bytes.extend([0; 2]);
    let mut bench = Workbench::new();
    let path = bench.file("many.zip", &bytes);
    let reason = reason(bench.get_from(&path));
    assert!(reason.to_string().contains("announces 3000000 entries, more than the 100000"), "{reason}");
}

#[test]
fn overlong_names_are_refused_and_names_are_shown_without_control_characters() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(0);
    builder.append_data(&mut header, format!("{}x", "d/".repeat(2048)), &b""[..]).unwrap();
    let mut bench = Workbench::new();
    let path = bench.file("long.tar", &builder.into_inner().unwrap());
    let refused = reason(bench.get_from(&path));
    assert!(matches!(refused, Failure::Archive(ArchiveError::LongName { bytes: 4097, .. })), "{refused}");
    for content in [tar(&[("../\u{1b}[31m", b"evil")]), tar(&[("\u{1b}[31m/labels.csv", b"other")])] {
        let path = bench.file("red.tar", &content);
        let text = bench.get_from(&path).unwrap_err().to_string();
        assert!(text.contains("\\u{1b}[31m") && !text.contains('\u{1b}'), "{text}");
    }
}

/// Headers of a tar that say something of the next entry.
fn extension(kind: tar::EntryType, content: &[u8]) -> Vec<u8> {
    let mut header = tar_header("extension");
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_cksum();
    let padding = vec![0; content.len().next_multiple_of(512) - content.len()];
    [header.as_bytes(), content, &padding].concat()
}

#[test]
fn headers_of_an_entry_are_not_held_whatever_their_length() {
    let files = tar(&[("images.bin", &images()), ("labels.csv", &labels())]);
    for kind in [tar::EntryType::GNULongName, tar::EntryType::GNULongLink, tar::EntryType::XHeader] {
        let mut bench = Workbench::new();
        let long = extension(kind, &vec![b'x'; 1 << 20]);
        // Before the first entry, and after a large one.
        for content in [[&long[..], &files].concat(), [&files[..200_704], &long, &files].concat()] {
            let path = bench.file("long.tar", &content);
            let refused = reason(bench.get_from(&path));
            assert!(matches!(&refused, Failure::Archive(ArchiveError::LongHeaders { most: 65_536, .. })), "{refused}");
            assert!(refused.to_string().contains("more than 65536 bytes; get it from another place"), "{refused}");
            assert!(!bench.folder().exists(), "nothing of a refused archive is kept");
        }
    }
    // Long ones that are still honest, before files large and small.
    let comment = "x".repeat(20_000);
    // 5 digits, a blank, `comment=`, the comment and a line end are 5 + 1 + 8 + 20000 + 1 bytes.
    let record = format!("20015 comment={comment}\n");
    let pax = extension(tar::EntryType::XHeader, record.as_bytes());
    let mut bench = Workbench::new();
    let path = bench.file("pax.tar", &[&pax[..], &files[..200_704], &pax, &files[200_704..]].concat());
    bench.get_from(&path).unwrap();
    bench.assert_whole();
}

#[test]
fn mismatches_are_told_up_to_a_number() {
    let entries: Vec<(&str, &[u8])> = vec![("labels.csv", b"other"); 500];
    let mut bench = Workbench::new();
    let path = bench.file("wrong.tar", &tar(&entries));
    let Failure::Mismatched { mismatches } = reason(bench.get_from(&path)) else { panic!() };
    assert_eq!(mismatches.len(), 20);
}

#[test]
fn a_pipe_or_a_device_is_refused_before_it_is_opened() {
    let mut bench = Workbench::new();
    let pipe = bench.temp.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        assert!(matches!(reason(bench.get_from(path)), Failure::NotAFile { .. }));
    }
}

#[test]
fn a_file_of_a_folder_that_cannot_be_looked_at_is_not_told_as_missing() {
    let mut bench = Workbench::new();
    let folder = bench.temp.path().join("folder");
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("labels.csv", folder.join("labels.csv")).unwrap();
    let reason = reason(bench.get_from(&folder));
    assert!(matches!(&reason, Failure::Open { path, .. } if path.ends_with("labels.csv")), "{reason}");
}

#[test]
fn a_sparse_entry_is_refused_with_its_archive() {
    let mut bench = Workbench::new();
    let mut header = tar_header("holes.bin");
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_size(512);
    if let Some(gnu) = header.as_gnu_mut() {
        gnu.sparse[0].offset.copy_from_slice(b"00000000000\0");
        gnu.sparse[0].numbytes.copy_from_slice(b"00000001000\0");
        gnu.realsize.copy_from_slice(b"00000001000\0");
    }
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    let mut plain = tar_header("labels.csv");
    plain.set_size(800);
    plain.set_cksum();
    builder.append(&plain, &labels()[..]).unwrap();
    builder.append(&header, &[7; 512][..]).unwrap();
    let path = bench.file("sparse.tar", &builder.into_inner().unwrap());
    let error = bench.get_from(&path).unwrap_err().to_string();
    assert!(error.contains("its entry `holes.bin` is stored as a sparse file; pack it anew"), "{error}");
    assert!(names_in(&bench.folder()).is_empty());
}
