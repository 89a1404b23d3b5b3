//! Why a function does not run with given extents.

use super::CELLS_MAX;
use thiserror::Error;

/// Why a function does not run with given extents.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtentsError {
    /// Its extents are constants.
    #[error(
        "function '{0}' was compiled for one size; compile it with --sizes=run-time to give its \
         extents"
    )]
    Fixed(String),
    /// Too few or too many.
    #[error("function '{function}' has a domain of {rank} dimensions, {given} extents are given")]
    Rank {
        /// Its name.
        function: String,
        /// Dimensions of the domain.
        rank: usize,
        /// Extents.
        given: usize,
    },
    /// An extent is too small.
    #[error(
        "extent {given} of dimension {dimension} is too small: function '{function}' needs at \
         least {least} for its margins"
    )]
    Small {
        /// Its name.
        function: String,
        /// The dimension.
        dimension: usize,
        /// The extent.
        given: i64,
        /// The least one.
        least: i64,
    },
    /// Rows are not aligned.
    #[error(
        "extent {given} of dimension {dimension} does not differ from {reference} by a multiple of \
         {multiple}, as function '{function}' needs for aligned rows: run the one that it is a \
         variant of"
    )]
    Unaligned {
        /// Its name.
        function: String,
        /// The dimension.
        dimension: usize,
        /// The extent.
        given: u64,
        /// The number.
        multiple: u64,
        /// The extent of the reference.
        reference: u64,
    },
    /// A buffer is too large.
    #[error(
        "{what} would have {cells} cells; kernels for run-time extents address at most \
         {CELLS_MAX}: compile the program for this size"
    )]
    Cells {
        /// The buffer.
        what: String,
        /// Its cells.
        cells: u64,
    },
    /// A grid is too large.
    #[error(
        "kernel '{kernel}' would have {blocks} blocks along {axis}, a launch has at most {most}: \
         compile the program with more threads or points along that dimension"
    )]
    Grid {
        /// Its name.
        kernel: String,
        /// `x`, `y` or `z`.
        axis: char,
        /// The blocks.
        blocks: u64,
        /// The limit.
        most: u64,
    },
    /// Two fields disagree.
    #[error("{one} gives {first}, {two} gives it {second}")]
    Contradiction {
        /// A field.
        one: String,
        /// What it says of what.
        first: String,
        /// Another one.
        two: String,
        /// What it says.
        second: i64,
    },
    /// A field with too few cells.
    #[error("{field} has {cells} cells along dimension {dimension}, its margins need more")]
    Margins {
        /// The field.
        field: String,
        /// The dimension of the field.
        dimension: usize,
        /// Its extent.
        cells: u64,
    },
    /// The fields that are given leave a dimension open.
    #[error("no field that is given has {0}; give it by an option")]
    Open(String),
    /// A size is too small.
    #[error(
        "size '{size}' = {given} is too small: function '{function}' needs at least {least} for \
         its margins"
    )]
    SmallSize {
        /// The function.
        function: String,
        /// The size.
        size: String,
        /// Its value.
        given: i64,
        /// The least one.
        least: i64,
    },
    /// A size has two values.
    #[error(
        "size '{size}' is {} by dimension {} of the domain and {} by dimension {}: the program has \
         one size for both",
        .values[0], .dimensions[0], .values[1], .dimensions[1]
    )]
    TwoValues {
        /// The size.
        size: String,
        /// The dimensions.
        dimensions: [usize; 2],
        /// Its values.
        values: [i64; 2],
    },
    /// Another extent for what is a number in the program.
    #[error(
        "dimension {dimension} of the domain of function '{function}' has {reference} points, \
         {given} are given: the program has a number there; change it in the program, or with -D \
         when it is compiled"
    )]
    Kept {
        /// The function.
        function: String,
        /// The dimension.
        dimension: usize,
        /// Its extent.
        given: u64,
        /// The program's.
        reference: u64,
    },
    /// Sizes have no names.
    #[error("function '{0}' leaves no size open by name; give the extents of its domain")]
    NoSizes(String),
    /// A name that is no size's.
    #[error("function '{function}' has no open size '{size}'; it has {known}")]
    NoSuchSize {
        /// The function.
        function: String,
        /// The name.
        size: String,
        /// Those that are.
        known: String,
    },
    /// A size that is given twice.
    #[error("size '{0}' is given twice; give it once")]
    SizeTwice(String),
    /// Too few or too many sizes.
    #[error("function '{function}' has the open sizes {sizes}; {given} values are given")]
    SizeCount {
        /// The function.
        function: String,
        /// Its sizes.
        sizes: String,
        /// The values.
        given: usize,
    },
    /// A size without a value.
    #[error(
        "size '{size}' of function '{function}' is not given; give it too, or none where fields \
         are given that have it"
    )]
    MissingSize {
        /// The function.
        function: String,
        /// The size.
        size: String,
    },
}
