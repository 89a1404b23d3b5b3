//! Validates a manifest before anything is run from it.
//!
//! The checks are those of SSA form, plus limits on sizes: a size that overflows is refused here,
//! so that later code multiplies without checks. Nesting is limited by the JSON reader.

use super::{
    Argument, ArgumentKind, Carried, FORMAT, FORMAT_OLDEST, FieldShape, Function, Id, Kernel,
    Manifest, Parameter, Statement, decomposition, extents, loops, time_steps,
};
use crate::scalar::{ScalarError, ScalarType};
use std::{
    collections::{HashMap, HashSet},
    fmt,
};

/// Why a manifest is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ManifestError {
    /// It is not the expected JSON.
    #[error("manifest is not readable: {0}")]
    Syntax(String),
    /// It has an unknown version.
    #[error(
        "manifest has format {0}, this program reads formats {FORMAT_OLDEST} to {FORMAT}; \
         use the version of stencil-run that came with the compiler"
    )]
    UnknownFormat(u32),
    /// The requested function does not exist.
    #[error("function '{0}' is not in the package; it has {1}")]
    NoSuchFunction(String, String),
    /// No function was requested and there are several, or none.
    #[error("package has {0}; name the one that is meant, which --function of stencil-run does")]
    FunctionNotNamed(String),
    /// Something occurs twice.
    #[error("{what} '{name}' occurs twice")]
    Twice {
        /// The kind of thing.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A kernel that cannot be launched.
    #[error("kernel '{kernel}' has {what} {extents:?}: each extent must be at least 1")]
    EmptyLaunch {
        /// The kernel.
        kernel: String,
        /// `grid` or `block`.
        what: &'static str,
        /// The extents.
        extents: [u32; 3],
    },
    /// A kernel that is told which planes it computes by parameters that it does not have.
    #[error("kernel '{0}' has no four numbers for the planes that it computes, or no buffers")]
    Planes(String),
    /// A kernel that is said to copy what are no buffers.
    #[error("kernel '{0}' copies from or to a parameter that is no buffer")]
    Copies(String),
    /// An invalid variant.
    #[error("variant '{variant}': {problem}")]
    Variant {
        /// The function.
        variant: String,
        /// What is wrong.
        problem: VariantError,
    },
    /// Something in a function's body.
    #[error("function '{function}': {problem}")]
    Function {
        /// The function.
        function: String,
        /// What is wrong.
        problem: BodyError,
    },
}

/// Why a function is not a variant of the one that it names.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum VariantError {
    #[error("function '{0}' does not exist or is a variant itself")]
    NoBase(String),
    #[error("it takes {found} arguments, '{base}' takes {expected}")]
    Count { base: String, found: usize, expected: usize },
    #[error("argument {position} differs from that of '{base}'")]
    Argument { base: String, position: usize },
}

/// Errors of a function.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant is, and name its fields")]
pub enum BodyError {
    #[error("value {0} is used where it is not defined")]
    Undefined(Id),
    #[error("value {0} is defined twice")]
    Redefined(Id),
    #[error("value {id} is {found}, expected {expected}")]
    Kind { id: Id, found: ValueType, expected: String },
    #[error("value {result}: {error}")]
    Scalar { result: Id, error: ScalarError },
    #[error(
        "argument {0} has lower bounds {1:?} and upper bounds {2:?}: not the same rank, at least 1"
    )]
    Rank(usize, Vec<i64>, Vec<i64>),
    #[error("argument {0} has padding, and its extents are given at run time")]
    PaddingOfExtents(usize),
    #[error("argument {0} has bounds [{1},{2}]: the upper one must be greater")]
    EmptyField(usize, i64, i64),
    #[error("allocation {0} has no cells")]
    EmptyAllocation(Id),
    #[error("{0} is too large: its size in bytes does not fit into 63 bits")]
    TooLarge(String),
    #[error("launch of '{0}': no such kernel")]
    NoSuchKernel(String),
    #[error("launch of '{kernel}' passes {found} arguments, the kernel takes {expected}")]
    ArgumentCount { kernel: String, found: usize, expected: usize },
    #[error("launch of '{kernel}': argument {index} is {found}, the kernel takes {expected}")]
    ArgumentType { kernel: String, index: usize, found: ValueType, expected: &'static str },
    #[error("copy from {0} to {1}: one is {2}, the other {3}")]
    CopyTypes(Id, Id, ValueType, ValueType),
    #[error(
        "allocation {0} is carried to the next iteration of its loop; allocate it before the loop"
    )]
    CarriedAllocation(Id),
    #[error("time steps: {0}")]
    TimeSteps(String),
    #[error("run-time extents: {0}")]
    Extents(String),
    #[error("devices: {0}")]
    Decomposition(String),
}

