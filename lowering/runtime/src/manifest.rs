//! The manifest: the kernels of a package, and the host program as data.
//!
//! It describes everything a launcher does, so that a launcher in any language needs only a JSON
//! reader, a zip reader and the CUDA driver. The host program is a list of statements in SSA form:
//! values are numbered, arguments first (argument `i` has id `i`), every id is defined once and
//! used only after its definition, in its loop or a nested one.
//!
//! The format has a version number. A reader refuses unknown numbers and unknown fields: a launcher
//! that ignores part of a program computes something else. This crate writes [`FORMAT`] where
//! kernels are known to copy, [`FORMAT_WINDOWS`] where they take numbers of a device's window, or
//! the rows of windows are padded, [`FORMAT_ROWS`] where other rows are, [`FORMAT_DEVICES`] where
//! several devices share a domain, [`FORMAT_SIZES`] where a program leaves sizes open,
//! [`FORMAT_VARIANTS`] where a function has variants for some extents, [`FORMAT_EXTENTS`] where
//! extents are given at run time and [`FORMAT_FIXED`] elsewhere, and also reads [`FORMAT_OLDEST`],
//! whose functions have no `time_steps`, 4, whose functions have no `step_limits`, and
//! [`FORMAT_WHOLE_HALOS`], in which devices give each other all planes.

mod decomposition;
mod extents;
mod extents_error;
mod loops;
mod sizes;
mod spans;
mod time_steps;
mod validate;

pub use decomposition::{
    Cut, Decomposition, Exchange, PlaneParameters, Seam, Window, WindowNumber, WindowValue,
};
pub use extents::{CELLS_MAX, Extents, KernelExtents};
pub use extents_error::ExtentsError;
pub use sizes::Size;
pub use spans::Span;
pub use validate::ManifestError;

use crate::{
    rows::Rows,
    scalar::{ScalarOp, ScalarType, ScalarValue},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// The version of the format that this crate writes where a kernel is known to copy.
pub const FORMAT: u32 = 13;

/// The version that it writes where devices that share a domain have numbers of their own that
/// kernels take, or rows of fields that are padded; nothing else differs.
pub const FORMAT_WINDOWS: u32 = 12;

/// The version that it writes where rows of a field are padded; nothing else differs.
pub const FORMAT_ROWS: u32 = 11;

/// The version that it writes where several devices share a domain; nothing else differs.
pub const FORMAT_DEVICES: u32 = 10;

/// The version that it writes where a program leaves sizes open; nothing else differs.
pub const FORMAT_SIZES: u32 = 9;

/// The version that it writes where a function has variants for some extents; nothing else differs.
pub const FORMAT_VARIANTS: u32 = 8;

/// The version in which devices that share a domain give each other every plane that is written,
/// and a run of some steps does not know whether another one goes on from it.
pub const FORMAT_WHOLE_HALOS: u32 = 7;

/// The version that it writes where a function has run-time extents; nothing else differs.
pub const FORMAT_EXTENTS: u32 = 6;

/// The version that it writes otherwise; nothing else differs.
pub const FORMAT_FIXED: u32 = 5;

/// The oldest version that this crate reads.
pub const FORMAT_OLDEST: u32 = 3;

/// What a package holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The form of this manifest, [`FORMAT_OLDEST`] to [`FORMAT`].
    pub format: u32,
    /// The program that wrote it.
    pub producer: Producer,
    /// The GPU architecture that the kernels were compiled for: `sm_90a`.
    pub target: String,
    /// The PTX version of the kernels: `8.7`. A driver must know it.
    pub ptx_version: String,
    /// The host programs, in the order of the source.
    pub functions: Vec<Function>,
    /// The kernels, in the order in which the PTX holds them.
    pub kernels: Vec<Kernel>,
    /// SHA-256 of each other member of the package, by member name. Set when a package is written.
    #[serde(default)]
    pub digests: BTreeMap<String, String>,
}

/// The producer of a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Producer {
    /// The program's name.
    pub program: String,
    /// Its version.
    pub version: String,
    /// The version of LLVM that it used.
    pub llvm: String,
}

/// One host program: what a call of the source's function does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The function's name in the source; a variant's is longer by its size.
    pub name: String,
    /// The base function of a variant, which takes the same arguments with other extents. By
    /// default a launcher chooses the variant by the given fields.
    pub variant_of: Option<String>,
    /// Its arguments; argument `i` is value `i`.
    pub arguments: Vec<Argument>,
    /// Its statements, in order.
    pub body: Vec<Statement>,
    /// The number of time steps, if several loops share them; else the only loop at the top level
    /// of the body is the time loop. The body alone determines what a run does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_steps: Option<TimeSteps>,
    /// The time steps for which tables can be read. A launcher refuses others: a kernel would read
    /// other memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step_limits: Vec<StepLimit>,
    /// The extents of its domain, if they are given at run time: all numbers of the function and
    /// of its kernels are then for the reference, and [`Manifest::at`] gives those for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extents: Option<Extents>,
    /// How several devices share its domain, if they do: all numbers of the function and of its
    /// kernels are then those of one device's window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decomposition: Option<Decomposition>,
}

