//! The data directory: what is told of it, what is refused in it, and what a crash leaves.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use hedgerow_data::fetch::{FetchError, FileState, Presence, Source, Store, Via, find_set, get};
use hedgerow_data::progress::silent;

use crate::workbench::*;

fn states(bench: &Workbench) -> Vec<FileState> {
    let checks = bench.store.verify(&bench.set, &mut silent()).unwrap();
    checks.into_iter().map(|check| check.state).collect()
}

#[test]
fn a_set_that_is_not_there_says_how_to_get_it() {
    let bench = Workbench::new();
    let text = bench.store.path(&bench.set).unwrap_err().to_string();
    assert!(text.contains("run `hedgerow data get tiny`"), "{text}");
    assert_eq!(states(&bench), [FileState::Missing, FileState::Missing]);
}

#[test]
fn every_state_of_a_file_is_told() {
    let bench = Workbench::new();
    let mut forged = images();
    forged[0] ^= 1;
    bench.place("images.bin", &forged);
    bench.place("labels.csv", b"short");
    let checked = states(&bench);
    assert!(matches!(&checked[0], FileState::WrongHash { expected, .. } if *expected == bench.set.files[0].sha256));
    assert_eq!(checked[1], FileState::WrongSize { expected: 800, got: 5 });
    assert!(matches!(bench.store.path(&bench.set), Err(FetchError::WrongSize { expected: 800, got: 5, .. })));

    bench.place("images.bin", &images());
    fs::remove_file(bench.folder().join("labels.csv")).unwrap();
    fs::create_dir(bench.folder().join("labels.csv")).unwrap();
    assert_eq!(states(&bench), [FileState::Verified, FileState::NotAFile]);
    assert!(matches!(bench.store.path(&bench.set), Err(FetchError::NotAFile { .. })));
    assert!(matches!(bench.get(), Err(FetchError::NotAFile { .. })));
}

#[test]
fn a_file_that_does_not_match_is_replaced() {
    let bench = Workbench::new();
    let mut forged = images();
    forged[0] ^= 1;
    bench.place("images.bin", &forged);
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    bench.get().unwrap();
    bench.assert_whole();
}

#[test]
fn a_link_in_the_place_of_a_file_is_refused_and_not_written_through() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let target = bench.file("precious", &images());
    fs::create_dir_all(bench.folder()).unwrap();
    symlink(&target, bench.folder().join("images.bin")).unwrap();
    assert_eq!(states(&bench), [FileState::NotAFile, FileState::Missing]);
    assert!(matches!(bench.store.path(&bench.set), Err(FetchError::Symlink { .. })));
    let error = bench.get().unwrap_err();
    assert!(matches!(&error, FetchError::Symlink { path } if path.ends_with("images.bin")), "{error}");
    assert_eq!(fs::read(target).unwrap(), images());
    assert!(bench.folder().join("images.bin").is_symlink());
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused_and_not_written_through() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let elsewhere = bench.temp.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::create_dir_all(bench.store.dir()).unwrap();
    symlink(&elsewhere, bench.folder()).unwrap();
    assert!(matches!(bench.get(), Err(FetchError::Symlink { .. })));
    assert!(matches!(bench.store.path(&bench.set), Err(FetchError::Symlink { .. })));
    assert!(matches!(bench.store.verify(&bench.set, &mut silent()), Err(FetchError::Symlink { .. })));
    assert!(names_in(&elsewhere).is_empty());
}

#[test]
fn a_data_directory_behind_a_link_is_fine_and_one_that_is_a_file_is_not() {
    let mut bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let disk = bench.temp.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let link = bench.temp.path().join("link");
    symlink(&disk, &link).unwrap();
    bench.store = Store::open(&link).unwrap();
    bench.get().unwrap();
    bench.assert_whole();
    let file = bench.file("file", b"");
    assert!(matches!(Store::open(file), Err(FetchError::NotAFolder { .. })));
}

#[test]
fn leftovers_of_a_crash_do_no_harm_and_go_after_a_day() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let leftover = |name: &str, age: Duration| {
        let folder = bench.store.dir().join(name);
        fs::create_dir_all(folder.join("kept")).unwrap();
        fs::write(folder.join("kept/images.bin"), b"half").unwrap();
        fs::File::open(&folder).unwrap().set_modified(SystemTime::now() - age).unwrap();
        folder
    };
    let hour = Duration::from_secs(3600);
    let (old, young) = (leftover(".partial-4999999-old", 25 * hour), leftover(".partial-4999998-young", 23 * hour));
    let other = leftover("notes", 100 * hour);
    let running = leftover(&format!(".partial-{}-running", std::process::id()), 100 * hour);
    let far = bench.temp.path().join("far");
    fs::create_dir(&far).unwrap();
    symlink(&far, bench.store.dir().join(".partial-3-link")).unwrap();
    bench.get().unwrap();
    bench.store.path(&bench.set).unwrap();
    assert!(!old.exists());
    assert!(young.exists(), "it may belong to a process that still runs");
    assert!(other.exists() && far.exists());
    assert!(running.exists() || !cfg!(target_os = "linux"), "its process still runs");
    let old = leftover(".partial-4999997-old", 25 * hour);
    assert!(bench.get().unwrap().got.is_empty());
    assert!(!old.exists(), "also when all is there");
}