/// The type of a value in a host program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A number.
    Scalar(ScalarType),
    /// Cells on the device.
    Buffer {
        /// The type of a cell.
        element: ScalarType,
        /// The number of cells.
        elements: u64,
    },
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Scalar(ty) => write!(f, "a scalar of {ty}"),
            ValueType::Buffer { element, elements } => {
                write!(f, "a buffer of {elements} x {element}")
            }
        }
    }
}

pub(super) fn manifest(manifest: &Manifest) -> Result<(), ManifestError> {
    if !(FORMAT_OLDEST..=FORMAT).contains(&manifest.format) {
        return Err(ManifestError::UnknownFormat(manifest.format));
    }
    distinct("function", manifest.functions.iter().map(|function| &function.name))?;
    distinct("kernel", manifest.kernels.iter().map(|kernel| &kernel.name))?;
    for Kernel { name, grid, block, parameters, planes, copies, .. } in &manifest.kernels {
        let is_pointer =
            |place: &u32| matches!(parameters.get(*place as usize), Some(Parameter::Pointer));
        if !copies.iter().flatten().all(is_pointer) {
            return Err(ManifestError::Copies(name.clone()));
        }
        if planes.as_ref().is_some_and(|planes| !planes.is_in(parameters)) {
            return Err(ManifestError::Planes(name.clone()));
        }
        for (what, extents) in [("grid", *grid), ("block", *block)] {
            if extents.contains(&0) {
                return Err(ManifestError::EmptyLaunch { kernel: name.clone(), what, extents });
            }
        }
    }
    let kernels: HashMap<&str, &Kernel> =
        manifest.kernels.iter().map(|kernel| (kernel.name.as_str(), kernel)).collect();
    for function in &manifest.functions {
        distinct("argument", function.arguments.iter().flat_map(|a| &a.name))?;
        check_function(function, &kernels).map_err(|problem| ManifestError::Function {
            function: function.name.clone(),
            problem,
        })?;
        extents::check_function(function, manifest).map_err(|problem| ManifestError::Function {
            function: function.name.clone(),
            problem: BodyError::Extents(problem),
        })?;
        decomposition::check_function(function).map_err(|problem| ManifestError::Function {
            function: function.name.clone(),
            problem: BodyError::Decomposition(problem),
        })?;
        check_variant(function, &manifest.functions)?;
    }
    Ok(())
}

/// A variant takes the arguments of its base, with other extents.
fn check_variant(function: &Function, all: &[Function]) -> Result<(), ManifestError> {
    let Some(base) = &function.variant_of else { return Ok(()) };
    let refuse = |problem| Err(ManifestError::Variant { variant: function.name.clone(), problem });
    let is_base = |other: &&Function| other.name == *base && other.variant_of.is_none();
    let Some(of) = all.iter().find(is_base) else {
        return refuse(VariantError::NoBase(base.clone()));
    };
    let (found, expected) = (function.arguments.len(), of.arguments.len());
    if found != expected {
        return refuse(VariantError::Count { base: base.clone(), found, expected });
    }
    let differs = |(one, two): (&Argument, &Argument)| {
        let same_kind = match (&one.kind, &two.kind) {
            (ArgumentKind::Field(one), ArgumentKind::Field(two)) => {
                one.lower.len() == two.lower.len() && one.element == two.element
            }
            (one, two) => one == two,
        };
        one.name != two.name || !same_kind
    };
    match function.arguments.iter().zip(&of.arguments).position(differs) {
        Some(position) => refuse(VariantError::Argument { base: base.clone(), position }),
        None => Ok(()),
    }
}

