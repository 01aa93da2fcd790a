//! The program behind `cargo run --release -p hedgerow-bench`: reads the arguments, runs a command, prints its results.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use hedgerow_bench::arguments::{Arguments, Format, HELP, Task};
use hedgerow_bench::machine::{Machine, describe_moment};
use hedgerow_bench::peers::{Measured, summary};
use hedgerow_bench::save::{Results, bench_folder, folder, save, stopped, tidy, unfinished};
use hedgerow_bench::{data, learn, mnist, peers, ratios, step};

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    if let Task::Summary { runs } = &arguments.task {
        // Made of what was kept: nothing is timed.
        for path in summary::write(&bench_folder(), runs.as_deref())? {
            eprintln!("written: {}", path.display());
        }
        return Ok(());
    }
    if cfg!(debug_assertions) && arguments.task != Task::Help {
        eprintln!("warning: built without --release, so that these times mean nothing");
    }
    if let Task::Learn(asked) = &arguments.task {
        // Keeps its results itself, run by run.
        return print(&learn::run(asked)?);
    }
    if let Task::Peers(plan) = &arguments.task {
        return ask_peers(plan, arguments);
    }
    let machine = Machine::this();
    let folder = folder(&machine);
    let moment = describe_moment(hedgerow_bench::REVISION);
    let (output, results) = match &arguments.task {
        Task::Help | Task::Learn(_) | Task::Peers(_) | Task::Summary { .. } => return print(HELP),
        Task::Ratios { format } => {
            let table = ratios::measure(arguments.repeats)?;
            let results = Results {
                command: "ratios".into(),
                command_line: command_line(&format!("ratios --repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            let output = match format {
                Format::Markdown => table.markdown(),
                Format::Json => table.json(),
            };
            (output, results)
        }
        Task::Mnist { folder } => {
            let table = mnist::measure(folder, arguments.repeats)?;
            let results = Results {
                command: "mnist".into(),
                command_line: command_line(&format!("mnist DIR --repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
        Task::Data { mnist } => {
            let table = data::measure(mnist.as_deref(), arguments.repeats)?;
            let pictures = if mnist.is_some() { "--mnist DIR " } else { "" };
            let results = Results {
                command: "data".into(),
                command_line: command_line(&format!("data {pictures}--repeat {}", arguments.repeats)),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
        Task::Step(plan) => {
            let table = step::measure(plan, arguments.repeats)?;
            let fashion = if plan.fashion.is_some() { "--fashion DIR " } else { "" };
            let to_error = if plan.to_error { "--to-error " } else { "" };
            let results = Results {
                command: "step".into(),
                command_line: command_line(&format!(
                    "step --mnist DIR {fashion}{to_error}--repeat {}",
                    arguments.repeats
                )),
                moment,
                summary: table.markdown(),
                raw_csv: table.csv(),
                page: None,
            };
            (table.markdown(), results)
        }
    };
    // First, lest a terminal that has gone away loses hours.
    if arguments.save {
        save(&folder, &machine, &results)?;
        eprintln!("saved in {}", folder.display());
    }
    print(&output)
}

/// Asks a question to the peers. What was measured until an error came is saved too, under a name of its own, and the next command goes on from there.
fn ask_peers(plan: &peers::Plan, arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::this();
    let folder = plan.runs.clone().unwrap_or_else(|| folder(&machine));
    let (moment, stem) = (describe_moment(hedgerow_bench::REVISION), plan.stem());
    let kept = arguments.save.then(|| unfinished(&folder, &stem));
    let Measured { table, stopped: error } = peers::measure(plan, arguments.repeats, kept.as_deref())?;
    if arguments.save {
        let results = Results {
            command: if error.is_some() { stopped(&stem) } else { stem.clone() },
            command_line: command_line(&plan.command(arguments.repeats)),
            moment,
            summary: table.markdown(),
            raw_csv: table.csv(),
            page: Some(table.html()),
        };
        save(&folder, &machine, &results)?;
        eprintln!("saved in {}; `peers summary` takes it into bench/summary.md and README", folder.display());
        if error.is_none() {
            tidy(&folder, &stem);
        }
    }
    print(&table.markdown())?;
    error.map_or(Ok(()), |error| Err(error.into()))
}

fn command_line(arguments: &str) -> String {
    format!("cargo run --release -p hedgerow-bench -- {arguments}")
}

/// Prints results. A reader that has gone away has seen enough.
fn print(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
