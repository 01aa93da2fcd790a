//! The step `browser`: the page that `hedgerow demo` writes, opened by a real browser; and the seconds that the demo takes.
//!
//! Chromium is taken from the machine or installed by its package manager, where this process may do that.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::process::{not_started, output_of, run};
use crate::step::Outcome;
use crate::workspace::Workspace;

/// What the page must have once the browser has read it.
const SECTIONS: [&str; 6] = ["Comparison", "Learning", "Map", "Tree", "Confusion", "Mistakes"];

/// Makes the page and opens it, wide and narrow, in light and dark.
pub(crate) fn check(workspace: &Workspace) -> Outcome {
    let browser = match find_or_install() {
        Ok(browser) => browser,
        Err(reason) => {
            return Outcome::Skipped(format!("there is no chromium here, and it cannot be installed: {reason}"));
        }
    };
    let folder = workspace.target_folder("browser");
    // What an earlier run left; if it cannot be removed, making the folder tells why.
    let _ = fs::remove_dir_all(&folder);
    if let Err(error) = fs::create_dir_all(&folder) {
        return Outcome::Failed(format!("{}: {error}", folder.display()));
    }
    let page = folder.join("report.html");
    // The command as the tests have built it: asked for by its package alone, cargo would compile half of the dependencies once more, with fewer
    // features.
    match run(workspace.cargo().args(["test", "--locked", "--quiet", "--workspace", "--no-run"])) {
        Outcome::Passed => {}
        failed => return failed,
    }
    let mut demo = workspace.command(workspace.target_folder("debug").join("hedgerow"));
    demo.args(["demo", "--quiet", "--out"]).arg(&page);
    let begun = Instant::now();
    match run(demo.stdout(Stdio::null())) {
        Outcome::Passed => {}
        failed => return failed,
    }
    println!("hedgerow demo took {:.1} s, built for development", begun.elapsed().as_secs_f64());
    for (width_name, width) in [("wide", 1280), ("narrow", 360)] {
        for (scheme_name, scheme) in [("light", 1), ("dark", 0)] {
            let name = format!("{width_name}-{scheme_name}");
            if let Err(reason) = open(&browser, &page, &folder.join(&name), width, scheme) {
                return Outcome::Failed(format!("{name}: {reason}"));
            }
        }
    }
    Outcome::Passed
}

fn find_or_install() -> Result<String, String> {
    let find = || {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        names.into_iter().find(|name| output_of(Command::new(name).arg("--version")).is_ok())
    };
    if let Some(name) = find() {
        return Ok(name.to_owned());
    }
    output_of(Command::new("apt-get").args(["-qq", "update"]))?;
    output_of(Command::new("apt-get").args(["-qq", "install", "-y", "chromium"]))?;
    find().map(str::to_owned).ok_or("it was installed but does not start".to_owned())
}

/// Opens a page and looks at what the browser made of it and at what it complained about.
fn open(browser: &str, page: &Path, profile: &Path, width: u32, scheme: u32) -> Result<(), String> {
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--dump-dom"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", &format!("--window-size={width},900")])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()));
    let output = command.stdin(Stdio::null()).output().map_err(|error| not_started(&command, &error))?;
    if !output.status.success() {
        return Err("the browser failed".to_owned());
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    if let Some(line) = complaints.lines().find(|line| line.contains("CONSOLE")) {
        return Err(format!("the browser complains: {line}"));
    }
    let page = String::from_utf8_lossy(&output.stdout);
    match SECTIONS.into_iter().find(|section| !page.contains(section)) {
        Some(missing) => Err(format!("the page has no section {missing}")),
        None => Ok(()),
    }
}
