//! How much of what was shown is kept, which decides whether removal can be exact.

/// What a structure remembers of the examples shown to it.
///
/// An example found redundant may be needed again once the example that covered it goes. Exact
/// [`remove`](crate::NeighborSearch::remove) and [`relabel`](crate::NeighborSearch::relabel) therefore need all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum History {
    /// Every example shown is kept, in order, with the node that answered it. Edits are exact.
    #[default]
    Full,
    /// Only the stored examples are kept: memory grows with the boundary, not with the data. Edits of stored examples
    /// are refused unless asked for as lossy ones.
    NodesOnly,
}

impl History {
    pub(crate) fn unknown_id_remedy(self) -> &'static str {
        match self {
            Self::Full => "check the id",
            Self::NodesOnly => "check the id; examples found redundant are not remembered unless history is full",
        }
    }
}

impl std::fmt::Display for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::NodesOnly => "nodes only",
        })
    }
}
