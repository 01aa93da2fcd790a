//! Mirrors: a small web server on this machine stands in for them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hedgerow_data::fetch::{Failure, FetchError, MismatchKind, Outcome, Source, Via, get};

use crate::workbench::*;

#[derive(Clone)]
enum Answer {
    Body(Vec<u8>),
    /// A body that breaks off after half of what was announced.
    Half(Vec<u8>),
    Status(u16),
    /// A redirect to another path.
    Elsewhere(String),
    /// No answer for as long as the test may run.
    Silence,
}

struct Server {
    base: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answers: impl IntoIterator<Item = (&'static str, Answer)>) -> Self {
        let answers: HashMap<String, Answer> =
            answers.into_iter().map(|(path, answer)| (path.to_owned(), answer)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/mirror", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answers, log) = (answers.clone(), Arc::clone(&log));
                std::thread::spawn(move || answer(stream, &answers, &log));
            }
        });
        Self { base, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, answers: &HashMap<String, Answer>, log: &Mutex<Vec<String>>) {
    let head: Vec<String> = BufReader::new(stream.try_clone().unwrap())
        .lines()
        .map_while(|line| line.ok().filter(|line| !line.is_empty()))
        .collect();
    let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)).map(str::to_owned) else { return };
    log.lock().unwrap().push(path.clone());
    let start =
        |status: &str, length: usize| format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n");
    let reply = match answers.get(&path).cloned().unwrap_or(Answer::Status(404)) {
        Answer::Body(body) => [format!("{}\r\n", start("200 OK", body.len())).into_bytes(), body].concat(),
        Answer::Half(body) => [start("200 OK", body.len()).as_bytes(), b"\r\n", &body[..body.len() / 2]].concat(),
        Answer::Status(status) => format!("{}\r\n", start(&format!("{status} No"), 0)).into_bytes(),
        Answer::Elsewhere(path) => format!("{}Location: {path}\r\n\r\n", start("302 Found", 0)).into_bytes(),
        Answer::Silence => {
            std::thread::sleep(Duration::from_secs(60));
            return;
        }
    };
    // The other side may hang up before the end.
    let _ = stream.write_all(&reply);
}

fn bench_with(server: &Server) -> Workbench {
    let mut bench = Workbench::new();
    bench.options.mirror = Some(server.base.clone());
    bench.options.via = Via::Https;
    bench
}

const IMAGES: &str = "/mirror/tiny/images.bin.gz";
const LABELS: &str = "/mirror/tiny/labels.csv.gz";

#[test]
fn a_mirror_of_ones_own_gives_the_set() {
    let server = Server::start([(IMAGES, Answer::Body(gzip(&images()))), (LABELS, Answer::Body(gzip(&labels())))]);
    let mut bench = bench_with(&server);
    bench.options.mirror = Some(format!("{}/", server.base));
    let report = bench.get().unwrap();
    assert_eq!(server.asked(), [IMAGES, LABELS]);
    assert!(matches!(report.attempts.last().unwrap().outcome, Outcome::Got));
    let command = format!("curl -fLO {}/tiny/images.bin.gz", server.base);
    assert_eq!(report.attempts[0].command.as_deref(), Some(command.as_str()));
    bench.assert_whole();
    bench.get().unwrap();
    assert_eq!(server.asked().len(), 2, "what is there is not asked for again");
}

#[test]
fn plain_files_and_redirects_are_taken_too() {
    let server = Server::start([
        ("/mirror/tiny/images.bin", Answer::Elsewhere("/moved".to_owned())),
        ("/moved", Answer::Body(images())),
        (LABELS, Answer::Body(labels())),
    ]);
    let bench = bench_with(&server);
    bench.get().unwrap();
    bench.assert_whole();
}

#[test]
fn a_known_mirror_is_asked_when_ones_own_has_nothing() {
    let own = Server::start([]);
    let known = Server::start([(IMAGES, Answer::Body(gzip(&images()))), (LABELS, Answer::Body(gzip(&labels())))]);
    let mut bench = bench_with(&own);
    bench.set.sources.mirrors = vec![format!("{}/tiny", known.base)];
    let report = bench.get().unwrap();
    assert!(matches!(report.attempts[0].outcome, Outcome::Failed(Failure::Status { status: 404, .. })));
    assert!(matches!(report.attempts[1].outcome, Outcome::Got));
    bench.assert_whole();
}

#[test]
fn wrong_content_is_told_with_both_hashes_and_not_kept() {
    let mut forged = images();
    forged[7] ^= 1;
    let server = Server::start([(IMAGES, Answer::Body(gzip(&forged))), (LABELS, Answer::Body(gzip(&labels()[1..])))]);
    let bench = bench_with(&server);
    let Outcome::Failed(Failure::Mismatched { mismatches }) = bench.failed_outcome(Source::Https) else { panic!() };
    assert!(
        matches!(&mismatches[0].kind, MismatchKind::Hash { expected, .. } if *expected == bench.set.files[0].sha256)
    );
    assert_eq!(mismatches[1].kind, MismatchKind::Shorter { expected: 800, got: 799 });
    bench.assert_clean();
}

