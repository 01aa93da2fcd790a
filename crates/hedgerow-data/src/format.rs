//! The formats that are read, and recognising them by name and contents.

use std::path::Path;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The format of MNIST: a big-endian header and plain values.
    Idx,
    /// Text with one row a line and fields between commas (or semicolons, tabs or bars: found out).
    Csv,
    /// The same with tabs.
    Tsv,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Apache Parquet.
    Parquet,
    /// Text with `label index:value index:value ...` a line; also called libsvm.
    Svmlight,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] = [Self::Idx, Self::Csv, Self::Tsv, Self::Npy, Self::Npz, Self::Parquet, Self::Svmlight];

    /// The name, as in options and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idx => "idx",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Parquet => "parquet",
            Self::Svmlight => "svmlight",
        }
    }

    /// The format of this name, in any case; libsvm is svmlight.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.name() == name).or((name == "libsvm").then_some(Self::Svmlight))
    }

    /// The format that a file's name promises, `.gz` left aside.
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        if name.ends_with("-ubyte") && name.contains("idx") {
            return Some(Self::Idx);
        }
        match name.rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "parquet" | "pq" => Some(Self::Parquet),
            "svm" | "svmlight" | "libsvm" => Some(Self::Svmlight),
            "idx" | "idx1" | "idx2" | "idx3" | "idx4" => Some(Self::Idx),
            _ => None,
        }
    }

    /// The format that the first bytes of a file speak for.
    pub fn from_contents(head: &[u8]) -> Option<Self> {
        match head {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Self::Npy),
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Self::Npz),
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            [0, 0, 8 | 9 | 0xb..=0xe, 1..=4, ..] => Some(Self::Idx),
            // JSON is written but not read; taken as CSV it would give nonsense.
            [] | [b'{' | b'[', ..] => None,
            text => Self::from_text(text),
        }
    }

    fn from_text(head: &[u8]) -> Option<Self> {
        // The last line may be cut off; a text of one line is taken as it is.
        let whole = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |end| &head[..end]);
        if whole.contains(&0) {
            return None;
        }
        // Text in another encoding is for the reader to refuse, which says where.
        let text = String::from_utf8_lossy(whole);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
        Some(if looks_like_svmlight(line) { Self::Svmlight } else { Self::Csv })
    }
}

/// Whether a line is a number followed by at least one `index:value`.
fn looks_like_svmlight(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or(line);
    let mut fields = line.split_ascii_whitespace();
    let labelled = fields.next().is_some_and(|label| label.parse::<f64>().is_ok());
    let mut pairs = fields.peekable();
    let pair = |field: &str| {
        let pair = field.split_once(':');
        pair.is_some_and(|(index, value)| {
            (index == "qid" || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok()
        })
    };
    labelled && pairs.peek().is_some() && pairs.all(pair)
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_promise_formats() {
        let of = |name: &str| Format::from_path(Path::new(name));
        assert_eq!(of("a/train-images-idx3-ubyte"), Some(Format::Idx));
        assert_eq!(of("train-images.idx3-ubyte.gz"), Some(Format::Idx));
        assert_eq!(of("IRIS.CSV.gz"), Some(Format::Csv));
        assert_eq!(of("x.libsvm"), Some(Format::Svmlight));
        assert_eq!(of("x.txt"), None);
        assert_eq!(of("csv"), None);
    }

    #[test]
    fn contents_speak_for_formats() {
        assert_eq!(Format::from_contents(b"\x93NUMPY\x01"), Some(Format::Npy));
        assert_eq!(Format::from_contents(b"PK\x03\x04"), Some(Format::Npz));
        assert_eq!(Format::from_contents(b"PAR1...."), Some(Format::Parquet));
        assert_eq!(Format::from_contents(&[0, 0, 8, 3, 0, 0]), Some(Format::Idx));
        assert_eq!(Format::from_contents(b"# made by us\n+1 3:0.5 9:1 # row\n"), Some(Format::Svmlight));
        assert_eq!(Format::from_contents(b"a,b\n1,2\n"), Some(Format::Csv));
        assert_eq!(Format::from_contents(b"1 2 3\n"), Some(Format::Csv));
        assert_eq!(Format::from_contents(b"a\0b"), None);
        assert_eq!(Format::from_contents(b""), None);
        assert_eq!(Format::from_contents(b"caf\xe9,1\n"), Some(Format::Csv));
        assert_eq!(Format::from_contents(b"{\"a\": 1}\n"), None);
    }
}
