//! Data sets by name, got first if they are not on this machine.

use hedgerow_data::fetch::{GetOptions, Store, get};
use hedgerow_data::progress::Progress;
use hedgerow_data::{DataName, Dataset, LoadError, ReadOptions, load_with};
use hedgerow_learn::PictureShape;

use crate::error::ExperimentError;
use crate::event::{Event, Listener};

/// Reads a data set, getting it first if it is not there.
///
/// # Errors
/// A name that nothing has, data that cannot be got or read; [`ExperimentError`] says which.
pub fn load(name: &str, listener: &mut Listener<'_>) -> Result<Dataset, ExperimentError> {
    let options = ReadOptions::default();
    let loaded = load_with(name, &options, &mut |progress: &Progress<'_>| listener(&Event::Data(progress)));
    match (loaded, DataName::parse(name)?) {
        (Err(LoadError::Fetch(_)), DataName::Registered(set)) => {
            // What is wrong with a listener that says stop is found out by the work that follows.
            let _ = listener(&Event::Fetching { data: name });
            let mut hear = |progress: &Progress<'_>| listener(&Event::Data(progress));
            get(&Store::from_environment()?, set, &GetOptions::default(), &mut hear)?;
            Ok(load_with(name, &options, &mut hear)?)
        }
        (loaded, _) => Ok(loaded?),
    }
}

/// The shape of the pictures, if the data is of pictures.
pub(crate) fn picture_of(data: &Dataset) -> Option<PictureShape> {
    data.image_shape().map(|shape| PictureShape { height: shape.height, width: shape.width, channels: shape.channels })
}
