//! The host program of a package, from the host functions of a module.
//!
//! After `convert-stencil-to-gpu-threads` a function holds allocations, copies, launches, counted
//! loops and scalar operations; here they become data. Any other op is refused.
//!
//! The number of time steps that several loops share is the scalar operation that carries
//! [`attribute::TIME_STEPS`]; the steps for which tables have values are the function's
//! [`attribute::STEP_LIMITS`].

mod arguments;
mod decomposition;
pub mod extents;
mod format;
pub mod kernels;
mod launches;
mod scalars;

use self::launches::{Shape, kernel_operands};
use crate::gpu::{
    host,
    launch::{GRID, segment},
};
use melior::ir::{
    BlockLike, BlockRef, Module, OperationRef, Type, Value, ValueLike,
    attribute::FloatAttribute,
    operation::OperationLike,
    r#type::{DimSize, MemRefType},
};
use std::{collections::HashMap, num::NonZeroU64};
use stencil_dialects::{
    attributes, build, diagnostics,
    ods::{self, arith, func, memref, scf, stencil::attribute},
    point::is_approximate,
    walk::{self, ValueKey},
};
use stencil_model::{
    plan::PlanKeys,
    target::{Architecture, PtxVersion},
};
use stencil_passes::{
    analysis::{alias, run_time_extents::RunTimeExtents, step_limits},
    framework::{PassResult, refuse},
    strategy::plan,
};
use stencil_runtime::{
    manifest::{
        Argument, BytesPerPoint, Carried, Extents, FlopsPerPoint, Function, Id, Kernel,
        KernelExtents, Manifest, Parameter, PlaneParameters, Producer, Statement, StepLimit,
        WindowValue,
    },
    scalar::{ScalarType, ScalarValue},
    time_loop,
};
use thiserror::Error;

/// The program cannot be a package; the diagnostics give the reason.
#[derive(Debug, Error)]
#[error("the host program cannot be written as data")]
pub struct ExportError;

/// The manifest of a module of host functions and kernels.
///
/// # Errors
/// If a host function holds an operation that host programs do not have (after its diagnostic).
pub fn manifest(
    module: &Module,
    target: &Architecture,
    ptx_version: PtxVersion,
) -> Result<Manifest, ExportError> {
    let body = build::block_of(module.as_operation(), 0);
    let (mut functions, mut kernels) = (Vec::new(), Vec::new());
    for operation in walk::operations(body) {
        match walk::name(&operation) {
            ods::gpu::MODULE => {
                let list = walk::operations(build::block_of(operation, 0));
                let list = list.into_iter().filter(|op| walk::name(op) == ods::gpu::FUNC);
                kernels.extend(list);
            }
            func::FUNC if build::entry_block(operation).is_some() => functions.push(operation),
            _ => {}
        }
    }
    let export = Export { kernels: kernels.iter().map(|op| (name_of(*op), *op)).collect() };
    let operations = functions;
    let functions = operations.iter().map(|function| export.function(*function));
    let functions = functions.collect::<PassResult<Vec<_>>>().map_err(|_| ExportError)?;
    let shapes = launches::shapes(module.as_operation()).map_err(|_| ExportError)?;
    let kernels = kernels.into_iter().map(|kernel| describe(kernel, &shapes));
    let kernels = kernels.collect::<PassResult<Vec<_>>>().map_err(|_| ExportError)?;
    let mut manifest = Manifest {
        format: format::of(&functions, &kernels),
        producer: Producer {
            program: "stencilc".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            llvm: include_str!("../../cmake/llvm-version.txt").trim().to_owned(),
        },
        target: target.name.to_owned(),
        ptx_version: ptx_version.to_string(),
        functions,
        kernels,
        digests: Default::default(),
    };
    extents::settle(&mut manifest, &operations).map_err(|_| ExportError)?;
    Ok(manifest)
}

fn name_of(symbol: OperationRef) -> String {
    symbol.attribute("sym_name").ok().and_then(attributes::string).unwrap_or_default()
}