#[test]
fn a_data_directory_that_cannot_be_written_is_told() {
    let mut bench = Workbench::new();
    let blocker = bench.file("blocker", b"");
    bench.store = Store::open(blocker.join("below")).unwrap();
    let error = bench.get().unwrap_err();
    assert!(matches!(error, FetchError::Io { .. }), "{error}");
}

#[test]
fn a_set_folder_that_cannot_be_written_fails_before_anything_is_downloaded() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Workbench::new();
    bench.place("labels.csv", &labels());
    let marker = bench.temp.path().join("started");
    bench.stub("npm", &format!("touch '{}'", marker.display()));
    fs::set_permissions(bench.folder(), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(bench.folder().join("images.bin"), b"").is_ok() {
        return; // the administrator may write anywhere
    }
    let error = bench.get().unwrap_err();
    fs::set_permissions(bench.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(error.to_string().contains("allow writing there, or set HEDGEROW_DATA_DIR"), "{error}");
    assert!(!marker.exists());
}

#[test]
fn a_changed_byte_has_no_verified_path() {
    let bench = Workbench::new();
    bench.place("images.bin", &images());
    let absent = bench.store.verified_path(&bench.set, &mut silent()).unwrap_err();
    assert!(matches!(absent, FetchError::Absent { .. }), "{absent}");
    bench.place("labels.csv", &labels());
    assert_eq!(bench.store.verified_path(&bench.set, &mut silent()).unwrap(), bench.folder());
    let mut forged = images();
    forged[199_999] ^= 1;
    bench.place("images.bin", &forged);
    bench.store.path(&bench.set).unwrap();
    let error = bench.store.verified_path(&bench.set, &mut silent()).unwrap_err();
    assert!(matches!(&error, FetchError::WrongHash { path, .. } if path.ends_with("images.bin")), "{error}");
    assert!(error.to_string().contains("run `hedgerow data get tiny` to replace it"), "{error}");
}

#[test]
fn verifying_can_be_stopped() {
    let bench = Workbench::new();
    bench.place("images.bin", &images());
    let stopped = bench.store.verify(&bench.set, &mut stop_after(2)).unwrap_err();
    assert!(matches!(stopped, FetchError::Stopped { .. }));
}

#[test]
fn registered_sets_are_listed_with_what_is_there() {
    let bench = Workbench::new();
    let names: Vec<&str> = bench.store.list().iter().map(|status| status.set.name.as_str()).collect();
    assert_eq!(names[..4], ["mnist", "fashion-mnist", "pendigits", "penguins"]);
    assert!(bench.store.list().iter().all(|status| status.presence == Presence::Absent && status.present_bytes == 0));
    let mnist = find_set("mnist").unwrap();
    let folder = bench.store.folder(mnist);
    fs::create_dir_all(&folder).unwrap();
    // Presence goes by length: a hole of the right size will do.
    fs::File::create(folder.join("t10k-labels-idx1-ubyte")).unwrap().set_len(10_008).unwrap();
    let status = bench.store.info("mnist").unwrap();
    assert_eq!((status.presence, status.present_bytes), (Presence::Partly, 10_008));
    assert_eq!(status.folder, folder);
    assert!(
        matches!(bench.store.info("minst"), Err(FetchError::UnknownSet { nearest: Some(name), .. }) if name == "mnist")
    );
}

#[test]
fn when_nothing_works_one_table_says_why_and_what_to_do() {
    let mut bench = Workbench::new();
    bench.set.sources.npm = None;
    bench.set.sources.pip = None;
    bench.stub("apt-get", "echo 'E: Unable to locate package tiny-data' >&2; exit 100");
    bench.stub("dpkg-deb", "exit 1");
    let text = bench.get().unwrap_err().to_string();
    assert_eq!(
        text,
        "no source gave all of `tiny`:\n  \
           source  command                     reason\n  \
           local   -                           skipped: neither in the data directory nor installed by a package of the system\n  \
           https   -                           skipped: does not have this set\n  \
           npm     -                           skipped: does not have this set\n  \
           apt     apt-get download tiny-data  failed: apt-get ended with exit code 100: E: Unable to locate package tiny-data\n  \
           pip     -                           skipped: does not have this set\n\
         Of the package registries only apt has `tiny`, in its package tiny-data.\n\
         Still missing: images.bin, labels.csv\n\
         By hand: bring the files, or an archive that has them, and run `hedgerow data get tiny --from FILE`\n\
         (FILE is a folder, a raw file, .gz, .tgz, .tar, .deb, .whl or .zip)."
    );
}

#[test]
fn fashion_mnist_says_that_apt_is_its_only_registry() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    let fashion = find_set("fashion-mnist").unwrap();
    let error = get(&bench.store, fashion, &bench.options, &mut silent()).unwrap_err();
    assert!(
        error.to_string().contains("only apt has `fashion-mnist`, in its package dataset-fashion-mnist"),
        "{error}"
    );
    let FetchError::Nowhere { attempts, .. } = error else { panic!() };
    assert!(matches!(attempts[..], [hedgerow_data::fetch::Attempt { source: Source::Apt, .. }]));
}