#[test]
fn an_error_of_the_server_is_told_by_its_status() {
    let server = Server::start([(IMAGES, Answer::Status(503))]);
    let bench = bench_with(&server);
    let Outcome::Failed(failure) = bench.failed_outcome(Source::Https) else { panic!() };
    assert_eq!(failure.to_string(), format!("HTTP status 503 for {}/tiny/images.bin.gz", server.base));
    assert_eq!(server.asked(), [IMAGES], "a mirror that fails is not asked for the rest");
}

#[test]
fn a_body_that_breaks_off_is_told() {
    let server = Server::start([(IMAGES, Answer::Half(gzip(&images())))]);
    let bench = bench_with(&server);
    assert!(matches!(bench.failed_outcome(Source::Https), Outcome::Failed(Failure::Unreadable { .. })));
    bench.assert_clean();
}

#[test]
fn a_gzip_bomb_from_a_mirror_stops_one_byte_past_the_pin() {
    let bomb = gzip(&vec![0; 64 << 20]);
    // Cut off: reading on past the pin would come to the damage and tell of that.
    let bomb = bomb[..bomb.len() / 2].to_vec();
    let server = Server::start([(IMAGES, Answer::Body(bomb)), (LABELS, Answer::Body(labels()))]);
    let bench = bench_with(&server);
    match bench.failed_outcome(Source::Https) {
        Outcome::Partly { got, reason: Failure::Mismatched { mismatches } } => {
            assert_eq!(got, ["labels.csv"]);
            assert_eq!(mismatches[0].kind, MismatchKind::Longer { expected: 200_000 });
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_mirror_that_is_not_there_falls_through_fast() {
    let mut bench = Workbench::new();
    // Bound and dropped: nobody listens there now.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    bench.options.mirror = Some(format!("http://{closed}"));
    bench.stub_leaving("npm", "tiny.tgz", &npm_package());
    let started = Instant::now();
    let report = bench.get().unwrap();
    assert!(matches!(&report.attempts[1].outcome, Outcome::Failed(Failure::Unreachable { .. })));
    assert!(started.elapsed() < Duration::from_secs(10));
    bench.assert_whole();
}

#[test]
fn a_silent_mirror_is_given_up_at_the_time_limit() {
    let server = Server::start([(IMAGES, Answer::Silence)]);
    let mut bench = bench_with(&server);
    bench.options.timeout = Duration::from_millis(400);
    let started = Instant::now();
    let outcome = bench.failed_outcome(Source::Https);
    assert!(matches!(outcome, Outcome::Failed(Failure::TimedOut { .. } | Failure::Unreachable { .. })), "{outcome}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_listener_stops_a_silent_mirror() {
    let server = Server::start([(IMAGES, Answer::Silence)]);
    let bench = bench_with(&server);
    let started = Instant::now();
    let stopped = get(&bench.store, &bench.set, &bench.options, &mut stop_after(8)).unwrap_err();
    assert!(matches!(stopped, FetchError::Stopped { .. }));
    assert!(started.elapsed() < Duration::from_secs(10));
    bench.assert_clean();
}

#[test]
fn a_mirror_on_this_machine_is_not_asked_through_a_proxy() {
    // The environment cannot be changed for this process alone, so another one runs the test of a mirror.
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "mirrors::a_mirror_of_ones_own_gives_the_set"]);
    for name in ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        again.env(name, "http://127.0.0.1:9");
    }
    let output = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn a_mirror_for_which_no_time_is_left_is_told_as_not_asked() {
    let (silent, other) = (Server::start([(IMAGES, Answer::Silence)]), Server::start([]));
    let mut bench = bench_with(&silent);
    bench.set.sources.mirrors = vec![format!("{}/tiny", other.base)];
    bench.options.timeout = Duration::from_millis(400);
    let FetchError::Nowhere { attempts, .. } = bench.get().unwrap_err() else { panic!() };
    assert_eq!(attempts[1].outcome.to_string(), "skipped: not asked: the time limit was used up");
    assert!(other.asked().is_empty());
}

#[test]
fn no_part_of_a_password_is_shown() {
    for mirror in ["me:secret@127.0.0.1:9", "http://me:sec/ret@127.0.0.1:9", "http://me:sec@ret@127.0.0.1:9"] {
        let mut bench = Workbench::new();
        bench.options.via = Via::Https;
        bench.options.mirror = Some(mirror.to_owned());
        let error = bench.get().unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(!text.contains("sec") && !text.contains("ret@"), "{text}");
    }
}
