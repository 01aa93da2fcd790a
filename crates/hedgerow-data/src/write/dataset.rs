//! A whole data set as a table, in columns that read back as the same data set.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use hedgerow_core::{Label, PointsRef};

use super::{ColumnData, Frame, TableWriter, WriteError, WriteFault, WriteFormat};
use crate::dataset::Dataset;
use crate::encoding::{FeatureColumn, LabelMeaning, MATRIX_COLUMN, Schema};
use crate::options::{Column, ConstantLabel, Header, LabelKind, ReadOptions, RoleColumn};
use crate::progress::{Act, Listener, Progress};
use crate::row_ids::RowIds;
use crate::splits::Split;

/// Bytes of points that are written between two reports of progress.
const BLOCK_BYTES: usize = 4 << 20;

/// What the columns of a written data set are, to read it back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenColumns {
    /// The ids of the rows. Not in NPY.
    pub id: Option<String>,
    /// The labels, if there are any. Not in NPY.
    pub label: Option<String>,
    /// The splits, if there are rows that are not for training. Not in NPY.
    pub split: Option<String>,
    /// Whether labels are classes or values.
    pub labels: Option<LabelMeaning>,
    /// Features and classes, if the columns are those that the data set was read from.
    pub schema: Option<Schema>,
}

impl WrittenColumns {
    /// The options that read the data set back: the same points, labels, class numbers, splits and ids. Without a schema,
    /// where features became other columns than they came from, classes are numbered anew.
    ///
    /// What a format cannot hold is lost: in all of them that ids were numbers; in all but NPY the shape of pictures; in CSV
    /// bytes, which come back as `f32`, blanks around texts, and texts that stand for a missing value.
    pub fn read_options(&self) -> ReadOptions {
        let column =
            |name: &Option<String>| name.clone().map_or(RoleColumn::None, |name| RoleColumn::At(Column::Name(name)));
        ReadOptions {
            id_column: column(&self.id),
            split_column: column(&self.split),
            label: column(&self.label),
            constant_label: ConstantLabel::Allow,
            label_kind: match self.labels {
                Some(LabelMeaning::Values) => LabelKind::Values,
                Some(LabelMeaning::Classes) => LabelKind::Classes,
                None => LabelKind::Detect,
            },
            header: Header::Present,
            schema: self.schema.clone(),
            ..ReadOptions::default()
        }
    }
}

/// Writes a data set to a file, in the format given or else the one that the file's name asks for.
///
/// The columns are the row ids, the features, the label and the split. Features that came from a column of texts become
/// that column again, unless the points were changed since. A plain matrix becomes numbered columns in CSV and one vector
/// column `point` in JSON Lines and Parquet. Rows without a label among others with one have an empty text there. NPY
/// holds the points only: neither ids nor labels nor splits, but the shape of pictures, as dimensions of the array: rows,
/// height, width and, if there are several, channels. The other formats have no place for it.
///
/// # Errors
/// [`WriteError`]; the file is then as it was before.
///
/// # Example
/// ```
/// use hedgerow_core::{Label, Points};
/// use hedgerow_data::{Dataset, progress::silent, write::write_dataset};
///
/// let points = Points::from_f32(2, vec![0.0, 0.5, 1.0, 1.5])?;
/// let pair = Dataset::new("pair", points, vec![Label::class(0), Label::class(1)])?
///     .with_class_names(vec!["no".to_owned(), "yes".to_owned()])?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pair.csv");
/// let columns = write_dataset(&path, &pair, None, &mut silent())?;
/// assert_eq!(columns.label.as_deref(), Some("label"));
/// assert_eq!(std::fs::read_to_string(&path)?, "id,0,1,label\n0,0,0.5,no\n1,1,1.5,yes\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_dataset(
    path: impl AsRef<Path>,
    dataset: &Dataset,
    format: Option<WriteFormat>,
    listener: &mut Listener<'_>,
) -> Result<WrittenColumns, WriteError> {
    let path = path.as_ref();
    let unknown = || WriteError::new(&path.display().to_string(), WriteFault::UnknownFormat);
    let format = format.or_else(|| WriteFormat::from_path(path)).ok_or_else(unknown)?;
    write_dataset_to(TableWriter::create(path, format)?, dataset, listener)
}

