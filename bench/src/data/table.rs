//! Reading speeds as text: a Markdown table, CSV.

use std::fmt::Write;

use crate::interleaved::median;

/// What our side aims at for a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// At least this speed.
    MegabytesPerSecond(f64),
    /// Less than this time.
    Seconds(f64),
}

/// The times of one peer for a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerTimes {
    /// What it is.
    pub name: &'static str,
    /// Threads that it may use.
    pub threads: usize,
    /// One for each repeat.
    pub seconds: Vec<f64>,
}

/// The times of all sides for a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileTimes {
    /// What it is.
    pub file: &'static str,
    /// Its size, with that of the labels if they are in a file of their own.
    pub size_bytes: u64,
    /// What our side aims at, if at anything.
    pub target: Option<Target>,
    /// Ours, one for each repeat.
    pub ours: Vec<f64>,
    /// Those of the others, of the same repeats.
    pub peers: Vec<PeerTimes>,
}

impl PeerTimes {
    /// How many times faster our side is: the peer's median by ours.
    pub fn ratio(&self, ours: &[f64]) -> f64 {
        median(&self.seconds) / median(ours)
    }

    /// The least and the greatest ratio of a single repeat.
    pub fn range(&self, ours: &[f64]) -> [f64; 2] {
        let ratios = ours.iter().zip(&self.seconds).map(|(ours, other)| other / ours);
        ratios.fold([f64::INFINITY, 0.0], |[least, greatest], ratio| [least.min(ratio), greatest.max(ratio)])
    }

    /// The cells from the peer's name to the range.
    fn cells(&self, ours: &[f64]) -> String {
        let Self { name, threads, seconds } = self;
        let [least, greatest] = self.range(ours);
        let (seconds, ratio) = (median(seconds), self.ratio(ours));
        format!("{name} | {threads} | {seconds:.4} | {ratio:.2} | {least:.2}-{greatest:.2}")
    }
}

impl FileTimes {
    /// Megabytes, of a million bytes.
    fn megabytes(&self) -> f64 {
        self.size_bytes as f64 * 1e-6
    }

    /// Our speed.
    pub fn megabytes_per_second(&self) -> f64 {
        self.megabytes() / median(&self.ours)
    }

    fn target(&self) -> String {
        let (aim, is_met) = match self.target {
            None => return String::new(),
            Some(Target::MegabytesPerSecond(speed)) => {
                (format!(">= {speed:.0} MB/s"), self.megabytes_per_second() >= speed)
            }
            Some(Target::Seconds(seconds)) => (format!("< {:.0} ms", seconds * 1e3), median(&self.ours) < seconds),
        };
        format!("{aim}: {}", if is_met { "met" } else { "**missed**" })
    }
}

/// All files of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// In the order in which they were read.
    pub files: Vec<FileTimes>,
    /// Measurements of each side.
    pub repeats: usize,
    /// Which pictures were read.
    pub pictures: &'static str,
    /// Names and versions of the peers, or why there are none.
    pub peers: Result<String, String>,
}

impl Table {
    /// One line for each file and peer.
    pub fn markdown(&self) -> String {
        let Self { repeats, pictures, .. } = self;
        let mut text = format!("Medians (repeats: {repeats}), the sides in turn; ratio = peer / ours. ");
        text += &format!("Our side has one thread. Pictures: {pictures}.\n\n");
        text += &match &self.peers {
            Ok(versions) => format!("Peers: {versions}.\n\n"),
            Err(reason) => format!("No peers, and no Parquet, which one of them writes: {reason}.\n\n"),
        };
        text += "| file | MB | ours s | ours MB/s | peer | peer threads | peer s | ratio | range | target |\n";
        text += "|---|--:|--:|--:|---|--:|--:|--:|--:|---|\n";
        for file in &self.files {
            let (name, megabytes) = (file.file, file.megabytes());
            let (seconds, speed, mut target) = (median(&file.ours), file.megabytes_per_second(), file.target());
            let mut rows = file.peers.iter().map(|peer| peer.cells(&file.ours)).collect::<Vec<_>>();
            if rows.is_empty() {
                rows.push("none |  |  |  | ".to_owned());
            }
            for cells in rows {
                text += &format!("| {name} | {megabytes:.1} | {seconds:.4} | {speed:.0} | {cells} | {target} |\n");
                target.clear(); // it is about our side, which is the same in each row of a file
            }
        }
        text
    }

    /// One line for each file, side and repeat.
    pub fn csv(&self) -> String {
        let mut text = "file,size_bytes,side,threads,repeat,seconds\n".to_owned();
        for FileTimes { file, size_bytes, ours, peers, .. } in &self.files {
            let peers = peers.iter().map(|peer| (peer.name, peer.threads, &peer.seconds));
            for (side, threads, seconds) in std::iter::once(("hedgerow", 1, ours)).chain(peers) {
                for (repeat, seconds) in seconds.iter().enumerate() {
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "\"{file}\",{size_bytes},\"{side}\",{threads},{repeat},{seconds:.6}");
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(target: Target) -> Table {
        let peer = |threads, seconds| PeerTimes { name: "pandas", threads, seconds };
        let file = FileTimes {
            file: "CSV",
            size_bytes: 50_000_000,
            target: Some(target),
            ours: vec![0.25, 0.125, 0.5],
            peers: vec![peer(1, vec![1.0, 1.0, 1.0]), peer(2, vec![0.5, 0.25, 0.125])],
        };
        Table { files: vec![file], repeats: 3, pictures: "synthetic", peers: Ok("Python 3".into()) }
    }

    #[test]
    fn one_line_for_each_peer_and_the_target_once() {
        let text = table(Target::MegabytesPerSecond(200.0)).markdown();
        let lines = text.lines().skip(6).collect::<Vec<_>>();
        // 50 MB in 0.25 s; single ratios 4, 8, 2 and 2, 2, 0.25
        let ours = "| CSV | 50.0 | 0.2500 | 200 | pandas |";
        assert_eq!(lines[0], format!("{ours} 1 | 1.0000 | 4.00 | 2.00-8.00 | >= 200 MB/s: met |"));
        assert_eq!(lines[1], format!("{ours} 2 | 0.2500 | 1.00 | 0.25-2.00 |  |"));
        assert!(text.contains("Peers: Python 3.\n"), "{text}");
    }

    #[test]
    fn a_target_is_met_or_missed() {
        assert!(table(Target::MegabytesPerSecond(201.0)).markdown().contains(">= 201 MB/s: **missed**"));
        assert!(table(Target::Seconds(0.251)).markdown().contains("< 251 ms: met"));
        assert!(table(Target::Seconds(0.25)).markdown().contains("< 250 ms: **missed**"));
    }

    #[test]
    fn without_peers_our_side_is_shown_and_why_it_is_alone() {
        let mut table = table(Target::Seconds(1.0));
        table.peers = Err("no Python".into());
        table.files[0].peers.clear();
        let text = table.markdown();
        assert!(text.contains("writes: no Python.\n"), "{text}");
        assert!(text.ends_with("| CSV | 50.0 | 0.2500 | 200 | none |  |  |  |  | < 1000 ms: met |\n"), "{text}");
    }

    #[test]
    fn every_measurement_is_kept() {
        let text = table(Target::Seconds(1.0)).csv();
        assert_eq!(text.lines().nth(3), Some("\"CSV\",50000000,\"hedgerow\",1,2,0.500000"));
        assert_eq!(text.lines().last(), Some("\"CSV\",50000000,\"pandas\",2,2,0.125000"));
        assert_eq!(text.lines().count(), 10);
    }
}
