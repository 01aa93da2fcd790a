//! The values of one column of a decoded batch, whatever their type.

use std::ops::Range;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, BooleanArray, ListArray, PrimitiveArray, StringViewArray};
use arrow_schema::DataType;

/// A type that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number(Number),
    Text,
    List(Number),
}

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    U8,
    Other,
}

impl Kind {
    /// What a column of this type is read as, if it is read.
    ///
    /// Types are those of Parquet itself: what another program noted about its own types (dictionaries, lists of fixed or
    /// of 64-bit length) is not asked for, so texts are `Utf8` and lists are `List`.
    pub(super) fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Utf8 => Some(Self::Text),
            DataType::List(values) => number(values.data_type()).map(Self::List),
            other => number(other).map(Self::Number),
        }
    }
}

fn number(data_type: &DataType) -> Option<Number> {
    match data_type {
        DataType::UInt8 => Some(Number::U8),
        DataType::Boolean => Some(Number::Other),
        other => (other.is_integer() || other.is_floating()).then_some(Number::Other),
    }
}

/// A column of a batch.
pub(super) enum Column<'a> {
    Numbers(Numbers<'a>),
    Texts(&'a StringViewArray),
    Lists { lists: &'a ListArray, values: Numbers<'a> },
}

/// Numbers of one type.
#[derive(Clone, Copy)]
pub(super) enum Numbers<'a> {
    Bool(&'a BooleanArray),
    I8(&'a PrimitiveArray<Int8Type>),
    I16(&'a PrimitiveArray<Int16Type>),
    I32(&'a PrimitiveArray<Int32Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    U8(&'a PrimitiveArray<UInt8Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U64(&'a PrimitiveArray<UInt64Type>),
    F16(&'a PrimitiveArray<Float16Type>),
    F32(&'a PrimitiveArray<Float32Type>),
    F64(&'a PrimitiveArray<Float64Type>),
}

/// A label as a number where f64 holds it, else as it is written.
pub(super) enum Exact {
    Number(f64),
    Text(String),
}

/// Runs an expression for the type of array that the numbers are in: truth values, whole numbers, f32 and f64, or f16.
macro_rules! for_type {
    ($numbers:expr, $bool:ident => $on_bool:expr, $int:ident => $on_ints:expr, $float:ident => $on_floats:expr,
     $half:ident => $on_half:expr) => {
        match $numbers {
            Numbers::Bool($bool) => $on_bool,
            Numbers::I8($int) => $on_ints,
            Numbers::I16($int) => $on_ints,
            Numbers::I32($int) => $on_ints,
            Numbers::I64($int) => $on_ints,
            Numbers::U8($int) => $on_ints,
            Numbers::U16($int) => $on_ints,
            Numbers::U32($int) => $on_ints,
            Numbers::U64($int) => $on_ints,
            Numbers::F16($half) => $on_half,
            Numbers::F32($float) => $on_floats,
            Numbers::F64($float) => $on_floats,
        }
    };
}

impl<'a> Column<'a> {
    /// The column as what it is; `None` if the decoder gave another type than it promised.
    pub(super) fn of(array: &'a ArrayRef) -> Option<Self> {
        let any = array.as_any();
        if let Some(texts) = any.downcast_ref() {
            return Some(Self::Texts(texts));
        }
        if let Some(lists) = any.downcast_ref::<ListArray>() {
            return Numbers::of(lists.values()).map(|values| Self::Lists { lists, values });
        }
        Numbers::of(array).map(Self::Numbers)
    }

    /// What stands in place of a missing value, if the row lacks one.
    pub(super) fn missing(&self, row: usize) -> Option<&'static str> {
        match self {
            Self::Numbers(numbers) => numbers.missing(row..row + 1),
            Self::Texts(texts) => texts.is_null(row).then_some("null"),
            Self::Lists { lists, .. } if lists.is_null(row) => Some("null"),
            Self::Lists { lists, values } => values.missing(list_range(lists, row)),
        }
    }

    /// Whether no row can lack a value.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Self::Numbers(numbers) => numbers.is_complete(),
            Self::Texts(texts) => texts.null_count() == 0,
            Self::Lists { lists, values } => lists.null_count() == 0 && values.is_complete(),
        }
    }
}

/// Where the values of a list are.
pub(super) fn list_range(lists: &ListArray, row: usize) -> Range<usize> {
    let offsets = lists.value_offsets();
    // The decoder checked that offsets are not negative and do not fall.
    offsets[row] as usize..offsets[row + 1] as usize
}

impl<'a> Numbers<'a> {
    fn of(array: &'a ArrayRef) -> Option<Self> {
        fn primitive<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<&PrimitiveArray<T>> {
            array.as_any().downcast_ref()
        }
        match array.data_type() {
            DataType::Boolean => array.as_any().downcast_ref().map(Self::Bool),
            DataType::Int8 => primitive(array).map(Self::I8),
            DataType::Int16 => primitive(array).map(Self::I16),
            DataType::Int32 => primitive(array).map(Self::I32),
            DataType::Int64 => primitive(array).map(Self::I64),
            DataType::UInt8 => primitive(array).map(Self::U8),
            DataType::UInt16 => primitive(array).map(Self::U16),
            DataType::UInt32 => primitive(array).map(Self::U32),
            DataType::UInt64 => primitive(array).map(Self::U64),
            DataType::Float16 => primitive(array).map(Self::F16),
            DataType::Float32 => primitive(array).map(Self::F32),
            DataType::Float64 => primitive(array).map(Self::F64),
            _ => None,
        }
    }

    fn null_count(self) -> usize {
        for_type!(self, array => array.null_count(), array => array.null_count(), array => array.null_count(),
            array => array.null_count())
    }

    fn is_null(self, at: usize) -> bool {
        for_type!(self, array => array.is_null(at), array => array.is_null(at), array => array.is_null(at),
            array => array.is_null(at))
    }

    fn is_complete(self) -> bool {
        self.null_count() == 0
            && for_type!(self, _bools => true, _ints => true,
                floats => floats.values().iter().all(|value| !value.is_nan()),
                halves => halves.values().iter().all(|value| !value.is_nan()))
    }

    fn missing(self, mut range: Range<usize>) -> Option<&'static str> {
        if self.null_count() > 0 && range.clone().any(|at| self.is_null(at)) {
            return Some("null");
        }
        let nan = for_type!(self, _bools => false, _ints => false,
            floats => range.any(|at| floats.value(at).is_nan()),
            halves => range.any(|at| halves.value(at).is_nan()));
        nan.then_some("NaN")
    }

    /// Writes a range of values to `into`, which is as long. What f32 cannot hold becomes infinite and is refused later.
    #[allow(clippy::unnecessary_cast, reason = "one expression serves f32 and f64")]
    pub(super) fn write_f32(self, range: Range<usize>, into: &mut [f32]) {
        let start = range.start;
        for_type!(self,
            bools => into.iter_mut().enumerate().for_each(|(at, into)| *into = f32::from(u8::from(bools.value(start + at)))),
            ints => into.iter_mut().zip(&ints.values()[range]).for_each(|(into, &value)| *into = value as f32),
            floats => into.iter_mut().zip(&floats.values()[range]).for_each(|(into, &value)| *into = value as f32),
            halves => into.iter_mut().zip(&halves.values()[range]).for_each(|(into, &value)| *into = value.to_f32()));
    }

    /// The bytes themselves, if these are bytes.
    pub(super) fn as_u8(self) -> Option<&'a [u8]> {
        match self {
            Self::U8(array) => Some(array.values()),
            _ => None,
        }
    }

    /// A value as it would be written: 7 and 7.0 as `7`, -0.0 as `0`, 0.5 as `0.5`, a truth value as `true` or `false`.
    pub(super) fn text(self, at: usize) -> String {
        for_type!(self, bools => bools.value(at).to_string(), ints => ints.value(at).to_string(),
            floats => (floats.value(at) + 0.0).to_string(), halves => (halves.value(at).to_f32() + 0.0).to_string())
    }

    /// A value without loss.
    #[allow(clippy::unnecessary_cast, reason = "one expression serves f32 and f64")]
    pub(super) fn exact(self, at: usize) -> Exact {
        const EXACT: u64 = 1 << 53; // the whole numbers up to here are exact in f64
        match self {
            Self::I64(array) if array.value(at).unsigned_abs() > EXACT => Exact::Text(array.value(at).to_string()),
            Self::U64(array) if array.value(at) > EXACT => Exact::Text(array.value(at).to_string()),
            // A class of its own, as in text, and not the number 1.
            Self::Bool(_) => Exact::Text(self.text(at)),
            // Through its text: 0.1 as f32 is 0.1 to people, not 0.10000000149011612.
            Self::F32(_) | Self::F16(_) => {
                let text = self.text(at);
                text.parse().map_or(Exact::Text(text), Exact::Number)
            }
            _ => Exact::Number(for_type!(self, bools => f64::from(u8::from(bools.value(at))),
                ints => ints.value(at) as f64, floats => floats.value(at) as f64,
                halves => f64::from(halves.value(at).to_f32()))),
        }
    }
}