/// Writes a data set to a writer that nothing was written to yet, and finishes it.
///
/// # Errors
/// As [`write_dataset`].
pub fn write_dataset_to(
    mut writer: TableWriter,
    dataset: &Dataset,
    listener: &mut Listener<'_>,
) -> Result<WrittenColumns, WriteError> {
    let name = writer.name.clone();
    let failed = |fault: WriteFault| WriteError::new(&name, fault);
    let plan = Plan::new(dataset, writer.format);
    writer.image_shape = dataset.image_shape();
    let total_bytes = dataset.size_bytes() as u64;
    let block_rows = (BLOCK_BYTES / (4 * dataset.width()).max(1)).max(1);
    let mut begin = 0;
    loop {
        let end = dataset.len().min(begin + block_rows);
        let frame = Frame::new(plan.columns(begin..end)).map_err(|error| failed(error.into()))?;
        writer.write(&frame)?;
        let done_bytes = (total_bytes as u128 * end as u128 / (dataset.len() as u128).max(1)) as u64;
        let progress = Progress { act: Act::Writing, what: &name, done_bytes, total_bytes: Some(total_bytes) };
        if listener(&progress) == ControlFlow::Break(()) {
            return Err(failed(WriteFault::Stopped));
        }
        if end == dataset.len() {
            break;
        }
        begin = end;
    }
    writer.finish()?;
    Ok(plan.names)
}

/// Which columns a data set becomes.
struct Plan<'a> {
    dataset: &'a Dataset,
    features: Vec<(String, Feature<'a>)>,
    /// Whether each label is a value, so that the labels are a column of numbers. Found once: rows come in many blocks.
    all_values: bool,
    names: WrittenColumns,
}

/// What features become a column of.
enum Feature<'a> {
    Number { at: usize },
    Vector { features: Range<usize> },
    Texts { begin: usize, texts: &'a [String] },
}

