//! Options for generated programs.

use std::collections::BTreeSet;

/// Declares the constructs with their names.
macro_rules! constructs {
    ($($(#[$doc:meta])* $member:ident = $text:literal),+ $(,)?) => {
        /// A construct that can be disabled.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Construct { $($(#[$doc])* $member),+ }

        impl Construct {
            /// Every construct.
            pub const ALL: &'static [Construct] = &[$(Construct::$member),+];

            /// The name of the construct, for command lines.
            pub fn name(self) -> &'static str {
                match self { $(Construct::$member => $text),+ }
            }
        }
    };
}

constructs! {
    /// Loops on the host.
    TimeLoops = "time-loops",
    /// A loop on the host inside another.
    NestedLoops = "nested-loops",
    /// Loop bounds that are arguments.
    LoopArguments = "loop-arguments",
    /// `stencil.combine`.
    Combine = "combine",
    /// `lowerext` and `upperext`.
    CombineExtensions = "combine-extensions",
    /// `stencil.dyn_access`.
    DynamicAccess = "dynamic-access",
    /// A field that is stored from values read from itself.
    InPlace = "in-place",
    /// `stencil.store_result` without a value.
    SkippedStores = "skipped-stores",
    /// An apply that writes fields.
    BufferForm = "buffer-form",
    /// An apply that yields temps but reads fields.
    FieldOperands = "field-operands",
    /// Calls of stencil functions.
    StencilCalls = "stencil-calls",
    /// Calls of scalar functions from a point.
    ScalarCalls = "scalar-calls",
    /// Unrolled returns.
    Unroll = "unroll",
    /// `stencil.alloc`.
    Alloc = "alloc",
    /// `stencil.buffer`.
    Buffer = "buffer",
    /// `stencil.cast`.
    Cast = "cast",
    /// Operands of lower rank than the apply, and applies of lower rank.
    LowRank = "low-rank",
    /// `fastmath` flags.
    FastMath = "fast-math",
    /// Fields of `f16` and `bf16`, and such numbers between.
    NarrowFloats = "narrow-floats",
    /// Fields of `i32` and `i64`.
    IntegerFields = "integer-fields",
    /// Several element types in one program.
    MixedTypes = "mixed-types",
    /// Temps without bounds.
    UnknownBounds = "unknown-bounds",
    /// Temps that are read after their field was stored to, and old names of rotated fields.
    StaleValues = "stale-values",
    /// Scalar operations outside applies.
    HostScalars = "host-scalars",
    /// `scf.if` in a point.
    Branches = "branches",
    /// `scf.for` in a point.
    Reductions = "reductions",
    /// Loads that nothing uses.
    IdleLoads = "idle-loads",
    /// Two stores to one cell without a read between.
    OverlappingStores = "overlapping-stores",
    /// Conversions of clamped floating-point numbers to integers.
    FloatToInteger = "float-to-integer",
    /// A `to` clause on an apply that yields temps.
    BoundsClause = "bounds-clause",
}

/// Limits of a generated program.
#[derive(Debug, Clone)]
pub struct Options {
    /// Approximate number of cells of the domain; some programs have four times as many.
    pub max_cells: u64,
    /// Operations that a run executes.
    pub max_work: u64,
    /// Constructs that must not occur.
    pub disabled: BTreeSet<Construct>,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_cells: 400, max_work: 200_000, disabled: BTreeSet::new() }
    }
}

impl Options {
    /// May the construct occur?
    pub fn allows(&self, construct: Construct) -> bool {
        !self.disabled.contains(&construct)
    }

    /// The same options without a construct.
    #[must_use]
    pub fn without(mut self, construct: Construct) -> Self {
        self.disabled.insert(construct);
        self
    }
}