fn distinct<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), ManifestError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ManifestError::Twice { what, name: name.clone() });
        }
    }
    Ok(())
}

fn check_function(function: &Function, kernels: &HashMap<&str, &Kernel>) -> Result<(), BodyError> {
    let mut scope = Scope { kernels, visible: HashMap::new(), defined: HashSet::new() };
    for (index, argument) in function.arguments.iter().enumerate() {
        let ty = match &argument.kind {
            ArgumentKind::Field(shape) => check_field(index, shape)?,
            ArgumentKind::Scalar { scalar, .. } => ValueType::Scalar(*scalar),
        };
        scope.define(Id(index as u32), ty)?;
    }
    if function.extents.is_some()
        && let Some(index) = function.arguments.iter().position(|argument| {
            argument.kind.as_field().is_some_and(|shape| shape.padding.is_some())
        })
    {
        return Err(BodyError::PaddingOfExtents(index));
    }
    let extents = function.extents.as_ref().map_or(0, |extents| extents.reference.len());
    for id in (function.arguments.len()..).take(extents) {
        scope.define(Id(id as u32), ValueType::Scalar(ScalarType::Index))?;
    }
    scope.check_body(&function.body)?;
    if let Some(allocation) = loops::carried_allocation(&function.body) {
        return Err(BodyError::CarriedAllocation(allocation));
    }
    time_steps::check(function).map_err(BodyError::TimeSteps)
}

fn check_field(index: usize, shape: &FieldShape) -> Result<ValueType, BodyError> {
    let FieldShape { lower, upper, element, padding, .. } = shape;
    if lower.len() != upper.len() || lower.is_empty() {
        return Err(BodyError::Rank(index, lower.clone(), upper.clone()));
    }
    let mut elements = 1u64;
    for (&lower, &upper) in lower.iter().zip(upper) {
        if upper <= lower {
            return Err(BodyError::EmptyField(index, lower, upper));
        }
        elements = elements
            .checked_mul(upper.abs_diff(lower))
            .ok_or_else(|| BodyError::TooLarge(format!("argument {index}")))?;
    }
    if let (Some([before, after]), Some((lower, upper))) = (padding, lower.last().zip(upper.last()))
    {
        let row = upper.abs_diff(*lower);
        let padded = before.checked_add(*after).and_then(|both| both.checked_add(row));
        let padded = padded.and_then(|padded| (elements / row).checked_mul(padded));
        elements = padded.ok_or_else(|| BodyError::TooLarge(format!("argument {index}")))?;
    }
    check_size(elements, *element, || format!("argument {index}"))?;
    Ok(ValueType::Buffer { element: *element, elements })
}

fn check_size(
    elements: u64,
    element: ScalarType,
    name: impl Fn() -> String,
) -> Result<(), BodyError> {
    match elements.checked_mul(element.bytes() as u64) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(BodyError::TooLarge(name())),
    }
}

/// The values in scope.
struct Scope<'m> {
    kernels: &'m HashMap<&'m str, &'m Kernel>,
    /// Defined here or around here.
    visible: HashMap<Id, ValueType>,
    /// Defined anywhere in the function.
    defined: HashSet<Id>,
}