/// The scalar type of a type; none for other types.
fn scalar_type(r#type: Type) -> Option<ScalarType> {
    ScalarType::from_name(&r#type.to_string())
}

struct Export<'c, 'a> {
    kernels: HashMap<String, OperationRef<'c, 'a>>,
}

impl<'c: 'a, 'a> Export<'c, 'a> {
    fn function(&self, function: OperationRef<'c, 'a>) -> PassResult<Function> {
        let entry = build::entry_block(function).expect("the caller looked for a body");
        if build::function_type(function).is_some_and(|r#type| r#type.result_count() > 0) {
            let remedy = "give results through field arguments";
            return Err(refuse(&function, "returns values, which a host program cannot", remedy));
        }
        let extents = RunTimeExtents::of(function);
        let given = entry.argument_count() - extents.as_ref().map_or(0, |it| it.least.len());
        let is_own = |position: &usize| decomposition::window_number(function, *position).is_none();
        let own = (0..given).filter(is_own).collect::<Vec<_>>();
        let mut program = Program::new(self, extents.is_some());
        let taken = self.arguments(function, &own, &mut program)?;
        for position in given..entry.argument_count() {
            program.define(build::argument(entry, position));
        }
        let window_numbers = program.window_numbers(function, given);
        let mut body =
            window_numbers.iter().map(|it| decomposition::constant(*it)).collect::<Vec<_>>();
        body.extend(program.block(entry)?);
        let variant_of =
            function.attribute(attribute::VARIANT_OF).ok().and_then(attributes::string);
        let name = name_of(function);
        let step_limits = step_limits::stated(function).into_iter();
        let step_limits = step_limits.map(|stated| step_limit(stated, &own)).collect();
        let Program { allocations, kernels, .. } = &mut program;
        let extents = extents::of_function(function, given).map(|known| Extents {
            allocations: std::mem::take(allocations),
            kernels: std::mem::take(kernels),
            ..known
        });
        let time_steps = None;
        let mut decomposition = decomposition::of_function(function, &own)?;
        if let Some(shared) = &mut decomposition {
            shared.last_iterations = program.last_iterations(entry);
            shared.window_numbers = window_numbers;
        }
        let mut made = Function {
            name,
            variant_of,
            arguments: taken,
            body,
            time_steps,
            step_limits,
            extents,
            decomposition,
        };
        if let Some((value, step)) = program.time_steps(entry) {
            made.time_steps = time_loop::shared_steps(&made, value, step);
        }
        decomposition::check(function, &made)?;
        Ok(made)
    }

    /// The arguments that callers give, at these positions.
    fn arguments(
        &self,
        function: OperationRef<'c, 'a>,
        own: &[usize],
        program: &mut Program<'c, 'a, '_>,
    ) -> PassResult<Vec<Argument>> {
        let entry = build::entry_block(function).expect("the caller looked for a body");
        let written = self.written(function);
        let argument = |position: &usize| {
            let value = build::argument(entry, *position);
            program.define(value);
            let is_written = written.contains(&ValueKey::of(&value));
            arguments::argument(function, *position, value, is_written)
        };
        own.iter().map(argument).collect()
    }

    /// Buffers that a kernel of the function may write.
    fn written(&self, function: OperationRef<'c, 'a>) -> Vec<ValueKey> {
        let (mut written, mut aliases) = (Vec::new(), alias::Aliases::default());
        for launch in walk::nested(function) {
            let Some(symbol) = host::kernel_symbol(launch) else { continue };
            let Some(kernel) = self.kernels.get(&symbol) else { continue };
            for (position, operand) in kernel_operands(launch).into_iter().enumerate() {
                let readonly = build::argument_attribute(*kernel, position, "llvm.readonly");
                if readonly.is_none() {
                    let roots = aliases.roots(operand);
                    written.extend(roots.iter().flat_map(|roots| roots.iter().copied()));
                }
            }
        }
        written
    }
}