impl<'a> Plan<'a> {
    fn new(dataset: &'a Dataset, format: WriteFormat) -> Self {
        if format == WriteFormat::Npy {
            let features = vec![(String::new(), Feature::Vector { features: 0..dataset.width() })];
            return Self { dataset, features, all_values: false, names: WrittenColumns::default() };
        }
        let features = features(dataset, format);
        // A vector column has both names, its own and those of its fields, whichever the format needs.
        let mut taken: HashSet<String> = features.iter().map(|(name, _)| name.clone()).collect();
        taken.extend(dataset.feature_names());
        let mut free_name = |wanted: &str| {
            let numbered = (2..).map(|number: u64| format!("{wanted}_{number}"));
            let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
            let name = candidates.find(|name| !taken.contains(name)).expect("there is no end of names");
            taken.insert(name.clone());
            name
        };
        let labels = dataset.label_meaning();
        let schema = dataset.schema();
        let label_column = match &schema.label_column {
            Some(Column::Name(name)) => name.as_str(),
            _ => "label",
        };
        let has_splits = dataset.rows(Split::Train).len() < dataset.len();
        let label = labels.map(|_| free_name(label_column));
        let is_text = matches!(format, WriteFormat::Csv | WriteFormat::Tsv);
        let same = |((_, feature), column): (&(String, Feature<'_>), &FeatureColumn)| match (feature, column) {
            (Feature::Number { .. }, FeatureColumn::Number { .. }) => true,
            (Feature::Texts { .. }, FeatureColumn::Category { .. }) => true,
            // In text, a vector becomes a column for each of its features.
            (Feature::Vector { .. }, FeatureColumn::Vector { name, .. }) => !is_text || name.is_empty(),
            _ => false,
        };
        let recorded = schema.encoding.columns();
        let as_read = features.len() == recorded.len() && features.iter().zip(recorded).all(same);
        let names = WrittenColumns {
            id: Some(free_name("id")),
            split: has_splits.then(|| free_name("split")),
            labels,
            schema: as_read.then(|| Schema { label_column: label.clone().map(Column::Name), ..schema }),
            label,
        };
        let all_values = dataset.labels().iter().all(|label| matches!(label, Label::Value(_)));
        Self { dataset, features, all_values, names }
    }

    fn columns(&self, rows: Range<usize>) -> Vec<(String, ColumnData)> {
        let mut columns = Vec::with_capacity(self.features.len() + 3);
        if let Some(name) = &self.names.id {
            columns.push((name.clone(), ids(self.dataset.row_ids(), rows.clone())));
        }
        let points = self.dataset.points().slice(rows.clone());
        columns.extend(self.features.iter().map(|(name, feature)| (name.clone(), feature.column(points))));
        if let Some(name) = &self.names.label {
            columns.push((name.clone(), self.labels(rows.clone())));
        }
        if let Some(name) = &self.names.split {
            let of_row = |row: usize| {
                let split = Split::ALL.into_iter().find(|&split| self.dataset.rows(split).contains(&row));
                split.expect("the splits hold all rows").to_string()
            };
            columns.push((name.clone(), ColumnData::Text(rows.map(of_row).collect())));
        }
        columns
    }

    fn labels(&self, rows: Range<usize>) -> ColumnData {
        let labels = &self.dataset.labels()[rows];
        if self.all_values {
            return ColumnData::Number(labels.iter().filter_map(|label| label.as_value()).collect());
        }
        ColumnData::Text(labels.iter().map(|&label| self.dataset.label_text(label)).collect())
    }
}

fn features(dataset: &Dataset, format: WriteFormat) -> Vec<(String, Feature<'_>)> {
    let mut features = Vec::new();
    let mut begin = 0;
    for column in dataset.encoding().columns() {
        let end = begin + column.width();
        match column {
            FeatureColumn::Number { name } => features.push((name.clone(), Feature::Number { at: begin })),
            FeatureColumn::Vector { name, .. } => {
                let text = matches!(format, WriteFormat::Csv | WriteFormat::Tsv);
                let name = if name.is_empty() && !text { MATRIX_COLUMN } else { name };
                features.push((name.to_owned(), Feature::Vector { features: begin..end }));
            }
            FeatureColumn::Category { texts, .. } if texts.is_empty() => {}
            FeatureColumn::Category { name, texts } if marks_one(dataset.points(), begin..end) => {
                features.push((name.clone(), Feature::Texts { begin, texts }));
            }
            FeatureColumn::Category { name, texts } => {
                let number =
                    |(at, text): (usize, &String)| (format!("{name}={text}"), Feature::Number { at: begin + at });
                features.extend(texts.iter().enumerate().map(number));
            }
        }
        begin = end;
    }
    features
}

/// Whether in each row exactly one of the features is 1 and the others are 0.
fn marks_one(points: PointsRef<'_>, features: Range<usize>) -> bool {
    let Some(values) = points.as_f32() else { return false };
    values.chunks_exact(points.width()).all(|row| {
        let marks = &row[features.clone()];
        marks.iter().all(|&mark| mark == 0.0 || mark == 1.0) && marks.iter().filter(|&&mark| mark == 1.0).count() == 1
    })
}

impl Feature<'_> {
    fn column(&self, points: PointsRef<'_>) -> ColumnData {
        let width = points.width();
        match (self, points.as_f32(), points.as_u8()) {
            (Self::Number { at }, Some(values), _) => {
                ColumnData::Number(values.iter().skip(*at).step_by(width).copied().collect())
            }
            (Self::Number { at }, None, bytes) => {
                let bytes = bytes.unwrap_or_default();
                ColumnData::Integer(bytes.iter().skip(*at).step_by(width).map(|&byte| i64::from(byte)).collect())
            }
            (Self::Vector { features }, Some(values), _) => {
                ColumnData::Vector { width: features.len(), values: part_of_rows(values, width, features) }
            }
            (Self::Vector { features }, None, bytes) => {
                let values = part_of_rows(bytes.unwrap_or_default(), width, features);
                ColumnData::VectorU8 { width: features.len(), values }
            }
            (Self::Texts { begin, texts }, values, _) => {
                let text = |row: &[f32]| {
                    let marked = row[*begin..begin + texts.len()].iter().position(|&mark| mark == 1.0);
                    marked.map_or_else(String::new, |at| texts[at].clone())
                };
                ColumnData::Text(values.unwrap_or_default().chunks_exact(width).map(text).collect())
            }
        }
    }
}

fn part_of_rows<T: Copy>(values: &[T], width: usize, features: &Range<usize>) -> Vec<T> {
    if features.len() == width {
        return values.to_vec();
    }
    values.chunks_exact(width).flat_map(|row| row[features.clone()].iter().copied()).collect()
}

fn ids(ids: &RowIds, rows: Range<usize>) -> ColumnData {
    match ids {
        RowIds::Names(names) => ColumnData::Text(names[rows].to_vec()),
        // A number past i64 would be that of a row past the end of any file.
        RowIds::Numbers(numbers) => {
            ColumnData::Integer(numbers[rows].iter().map(|&number| i64::try_from(number).unwrap_or(i64::MAX)).collect())
        }
    }
}