impl Scope<'_> {
    fn define(&mut self, id: Id, ty: ValueType) -> Result<(), BodyError> {
        if !self.defined.insert(id) {
            return Err(BodyError::Redefined(id));
        }
        self.visible.insert(id, ty);
        Ok(())
    }

    fn ty(&self, id: Id) -> Result<ValueType, BodyError> {
        self.visible.get(&id).copied().ok_or(BodyError::Undefined(id))
    }

    fn scalar(&self, id: Id) -> Result<ScalarType, BodyError> {
        match self.ty(id)? {
            ValueType::Scalar(ty) => Ok(ty),
            found => Err(BodyError::Kind { id, found, expected: "a scalar".to_owned() }),
        }
    }

    fn buffer(&self, id: Id) -> Result<ValueType, BodyError> {
        match self.ty(id)? {
            found @ ValueType::Scalar(_) => {
                Err(BodyError::Kind { id, found, expected: "a buffer".to_owned() })
            }
            buffer => Ok(buffer),
        }
    }

    fn expect(&self, id: Id, expected: ValueType) -> Result<(), BodyError> {
        match self.ty(id)? {
            found if found == expected => Ok(()),
            found => Err(BodyError::Kind { id, found, expected: expected.to_string() }),
        }
    }

    fn check_body(&mut self, body: &[Statement]) -> Result<(), BodyError> {
        body.iter().try_for_each(|statement| self.check_statement(statement))
    }

    fn check_statement(&mut self, statement: &Statement) -> Result<(), BodyError> {
        match statement {
            Statement::Constant { result, value } => {
                self.define(*result, ValueType::Scalar(value.ty()))
            }
            Statement::Scalar { result, op, operands, ty } => {
                let types =
                    operands.iter().map(|id| self.scalar(*id)).collect::<Result<Vec<_>, _>>()?;
                op.check_types(&types, *ty)
                    .map_err(|error| BodyError::Scalar { result: *result, error })?;
                self.define(*result, ValueType::Scalar(*ty))
            }
            Statement::Allocate { result, elements: 0, .. } => {
                Err(BodyError::EmptyAllocation(*result))
            }
            Statement::Allocate { result, element, elements } => {
                check_size(*elements, *element, || format!("allocation {result}"))?;
                let ty = ValueType::Buffer { element: *element, elements: *elements };
                self.define(*result, ty)
            }
            Statement::Copy { from, to } => {
                let (source, target) = (self.buffer(*from)?, self.buffer(*to)?);
                if source != target {
                    return Err(BodyError::CopyTypes(*from, *to, source, target));
                }
                Ok(())
            }
            Statement::Launch { kernel, arguments } => self.check_launch(kernel, arguments),
            Statement::For { lower, upper, step, induction, carried, body } => {
                self.check_loop([*lower, *upper, *step], *induction, carried, body)
            }
        }
    }

    fn check_launch(&self, kernel: &str, arguments: &[Id]) -> Result<(), BodyError> {
        let Some(Kernel { parameters, .. }) = self.kernels.get(kernel) else {
            return Err(BodyError::NoSuchKernel(kernel.to_owned()));
        };
        if parameters.len() != arguments.len() {
            return Err(BodyError::ArgumentCount {
                kernel: kernel.to_owned(),
                found: arguments.len(),
                expected: parameters.len(),
            });
        }
        for (index, (parameter, id)) in parameters.iter().zip(arguments).enumerate() {
            let found = self.ty(*id)?;
            let expected = match (parameter, found) {
                (Parameter::Pointer, ValueType::Buffer { .. }) => continue,
                (Parameter::Scalar(ty), ValueType::Scalar(found)) if *ty == found => continue,
                (Parameter::Pointer, _) => "a buffer",
                (Parameter::Scalar(ty), _) => ty.name(),
            };
            let kernel = kernel.to_owned();
            return Err(BodyError::ArgumentType { kernel, index, found, expected });
        }
        Ok(())
    }

    fn check_loop(
        &mut self,
        bounds: [Id; 3],
        induction: Id,
        carried: &[Carried],
        body: &[Statement],
    ) -> Result<(), BodyError> {
        let ty = ValueType::Scalar(self.scalar(bounds[0])?);
        if let ValueType::Scalar(float) = ty
            && float.is_float()
        {
            let expected = "an integer".to_owned();
            return Err(BodyError::Kind { id: bounds[0], found: ty, expected });
        }
        self.expect(bounds[1], ty)?;
        self.expect(bounds[2], ty)?;

        let types =
            carried.iter().map(|slot| self.ty(slot.initial)).collect::<Result<Vec<_>, _>>()?;
        let outside = self.visible.clone();
        self.define(induction, ty)?;
        for (slot, ty) in carried.iter().zip(&types) {
            self.define(slot.argument, *ty)?;
        }
        self.check_body(body)?;
        for (slot, ty) in carried.iter().zip(&types) {
            self.expect(slot.next, *ty)?;
        }
        self.visible = outside;
        for (slot, ty) in carried.iter().zip(&types) {
            self.define(slot.result, *ty)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