/// A limit by one of the arguments that callers give.
fn step_limit(stated: step_limits::StepLimit, own: &[usize]) -> StepLimit {
    let step_limits::StepLimit { argument, first, last } = stated;
    let place = |position: usize| own.iter().position(|it| *it == position);
    let argument = argument.and_then(place).and_then(|place| u32::try_from(place).ok());
    StepLimit { argument, first, last }
}

/// Builds the statements of a function.
struct Program<'c, 'a, 'e> {
    export: &'e Export<'c, 'a>,
    ids: HashMap<ValueKey, Id>,
    next: u32,
    /// Whether extents are given at run time.
    is_general: bool,
    /// What depends on them then.
    allocations: Vec<(Id, Id)>,
    kernels: Vec<KernelExtents>,
}

impl<'c: 'a, 'a, 'e> Program<'c, 'a, 'e> {
    fn new(export: &'e Export<'c, 'a>, is_general: bool) -> Self {
        let (allocations, kernels) = Default::default();
        Self { export, ids: HashMap::new(), next: 0, is_general, allocations, kernels }
    }

    fn define(&mut self, value: Value<'c, 'a>) -> Id {
        let id = Id(self.next);
        self.next += 1;
        self.ids.insert(ValueKey::of(&value), id);
        id
    }

    fn id(&self, value: Value<'c, 'a>) -> Id {
        *self.ids.get(&ValueKey::of(&value)).expect("values are defined before they are used")
    }

    /// The arguments of a function that are numbers of a device's window, of so many.
    fn window_numbers(&mut self, function: OperationRef<'c, 'a>, of: usize) -> Vec<WindowValue> {
        let number = |position| Some((position, decomposition::window_number(function, position)?));
        let numbers = (0..of).filter_map(number).collect::<Vec<_>>().into_iter();
        let entry = build::entry_block(function).expect("it has arguments");
        let defined = numbers.map(|(position, number)| {
            let value = self.define(build::argument(entry, position));
            WindowValue { value, number }
        });
        defined.collect()
    }

    /// The marked iteration count of a function, and the time steps of an iteration, if they are
    /// known.
    fn time_steps(&self, entry: BlockRef<'c, 'a>) -> Option<(Id, u64)> {
        walk::operations(entry).into_iter().find_map(|operation| {
            let step = attributes::integer(operation.attribute(attribute::TIME_STEPS).ok()?)?;
            let value = Value::from(operation.results().next()?);
            Some((self.id(value), u64::try_from(step).ok()?))
        })
    }

    /// Iterations at the end that only the last of several runs makes one by one.
    fn last_iterations(&self, entry: BlockRef<'c, 'a>) -> Vec<Id> {
        let all = walk::operations(entry).into_iter();
        let marked = all.filter(|operation| operation.has_attribute(attribute::LAST_ITERATIONS));
        marked.map(|operation| self.id(build::single(operation))).collect()
    }

    fn block(&mut self, block: BlockRef<'c, 'a>) -> PassResult<Vec<Statement>> {
        let mut statements = Vec::new();
        for operation in walk::operations(block) {
            match walk::name(&operation) {
                func::RETURN | scf::YIELD => {}
                _ => statements.push(self.statement(operation)?),
            }
        }
        Ok(statements)
    }

    fn statement(&mut self, operation: OperationRef<'c, 'a>) -> PassResult<Statement> {
        let operands = operation.operands().collect::<Vec<_>>();
        match walk::name(&operation) {
            memref::ALLOC => self.allocation(operation),
            memref::COPY => {
                Ok(Statement::Copy { from: self.id(operands[0]), to: self.id(operands[1]) })
            }
            ods::gpu::LAUNCH_FUNC => {
                let kernel = host::kernel_symbol(operation).unwrap_or_default();
                let Some(definition) = self.export.kernels.get(&kernel) else {
                    let remedy = "define the kernel in the module's gpu.module";
                    return Err(refuse(&operation, "launches an unknown kernel", remedy));
                };
                if self.is_general {
                    self.add_kernel(operation, *definition);
                }
                let arguments = kernel_operands(operation).into_iter().map(|value| self.id(value));
                Ok(Statement::Launch { kernel, arguments: arguments.collect() })
            }
            scf::FOR => self.counted_loop(operation),
            arith::CONSTANT => self.constant(operation),
            name => self.scalar(name, operation),
        }
    }

    fn allocation(&mut self, operation: OperationRef<'c, 'a>) -> PassResult<Statement> {
        let value = build::single(operation);
        let memory = MemRefType::try_from(value.r#type()).expect("an allocation gives a memref");
        let element = scalar_type(melior::ir::ShapedTypeLike::element(&memory));
        let count = melior::ir::ShapedTypeLike::dim_size(&memory, 0);
        let (Some(element), Ok(count)) = (element, count) else {
            let remedy = "buffers of host programs are flat memrefs of numbers";
            return Err(refuse(&operation, "allocates something else than a buffer", remedy));
        };
        let result = self.define(value);
        let elements = match count {
            DimSize::Static(elements) => elements,
            DimSize::Dynamic => {
                let cells = operation.operand(0).expect("a dynamic size is an operand");
                self.allocations.push((result, self.id(cells)));
                extents::UNSETTLED.into()
            }
        };
        Ok(Statement::Allocate { result, element, elements })
    }

    /// What depends on run-time extents in the launch of a kernel.
    fn add_kernel(&mut self, launch: OperationRef<'c, 'a>, kernel: OperationRef<'c, 'a>) {
        let name = name_of(kernel);
        let blocks = GRID.map(|axis| segment(launch, axis)[0]);
        if self.kernels.iter().any(|known| known.kernel == name) {
            return;
        }
        let points = extents::of_points(kernel);
        let grid = blocks.map(|blocks| self.id(blocks));
        self.kernels.push(KernelExtents { kernel: name, grid, points });
    }

    fn counted_loop(&mut self, operation: OperationRef<'c, 'a>) -> PassResult<Statement> {
        let operands = operation.operands().collect::<Vec<_>>();
        let block = build::block_of(operation, 0);
        let induction = self.define(build::argument(block, 0));
        let slots = alias::Carried::of(operation).expect("the op is a loop");
        let arguments =
            (0..slots.count()).map(|slot| self.define(slots.argument(slot))).collect::<Vec<_>>();
        let body = self.block(block)?;
        let carried = arguments
            .into_iter()
            .enumerate()
            .map(|(slot, argument)| Carried {
                initial: self.id(slots.initial(slot)),
                argument,
                next: self.id(slots.yielded(slot)),
                result: self.define(build::result(operation, slot)),
            })
            .collect();
        Ok(Statement::For {
            lower: self.id(operands[0]),
            upper: self.id(operands[1]),
            step: self.id(operands[2]),
            induction,
            carried,
            body,
        })
    }

    fn constant(&mut self, operation: OperationRef<'c, 'a>) -> PassResult<Statement> {
        let result = build::single(operation);
        let value = operation.attribute("value").ok();
        let number = scalar_type(result.r#type()).zip(value).and_then(|(scalar, value)| {
            if let Ok(float) = FloatAttribute::try_from(value) {
                return Some(ScalarValue::from_f64(scalar, float.value()));
            }
            Some(ScalarValue::from_bits(scalar, attributes::integer(value)? as u64))
        });
        let Some(value) = number else {
            let remedy = "constants of host programs are integers, index and floats";
            return Err(refuse(&operation, "is not a number", remedy));
        };
        Ok(Statement::Constant { result: self.define(result), value })
    }

    fn scalar(&mut self, name: &str, operation: OperationRef<'c, 'a>) -> PassResult<Statement> {
        let remedy = "host programs have counted loops, launches, and exactly rounded operations";
        let result = operation.results().next().map(Value::from);
        let known = scalars::operation_of(name, operation)
            .zip(result)
            .and_then(|(op, result)| Some((op, result, scalar_type(result.r#type())?)));
        let Some((op, result, ty)) = known else {
            return Err(refuse(&operation, "cannot be part of a host program", remedy));
        };
        let operands = operation.operands().map(|operand| self.id(operand)).collect();
        Ok(Statement::Scalar { result: self.define(result), op, operands, ty })
    }
}

fn describe(kernel: OperationRef, shapes: &HashMap<String, Shape>) -> PassResult<Kernel> {
    let name = name_of(kernel);
    let number = |attribute: &str| {
        kernel.attribute(attribute).ok().and_then(attributes::integer).unwrap_or_default() as u64
    };
    let block = kernel
        .attribute("known_block_size")
        .ok()
        .and_then(attributes::integers)
        .filter(|sizes| sizes.len() == 3)
        .map(|sizes| [sizes[0] as u32, sizes[1] as u32, sizes[2] as u32]);
    let (Some(Shape { grid, shared_bytes }), Some(block)) = (shapes.get(&name).copied(), block)
    else {
        let remedy = "launch every kernel with constant sizes";
        return Err(refuse(&kernel, "has no known grid and block", remedy));
    };
    let types = build::function_type(kernel).expect("a kernel has a type");
    let parameters = (0..types.input_count())
        .filter_map(|position| types.input(position).ok())
        .map(|r#type| scalar_type(r#type).map_or(Parameter::Pointer, Parameter::Scalar))
        .collect();
    let points = number(attribute::POINTS);
    let per_point = |total: u64| (total + points / 2) / points.max(1);
    let flops = per_point(number(attribute::FLOPS));
    let plan = plan::of(kernel).and_then(Result::ok);
    let approximate = walk::nested(kernel).iter().any(|op| is_approximate(walk::name(op)));
    Ok(Kernel {
        stage: kernel.attribute(attribute::STAGE).ok().and_then(attributes::string),
        location: Some(without_folders(&diagnostics::place(kernel.location()))),
        grid,
        block,
        shared_bytes,
        parameters,
        plan: plan.and_then(|plan| serde_json::to_value(PlanKeys::from(&plan)).ok()),
        resources: None,
        points,
        flops_per_point: FlopsPerPoint { written: flops, executed: flops },
        bytes_per_point: BytesPerPoint {
            compulsory: per_point(number(attribute::BYTES)),
            predicted: None,
        },
        approximate,
        planes: planes(kernel),
        copies: copies(kernel),
        name,
    })
}

/// Which parameters say what planes a kernel computes.
fn planes(kernel: OperationRef) -> Option<PlaneParameters> {
    let sweeps = attributes::integers(kernel.attribute(attribute::SWEEPS).ok()?)?;
    let [iterations, first, written @ ..] = &sweeps[..] else { return None };
    let iterations = NonZeroU64::new(u64::try_from(*iterations).ok()?)?;
    let number = |number: &i64| u32::try_from(*number).ok();
    let written = written.iter().map(number).collect::<Option<_>>()?;
    Some(PlaneParameters { iterations, first: number(first)?, written })
}

/// The parameters that a kernel copies from and to.
fn copies(kernel: OperationRef) -> Vec<[u32; 2]> {
    let copies = kernel.attribute(attribute::COPIES).ok().and_then(attributes::integers);
    let copies = copies.unwrap_or_default();
    copies.chunks_exact(2).map(|pair| [pair[0] as u32, pair[1] as u32]).collect()
}

/// A place without the folders of its files: a package does not depend on where its program lies,
/// nor on how a command named it.
fn without_folders(place: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "[](),<>".contains(c);
    let words = place.split_inclusive(is_end);
    words.map(|word| word.rsplit_once('/').map_or(word, |(_, name)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_name_files_without_folders() {
        assert_eq!(without_folders("heat.mlir:3:5"), "heat.mlir:3:5");
        assert_eq!(without_folders("../a/heat.mlir:3:5"), "heat.mlir:3:5");
        let fused = "fused[/a/one.mlir:1:2, callsite(b/two.mlir:3:4 at /c/two.mlir:5:6)]";
        let short = "fused[one.mlir:1:2, callsite(two.mlir:3:4 at two.mlir:5:6)]";
        assert_eq!(without_folders(fused), short);
    }
}