/// The time steps for which a table can be read, as values of the source's induction variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLimit {
    /// The position of the field argument that is the table; none if it is something else.
    pub argument: Option<u32>,
    /// The least value.
    pub first: i64,
    /// The greatest value, inclusive; less than `first` if no step can be made.
    pub last: i64,
}

/// The number of time steps of a function whose loops share them: the first loop makes several
/// steps at once, the next ones the remainder. All loops at the top level of the body are such
/// loops, and follow the definition of the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSteps {
    /// The number of iterations of the source's time loop, defined at the top level of the body.
    pub value: Id,
    /// Time steps of such an iteration, in the source's counting.
    pub step: u64,
    /// Rotation period: iterations after which every carried field is in its place again.
    pub rotation: u64,
}

/// One argument of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its name in the source, where it has one.
    pub name: Option<String>,
    /// Its kind.
    pub kind: ArgumentKind,
}

/// The kind of an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ArgumentKind {
    /// An array on a grid.
    Field(FieldShape),
    /// A number.
    Scalar {
        /// Its type.
        scalar: ScalarType,
        /// The Devito symbol that it is bound to (`devito.load_symbolic`).
        symbol: Option<String>,
    },
}

/// Extents and element type of a field argument.
///
/// In memory the last dimension is contiguous and dimension 0 the slowest; cell `lower` comes
/// first. Arrays of callers have no padding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldShape {
    /// The lowest coordinate of each dimension; may be negative.
    pub lower: Vec<i64>,
    /// One past the highest coordinate of each dimension.
    pub upper: Vec<i64>,
    /// The type of a cell.
    pub element: ScalarType,
    /// Whether the content after a run is unspecified.
    pub scratch: bool,
    /// Whether the function writes it.
    pub written: bool,
    /// Cells before and after each row of the last dimension in memory that kernels work in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<[u64; 2]>,
}

/// Identifies a value of a function: an argument, or the result of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(pub u32);

/// A statement of a host program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Statement {
    /// `result` is this number.
    Constant {
        /// The value defined.
        result: Id,
        /// The number.
        value: ScalarValue,
    },
    /// `result` is computed from other scalars.
    Scalar {
        /// The value defined.
        result: Id,
        /// The operation.
        op: ScalarOp,
        /// Its operands, in MLIR's order.
        operands: Vec<Id>,
        /// The type of the result.
        ty: ScalarType,
    },
    /// `result` is a temporary buffer on the device. Its content is unspecified at first, also at
    /// the next iteration of a loop around it: a run has one buffer for each such statement.
    Allocate {
        /// The value defined.
        result: Id,
        /// The type of a cell.
        element: ScalarType,
        /// The number of cells.
        elements: u64,
    },
    /// Copies `from` to `to`, a buffer of the same type and size.
    Copy {
        /// The buffer read.
        from: Id,
        /// The buffer written.
        to: Id,
    },
    /// Launches a kernel.
    Launch {
        /// Its name, among the manifest's kernels.
        kernel: String,
        /// A buffer or scalar for each of its parameters.
        arguments: Vec<Id>,
    },
    /// A counted loop, as `scf.for`: `lower`, `lower + step`, ... while below `upper`, compared as
    /// signed integers. A step that is not positive is an error of the run.
    For {
        /// The first value of the induction variable.
        lower: Id,
        /// The exclusive limit.
        upper: Id,
        /// The difference of two values of the induction variable.
        step: Id,
        /// The induction variable, defined in the body; it has the type of the bounds.
        induction: Id,
        /// The iteration arguments; a rotation of buffers is one with `next` in another order than
        /// `argument`.
        carried: Vec<Carried>,
        /// The statements of an iteration.
        body: Vec<Statement>,
    },
}

/// A value that a loop carries, buffer or scalar; all four have one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// The value before the first iteration.
    pub initial: Id,
    /// Its name in the body, defined there.
    pub argument: Id,
    /// The value in the body for the next iteration.
    pub next: Id,
    /// The value after the loop, defined there.
    pub result: Id,
}

/// A kernel: its launch parameters and properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The name of its entry in the PTX.
    pub name: String,
    /// The stage of the source that it computes.
    pub stage: Option<String>,
    /// Where that is in the source: `heat3d.mlir:7:3`.
    pub location: Option<String>,
    /// Blocks of the grid, x first.
    pub grid: [u32; 3],
    /// Threads of a block, x first.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Its plan.
    pub plan: Option<serde_json::Value>,
    /// The assembler's report, if there was one.
    pub resources: Option<Resources>,
    /// Grid points that one launch updates.
    pub points: u64,
    /// Floating-point operations for each point.
    pub flops_per_point: FlopsPerPoint,
    /// Bytes for each point.
    pub bytes_per_point: BytesPerPoint,
    /// Whether it uses an approximate operation.
    pub approximate: bool,
    /// Of a sweep of a function whose domain several devices share: how it is said which planes it
    /// computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<PlaneParameters>,
    /// Of a kernel that copies cells to the same places: the positions of the buffers that it reads
    /// and writes, pair by pair. A launch with one buffer for both of each pair changes nothing,
    /// and is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<[u32; 2]>,
}

