//! Running the package clients of the machine: found on the search path, without a shell, with a time limit.
//!
//! A client gets its arguments as a list, no standard input, and its user's own settings. What it prints is read to the
//! end so that it never blocks on a full pipe, and only the last few KB are kept. Which client is run with what is in
//! `registry.rs`.

use std::collections::VecDeque;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::attempt::Trouble;
use super::failure::Failure;
use super::watch::{POLL, Pump, Watch};

/// Bytes kept of what a client prints.
const TAIL_BYTES: usize = 4 * 1024;

/// How long to wait for the last output of a client that has ended: a process it left behind may hold the pipe open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// Bytes taken from a program after its consumer is done, so that it can end by itself. A tar is padded by a few KB.
const DRAIN_BYTES: u64 = 16 * 1024 * 1024;

/// Where clients are looked for.
pub(super) struct Tools {
    search_path: OsString,
}

impl Tools {
    /// The given search path, else that of the environment.
    pub(super) fn new(search_path: Option<OsString>) -> Self {
        Self { search_path: search_path.or_else(|| env::var_os("PATH")).unwrap_or_default() }
    }

    /// The first of these programs that is there, or the name of the first one if none is.
    pub(super) fn find(&self, names: &[&str]) -> Result<PathBuf, String> {
        for name in names {
            for folder in env::split_paths(&self.search_path).filter(|folder| !folder.as_os_str().is_empty()) {
                for file_name in file_names(name) {
                    // Absolute, since the client runs in another folder than this process.
                    let path = std::path::absolute(folder.join(file_name)).unwrap_or_default();
                    if is_executable(&path) {
                        return Ok(path);
                    }
                }
            }
        }
        Err(names.first().copied().unwrap_or_default().to_owned())
    }
}

fn file_names(name: &str) -> Vec<String> {
    if cfg!(windows) {
        ["exe", "cmd"].iter().map(|end| format!("{name}.{end}")).collect()
    } else {
        vec![name.to_owned()]
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Runs a client in a folder until it ends.
pub(super) fn run(program: &Path, args: &[OsString], folder: &Path, watch: &Watch<'_>) -> Result<(), Trouble> {
    let mut running = Running::start(program, args, Some(folder))?;
    let stdout = Tail::read(running.child.stdout.take());
    let status = running.wait(watch)?;
    // Some clients tell their errors on standard output.
    let printed = [running.stderr.text(), stdout.text()].join("\n");
    finish(program, status, printed).map_err(|trouble| match trouble {
        Trouble::Failed(Failure::Exit { tool, stderr, .. }) if tells_of_a_full_disk(&stderr) => {
            Failure::NoSpace { tool }.into()
        }
        other => other,
    })
}

/// Whether a client says that the disk is full, in the words of the system, of npm or of apt. How much is free cannot be
/// asked instead: a client that fails removes what it wrote, and there is room again.
fn tells_of_a_full_disk(printed: &str) -> bool {
    let printed = printed.to_lowercase();
    ["no space left", "enospc", "enough free space", "disk quota exceeded", "edquot"]
        .iter()
        .any(|words| printed.contains(words))
}

/// Runs a program and hands over its standard output while it runs.
pub(super) fn stream<'w>(
    program: &Path,
    args: &[OsString],
    watch: &'w Watch<'w>,
    consume: impl FnOnce(&mut Pump<'w>) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    let start_failed = |source| Failure::Start { program: program.to_owned(), source };
    let mut running = Running::start(program, args, None)?;
    let stdout = running.child.stdout.take().ok_or_else(|| start_failed(io::ErrorKind::BrokenPipe.into()))?;
    let mut output = Pump::start(watch, move || Ok(stdout)).map_err(start_failed)?;
    let consumed = consume(&mut output);
    if let Err(
        Trouble::Skipped(_) | Trouble::Fatal(_) | Trouble::Failed(Failure::Archive(_) | Failure::TimedOut { .. }),
    ) = consumed
    {
        // Dropping `running` kills it.
        return consumed;
    }
    // To the end, since a program that is hung up on fails for that. A cut archive may well be its failure, told in its
    // own words; a damaged file in a sound archive is not.
    let rest = io::copy(&mut output.by_ref().take(DRAIN_BYTES), &mut io::sink());
    watch.check()?;
    if matches!(rest, Ok(DRAIN_BYTES)) {
        // It may go on forever. Nothing of it is wanted, so it is killed, and what was consumed counts.
        return consumed;
    }
    let status = running.wait(watch)?;
    finish(program, status, running.stderr.text())?;
    consumed?;
    rest.map(drop).map_err(|error| watch.trouble(&program.display().to_string(), error))
}

fn finish(program: &Path, status: ExitStatus, stderr: String) -> Result<(), Trouble> {
    if status.success() {
        return Ok(());
    }
    let tool = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Err(Failure::Exit { tool, code: status.code(), stderr }.into())
}

/// A program that is killed, with all it started, if it is dropped before its end.
struct Running {
    child: Child,
    stderr: Tail,
    ended: bool,
}

impl Running {
    fn start(program: &Path, args: &[impl AsRef<OsStr>], folder: Option<&Path>) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        // A group of its own, so that the client's own children can be killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|source| Failure::Start { program: program.to_owned(), source })?;
        let stderr = Tail::read(child.stderr.take());
        Ok(Self { child, stderr, ended: false })
    }

    fn wait(&mut self, watch: &Watch<'_>) -> Result<ExitStatus, Trouble> {
        let mut pause = Duration::from_millis(5);
        loop {
            let status = self.child.try_wait().map_err(|error| watch.trouble("the state of a program", error))?;
            if let Some(status) = status {
                self.ended = true;
                return Ok(status);
            }
            watch.check()?;
            thread::sleep(pause);
            pause = (pause * 2).min(POLL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // The group has the number of the client, which is not reaped yet, so no other process can have it by now.
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The end of what a program prints, read on a thread.
struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    thread: Option<JoinHandle<()>>,
}

impl Tail {
    fn read(pipe: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&bytes);
        let thread = pipe.map(|mut pipe| {
            thread::spawn(move || {
                let mut chunk = [0; TAIL_BYTES];
                while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    kept.extend(&chunk[..length]);
                    let surplus = kept.len().saturating_sub(TAIL_BYTES);
                    kept.drain(..surplus);
                }
            })
        });
        Self { bytes, thread }
    }

    /// What was kept, as text without control characters, which could otherwise drive the user's terminal.
    fn text(&self) -> String {
        let waited = Instant::now();
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) && waited.elapsed() < LAST_OUTPUT {
            thread::sleep(Duration::from_millis(2));
        }
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(bytes.make_contiguous());
        text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
    }
}
