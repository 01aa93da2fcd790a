//! What a measurement ran on: processor, cores, compiler, revision. Never the name of the host.

use std::process::Command;

/// The facts that go beside saved results.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Model name of the processor, or the architecture where the system does not tell.
    pub processor: String,
    /// Cores of the machine.
    pub cores: usize,
    /// Cores that this process may use: fewer where `taskset` or a container says so. How many threads are at work is another matter still.
    pub usable_cores: usize,
}

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let usable_cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            processor: model_name(&cpuinfo).unwrap_or(std::env::consts::ARCH).to_owned(),
            // Where the system does not list them, there are at least those that can be used.
            cores: n_processors(&cpuinfo).max(usable_cores),
            usable_cores,
        }
    }

    /// The machine as part of a file name: `amd-epyc-7763-64-core-processor-2-cores`.
    pub fn slug(&self) -> String {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        slug(&format!("{} {} {cores}", self.processor, self.cores))
    }

    /// A description in Markdown, with what else bears on the times of every run. For programs that are run from their source: the compiler
    /// is the one of this machine.
    pub fn describe(&self) -> String {
        let compiler = output_of(&std::env::var("RUSTC").unwrap_or("rustc".into()), &["--version"]);
        format!("{}- compiler: {compiler}\n", self.describe_hardware())
    }

    /// The same without the compiler, which is not known of a program that was installed.
    pub fn describe_hardware(&self) -> String {
        let facts = [
            ("processor", self.processor.clone()),
            ("cores", self.describe_cores()),
            ("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)),
            ("vectors at run time", run_time_vectors().to_owned()),
            ("compiled for", compiled_for().to_owned()),
        ];
        facts.iter().map(|(what, fact)| format!("- {what}: {fact}\n")).collect()
    }

    fn describe_cores(&self) -> String {
        match self.usable_cores {
            usable if usable == self.cores => self.cores.to_string(),
            usable => format!("{}, of which this process may use {usable}", self.cores),
        }
    }
}

/// What may differ from one run to the next, in Markdown.
pub fn describe_moment(revision: &str) -> String {
    format!("- revision: {revision}\n- load before: {}\n", load())
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim()).filter(|name| !name.is_empty())
}

/// The processors that the system lists, whoever may use them.
fn n_processors(cpuinfo: &str) -> usize {
    cpuinfo.lines().filter(|line| line.split(':').next().is_some_and(|name| name.trim() == "processor")).count()
}

/// Lower-case letters and digits, all else as single hyphens.
pub fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(target_arch = "x86_64")]
fn run_time_vectors() -> &'static str {
    match (std::arch::is_x86_feature_detected!("avx512f"), std::arch::is_x86_feature_detected!("avx2")) {
        (true, _) => "AVX-512",
        (_, true) => "AVX2",
        _ => "SSE2",
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn run_time_vectors() -> &'static str {
    "those of the baseline"
}

/// What the plain side may use, which special compiler flags would change.
fn compiled_for() -> &'static str {
    match (cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2")) {
        (true, _) => "AVX-512: not the baseline, and the plain side gains by it",
        (_, true) => "AVX2: not the baseline, and the plain side gains by it",
        _ => "the baseline of the architecture",
    }
}

fn output_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.filter(|text| !text.is_empty()).unwrap_or("unknown".to_owned())
}

/// The load average of the last minute. Well above 0: others were at work, and the times are noisy.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_files() {
        assert_eq!(slug("Intel(R) Xeon(R) CPU @ 2.20GHz 4 cores"), "intel-r-xeon-r-cpu-2-20ghz-4-cores");
    }

    #[test]
    fn the_model_is_read_where_there_is_one() {
        assert_eq!(
            model_name("processor\t: 0\nmodel name\t: AMD EPYC 7763\nmodel name\t: other\n"),
            Some("AMD EPYC 7763")
        );
        assert_eq!(model_name("model name\t: \n"), None);
        assert_eq!(model_name(""), None);
    }

    #[test]
    fn a_process_that_may_use_one_core_does_not_make_the_machine_smaller() {
        let cpuinfo = "processor\t: 0\nmodel name\t: a processor: b\n\nprocessor\t: 1\nmodel name\t: a processor: b\n";
        assert_eq!(n_processors(cpuinfo), 2);
        let machine = Machine { processor: "Some CPU".into(), cores: 2, usable_cores: 1 };
        assert_eq!(machine.slug(), "some-cpu-2-cores");
        assert!(machine.describe_hardware().contains("- cores: 2, of which this process may use 1\n"));
        let whole = Machine { usable_cores: 2, ..machine };
        assert!(whole.describe_hardware().contains("- cores: 2\n"));
    }
}