/// A kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// The address of a buffer's first cell, 64 bits.
    Pointer,
    /// A number, passed by value.
    Scalar(ScalarType),
}

/// What the assembler reports for a kernel, each for one thread but for the shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Registers.
    pub registers: u32,
    /// Spill stores, in bytes.
    pub spill_store_bytes: u32,
    /// Spill loads, in bytes.
    pub spill_load_bytes: u32,
    /// Shared memory of a block that the kernel declares itself.
    pub static_shared_bytes: u32,
    /// Local memory.
    pub stack_bytes: u32,
}

/// Floating-point operations for each point, an fma counted as two; rounded to whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlopsPerPoint {
    /// In the source.
    pub written: u64,
    /// As executed, including redundant computation.
    pub executed: u64,
}

/// Bytes of global memory for each point; rounded to whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytesPerPoint {
    /// Compulsory bytes: every value read once and written once.
    pub compulsory: u64,
    /// The traffic that the compiler expects, if estimated.
    pub predicted: Option<u64>,
}

impl Manifest {
    /// Reads and validates a manifest.
    pub fn from_json(text: &[u8]) -> Result<Manifest, ManifestError> {
        /// The one field that every form has.
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let broken = |error: serde_json::Error| ManifestError::Syntax(error.to_string());
        let Form { format } = serde_json::from_slice(text).map_err(broken)?;
        if !(FORMAT_OLDEST..=FORMAT).contains(&format) {
            return Err(ManifestError::UnknownFormat(format));
        }
        let manifest: Manifest = serde_json::from_slice(text).map_err(broken)?;
        manifest.validate()?;
        Ok(manifest)
    }

    /// The manifest as text, one field a line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest is plain data with text keys")
    }

    /// Validates the manifest: names resolve, ids are defined before they are used, types agree,
    /// sizes are valid. Later readers check nothing again.
    pub fn validate(&self) -> Result<(), ManifestError> {
        validate::manifest(self)
    }

    /// The function of this name; without a name, the only one.
    pub fn function(&self, name: Option<&str>) -> Result<&Function, ManifestError> {
        let known = || {
            let names: Vec<&str> = self.functions.iter().map(|f| f.name.as_str()).collect();
            names.join(", ")
        };
        match (name, self.functions.as_slice()) {
            (Some(name), all) => all
                .iter()
                .find(|function| function.name == name)
                .ok_or_else(|| ManifestError::NoSuchFunction(name.to_owned(), known())),
            (None, [only]) => Ok(only),
            (None, []) => Err(ManifestError::FunctionNotNamed("no function".to_owned())),
            (None, _) => Err(ManifestError::FunctionNotNamed(format!("functions {}", known()))),
        }
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

impl FieldShape {
    /// The number of cells along each dimension. The manifest is validated: no extent is negative.
    pub fn extents(&self) -> Vec<u64> {
        self.lower.iter().zip(&self.upper).map(|(lower, upper)| upper.abs_diff(*lower)).collect()
    }

    /// The number of cells; validation proved that it does not overflow.
    pub fn elements(&self) -> u64 {
        self.extents().iter().product()
    }

    /// The size of an array without padding.
    pub fn bytes(&self) -> usize {
        self.elements() as usize * self.element.bytes()
    }

    /// Where rows lie in the memory that kernels work in; none if it has no padding.
    pub fn rows(&self) -> Option<Rows> {
        let ([before, after], extents) = (self.padding?, self.extents());
        let (row, outer) = extents.split_last()?;
        let of = |cells: u64| cells as usize * self.element.bytes();
        let pitch = of(before + row + after);
        let count = outer.iter().product::<u64>() as usize;
        Some(Rows { bytes: of(*row), pitch, first: of(before), count })
    }

    /// The size of the memory that kernels work in.
    pub fn device_bytes(&self) -> usize {
        self.rows().map_or(self.bytes(), |rows| rows.padded_bytes())
    }
}

impl ArgumentKind {
    /// The shape, if this is a field.
    pub fn as_field(&self) -> Option<&FieldShape> {
        match self {
            ArgumentKind::Field(shape) => Some(shape),
            ArgumentKind::Scalar { .. } => None,
        }
    }
}

impl fmt::Display for FieldShape {
    /// As the dialect writes it: `[-4,68]x[-4,68]xf64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (lower, upper) in self.lower.iter().zip(&self.upper) {
            write!(f, "[{lower},{upper}]x")?;
        }
        write!(f, "{}", self.element)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}
