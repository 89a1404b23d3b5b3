//! Lowers the host side of a function: buffers, loops, and a launch for each apply.

use super::{
    body::refuse_reduction,
    kernel::{self, Output},
    loop_bounds,
    signature::Made,
};
use crate::sweep::emit;
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, Region, Type, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::{FunctionType, IntegerType, MemRefType},
};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::{
        self, func, gpu, memref, scf,
        stencil::{self, attribute},
        sweep::TiledOp,
    },
    ops::{ApplyOp, StoreOp},
    types::{self, Number},
    walk::{self, ValueKey},
};
use stencil_passes::{
    analysis::placement,
    framework::{Failed, PassResult, refuse},
    transforms::name_stages::{self, kernel_name},
};

/// Name of the module that holds the kernels.
pub const KERNELS: &str = "kernels";

/// Memory that holds grid points, in row-major order.
#[derive(Clone)]
pub struct Memory<'c, 'a> {
    /// A flat `memref`.
    pub buffer: Value<'c, 'a>,
    /// The grid points it holds.
    pub bounds: Bounds,
    /// Element type.
    pub element: Type<'c>,
    /// Its field in the program before this pass; none for buffers of temps.
    pub field: Option<Value<'c, 'a>>,
}

/// The lowered form of a value of the program.
#[derive(Clone)]
enum Lowered<'c, 'a> {
    Memory(Memory<'c, 'a>),
    Scalar(Value<'c, 'a>),
}

/// A function that is being rewritten.
pub struct HostFunction<'c, 'a> {
    values: HashMap<ValueKey, Lowered<'c, 'a>>,
    name: String,
    entry: BlockRef<'c, 'a>,
    last_allocation: Option<OperationRef<'c, 'a>>,
    kernels: BlockRef<'c, 'a>,
    kernel_count: u64,
    checked: bool,
}

impl<'c: 'a, 'a> HostFunction<'c, 'a> {
    /// Rewrites a function, and puts its kernels into a block; returns their number.
    pub fn lower(
        old: OperationRef<'c, 'a>,
        kernels: BlockRef<'c, 'a>,
        checked: bool,
    ) -> PassResult<u64> {
        let name = old.attribute("sym_name").ok().and_then(attributes::string).unwrap_or_default();
        if build::function_type(old).is_some_and(|r#type| r#type.result_count() > 0) {
            let remedy = "give results through field arguments";
            return Err(refuse(&old, "returns values, which a launch cannot", remedy));
        }
        let old_entry = build::entry_block(old).expect("the caller looked for a body");
        let function = new_function(old, old_entry)?;
        let mut lowering = Self {
            values: HashMap::new(),
            name,
            entry: build::block_of(function, 0),
            last_allocation: None,
            kernels,
            kernel_count: 0,
            checked,
        };
        for position in 0..old_entry.argument_count() {
            let argument = build::argument(old_entry, position);
            lowering.bind(argument, build::argument(lowering.entry, position));
        }
        let entry = lowering.entry;
        lowering.block(old_entry, entry)?;
        let count = lowering.kernel_count;
        build::erase(old);
        Ok(count)
    }

    /// Binds a value: to a buffer if it is a field, else to a scalar.
    fn bind(&mut self, old: Value<'c, 'a>, new: Value<'c, 'a>) {
        let lowered = match StencilType::of(old.r#type()) {
            Some(StencilType { bounds: Some(bounds), element, .. }) => {
                Lowered::Memory(Memory { buffer: new, bounds, element, field: Some(old) })
            }
            _ => Lowered::Scalar(new),
        };
        self.values.insert(ValueKey::of(&old), lowered);
    }

    /// The buffer of a field. An apply may write a field that is allocated or cast after it, right
    /// before its store: such a field is lowered at its first use.
    fn memory(
        &mut self,
        user: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
    ) -> PassResult<Memory<'c, 'a>> {
        let key = ValueKey::of(&value);
        if let Some(Lowered::Memory(memory)) = self.values.get(&key) {
            return Ok(memory.clone());
        }
        let memory = match walk::definition(value) {
            Some(cast) if walk::name(&cast) == stencil::CAST => {
                self.memory(user, cast.operand(0).expect("a cast has an operand"))?
            }
            Some(alloc) if walk::name(&alloc) == stencil::ALLOC => self.alloc(alloc)?,
            _ => {
                let remedy = "give the field bounds, or cast it to a field that has them";
                return Err(refuse(&user, "uses a field of unknown bounds", remedy));
            }
        };
        self.values.insert(key, Lowered::Memory(memory.clone()));
        Ok(memory)
    }

    fn value(&self, user: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> PassResult<Value<'c, 'a>> {
        match self.values.get(&ValueKey::of(&value)) {
            Some(Lowered::Memory(memory)) => Ok(memory.buffer),
            Some(Lowered::Scalar(scalar)) => Ok(*scalar),
            None => Err(refuse(
                &user,
                "uses a temp that has no memory",
                "only applies and stores may use temps",
            )),
        }
    }

    fn block(&mut self, old: BlockRef<'c, 'a>, new: BlockRef<'c, 'a>) -> PassResult {
        for operation in walk::operations(old) {
            let at = Inserter::at_end(new, operation.location());
            self.operation(operation, at)?;
        }
        Ok(())
    }

    fn operation(&mut self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        match walk::name(&operation) {
            stencil::LOAD | stencil::CAST => self.name_memory(operation),
            stencil::APPLY => {
                self.apply(ApplyOp::of(operation).expect("the name was looked at"), at)
            }
            ods::sweep::TILED => {
                self.tiled(TiledOp::of(operation).expect("the name was looked at"), at)
            }
            ods::sweep::KERNEL => {
                let remedy = "run convert-sweep-to-planes first";
                Err(refuse(&operation, "does not say what a block does", remedy))
            }
            stencil::STORE => self.check_store(operation),
            stencil::ALLOC => self.memory(operation, build::single(operation)).map(|_| ()),
            scf::FOR => self.time_loop(operation, at),
            scf::YIELD => self.copy(operation, at),
            func::RETURN => {
                func::r#return(at, &[]);
                Ok(())
            }
            stencil::REDUCE => Err(refuse_reduction(operation)),
            name if name.starts_with("stencil.") => {
                let remedy = "this operation has no lowering; the interpreter says why";
                Err(refuse(&operation, "cannot become a kernel", remedy))
            }
            _ => self.scalar(operation, at),
        }
    }

    /// A load or a cast is an alias of its field's buffer.
    fn name_memory(&mut self, operation: OperationRef<'c, 'a>) -> PassResult {
        let field = operation.operand(0).expect("the op has an operand");
        let result = build::single(operation);
        if walk::uses(result).is_empty() {
            return Ok(());
        }
        let memory = self.memory(operation, field)?;
        if walk::name(&operation) == stencil::LOAD && !placement::is_in_place(operation) {
            let remedy = "run stencil-place-copies first";
            return Err(refuse(&operation, "would read values stored after it", remedy));
        }
        self.values.insert(ValueKey::of(&result), Lowered::Memory(memory));
        Ok(())
    }

    fn check_store(&self, store: OperationRef<'c, 'a>) -> PassResult {
        let view = StoreOp::of(store).expect("the name was looked at");
        match placement::direct(view) {
            Ok(_) => Ok(()),
            Err(_) => {
                let remedy = "run stencil-place-copies first";
                Err(refuse(&store, "stores a temp that its apply cannot write directly", remedy))
            }
        }
    }

    fn alloc(&mut self, operation: OperationRef<'c, 'a>) -> PassResult<Memory<'c, 'a>> {
        let result = build::single(operation);
        if let Some(used) =
            walk::uses(result).into_iter().find(|used| walk::name(&used.user) == scf::YIELD)
        {
            let remedy = "allocate before the loop, and carry the field";
            return Err(refuse(&used.user, "carries memory that its loop allocates", remedy));
        }
        let r#type = StencilType::of(result.r#type()).expect("the verifier checked the type");
        let Some(bounds) = r#type.bounds else {
            let remedy = "give the field bounds";
            return Err(refuse(&operation, "allocates a field of unknown bounds", remedy));
        };
        let mut memory = self.allocate(operation, &bounds, r#type.element)?;
        memory.field = Some(result);
        Ok(memory)
    }

    /// A buffer for the whole run, allocated at the start of the function.
    fn allocate(
        &mut self,
        user: OperationRef<'c, 'a>,
        bounds: &Bounds,
        element: Type<'c>,
    ) -> PassResult<Memory<'c, 'a>> {
        let r#type = flat(user, bounds, element)?;
        let at = match self.last_allocation {
            Some(last) => Inserter::after(last),
            None => Inserter::at_start(self.entry, user.location()),
        };
        let segments = build::attribute(at.context(), "array<i32: 0, 0>");
        let attributes = [("operandSegmentSizes", segments)];
        let allocation = at.with_location(user.location()).create(
            memref::ALLOC,
            &[],
            &attributes,
            &[r#type],
            Vec::new(),
        );
        self.last_allocation = Some(allocation);
        let buffer = build::single(allocation);
        Ok(Memory { buffer, bounds: bounds.clone(), element, field: None })
    }

    fn time_loop(&mut self, old: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let mut operands = old
            .operands()
            .map(|operand| self.value(old, operand))
            .collect::<PassResult<Vec<_>>>()?;
        loop_bounds::make_signed(old, at, &mut operands);
        let carried = operands[3..].iter().map(ValueLike::r#type).collect::<Vec<_>>();
        let mut arguments = vec![operands[0].r#type()];
        arguments.extend(&carried);
        let region = build::region_with_block(&arguments, old.location());
        let new = at.create(scf::FOR, &operands, &[], &carried, vec![region]);
        let (old_body, new_body) = (build::block_of(old, 0), build::block_of(new, 0));
        for position in 1..old_body.argument_count() {
            self.bind(build::argument(old_body, position), build::argument(new_body, position));
        }
        self.bind(build::argument(old_body, 0), loop_bounds::counter(old, new_body));
        for (position, result) in old.results().enumerate() {
            self.bind(result.into(), build::result(new, position));
        }
        self.block(old_body, new_body)
    }

    /// Only numbers are computed on the host.
    fn scalar(&mut self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let is_number = |value: Value| Number::of(value.r#type()).is_some();
        let mut values = operation.operands().chain(operation.results().map(Value::from));
        if operation.region_count() > 0 || !values.all(is_number) {
            let remedy = "outside of applies there are counted loops and scalar operations only";
            return Err(refuse(&operation, "cannot be part of a host program", remedy));
        }
        self.copy(operation, at)
    }

    /// Clones an op with its lowered operands.
    fn copy(&mut self, operation: OperationRef<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let operands = operation
            .operands()
            .map(|operand| self.value(operation, operand))
            .collect::<PassResult<Vec<_>>>()?;
        let attributes = build::attributes(&operation);
        let attributes =
            attributes.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
        let types = operation.results().map(|result| result.r#type()).collect::<Vec<_>>();
        let new = at.create(walk::name(&operation), &operands, &attributes, &types, Vec::new());
        for (position, result) in operation.results().enumerate() {
            let lowered = Lowered::Scalar(build::result(new, position));
            self.values.insert(ValueKey::of(&Value::from(result)), lowered);
        }
        Ok(())
    }

    fn apply(&mut self, apply: ApplyOp<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let operation = apply.operation();
        let outputs = self.outputs(apply)?;
        if outputs.iter().all(Option::is_none) {
            return Ok(());
        }
        let mut arguments = Vec::new();
        for argument in apply.arguments() {
            let lowered = match self.values.get(&ValueKey::of(&argument)) {
                Some(Lowered::Memory(memory)) => kernel::Argument::Memory(memory.clone()),
                Some(Lowered::Scalar(scalar)) => kernel::Argument::Scalar(*scalar),
                // A temp without a buffer is never read.
                None => kernel::Argument::Unread,
            };
            arguments.push(lowered);
        }
        let stage =
            name_stages::stage(operation).unwrap_or_else(|| format!("kernel{}", self.kernel_count));
        let request = kernel::Request {
            apply,
            name: kernel_name(&self.name, &stage),
            stage,
            arguments,
            outputs,
            checked: self.checked,
        };
        let made = kernel::build(self.kernels, &request)?;
        self.kernel_count += 1;
        self.launch(&made, at);
        Ok(())
    }

    fn tiled(&mut self, tiled: TiledOp<'c, 'a>, at: Inserter<'c, 'a>) -> PassResult {
        let operation = tiled.operation();
        let fields = tiled.fields().into_iter().map(|field| self.memory(operation, field));
        let fields = fields.collect::<PassResult<Vec<_>>>()?;
        let scalars = tiled.scalars().into_iter().map(|value| self.value(operation, value));
        let scalars = scalars.collect::<PassResult<Vec<_>>>()?;
        let name = kernel_name(&self.name, &tiled.stage());
        let made = emit::build(self.kernels, &emit::Request { tiled, name, fields, scalars })?;
        self.kernel_count += 1;
        self.launch(&made, at);
        Ok(())
    }

    /// The destination of each result: the field of its store, a buffer of its own, or none.
    fn outputs(&mut self, apply: ApplyOp<'c, 'a>) -> PassResult<Vec<Option<Output<'c, 'a>>>> {
        let operation = apply.operation();
        let mut outputs = Vec::new();
        for (number, result) in operation.results().enumerate() {
            let result = Value::from(result);
            let uses = walk::uses(result);
            let store = uses.iter().find_map(|used| StoreOp::of(used.user));
            let output = match store.filter(|store| placement::direct(*store).is_ok()) {
                Some(store) => {
                    let memory = self.memory(store.operation(), store.field())?;
                    Some(Output { memory, bounds: store.bounds() })
                }
                None if uses.is_empty() => None,
                None => {
                    let Some(bounds) = apply.bounds() else {
                        let remedy = "run stencil-infer-bounds first";
                        return Err(refuse(&operation, "has results of unknown bounds", remedy));
                    };
                    let element = apply.elements()[number];
                    let memory = self.allocate(operation, &bounds, element)?;
                    self.values.insert(ValueKey::of(&result), Lowered::Memory(memory.clone()));
                    Some(Output { memory, bounds })
                }
            };
            outputs.push(output);
        }
        Ok(outputs)
    }

    fn launch(&self, made: &Made<'c, 'a>, at: Inserter<'c, 'a>) {
        let Made { name: kernel, grid, parameters, dynamic_shared } = made;
        let mut operands = Vec::new();
        for size in grid.blocks.iter().chain(&grid.threads) {
            operands.push(at.index(i64::from(*size)));
        }
        if *dynamic_shared > 0 {
            let i32_type = IntegerType::new(at.context(), 32).into();
            operands.push(at.integer(i32_type, *dynamic_shared));
        }
        operands.extend(parameters);
        let symbol = build::attribute(at.context(), &format!("@{KERNELS}::@\"{kernel}\""));
        let shared = i32::from(*dynamic_shared > 0);
        let segments =
            format!("array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, {shared}, {}, 0>", parameters.len());
        let segments = build::attribute(at.context(), &segments);
        let attributes = [("kernel", symbol), ("operandSegmentSizes", segments)];
        at.create(gpu::LAUNCH_FUNC, &operands, &attributes, &[], Vec::new());
    }
}

/// `memref<Nxelement>` for the points of a box.
fn flat<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    bounds: &Bounds,
    element: Type<'c>,
) -> PassResult<Type<'c>> {
    if types::element_bytes(element).is_none() {
        return Err(refuse(&user, format!("has elements of type {element}"), Number::ELEMENTS));
    }
    Ok(MemRefType::new(element, &[bounds.points()], None, None).into())
}

/// The new function, before the old one, with an empty body.
fn new_function<'c: 'a, 'a>(
    old: OperationRef<'c, 'a>,
    entry: BlockRef<'c, 'a>,
) -> PassResult<OperationRef<'c, 'a>> {
    let context = build::context(&old);
    let (mut types, mut dictionaries) = (Vec::new(), Vec::new());
    let old_attributes = build::argument_attributes(old);
    for position in 0..entry.argument_count() {
        let argument = build::argument(entry, position);
        let mut entries = old_attributes
            .get(position)
            .and_then(|attribute| DictionaryAttribute::try_from(*attribute).ok())
            .map(|dictionary| {
                (0..dictionary.len()).filter_map(|i| dictionary.element(i).ok()).collect::<Vec<_>>()
            })
            .unwrap_or_default();
        types.push(argument_type(old, argument, position, &mut entries)?);
        dictionaries.push(Attribute::from(DictionaryAttribute::new(context, &entries)));
    }
    let function_type = FunctionType::new(context, &types, &[]).into();
    let mut kept = build::attributes(&old);
    kept.retain(|(name, _)| name != "function_type" && name != "arg_attrs" && name != "res_attrs");
    let mut attributes =
        kept.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    attributes.push(("function_type", TypeAttribute::new(function_type).into()));
    attributes.push(("arg_attrs", ArrayAttribute::new(context, &dictionaries).into()));
    let region: Region = build::region_with_block(&types, old.location());
    Ok(Inserter::before(old).create(func::FUNC, &[], &attributes, &[], vec![region]))
}

fn argument_type<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    argument: Value<'c, 'a>,
    position: usize,
    entries: &mut Vec<(melior::ir::Identifier<'c>, Attribute<'c>)>,
) -> PassResult<Type<'c>> {
    let context = build::context(&function);
    let Some(field) = StencilType::of(argument.r#type()) else { return Ok(argument.r#type()) };
    let unusable = |why: &str| -> Failed {
        let what = format!("has an argument {position} that {why}");
        refuse(&function, what, "arguments are fields with bounds, and scalars")
    };
    if !types::is_field(argument.r#type()) {
        return Err(unusable("is a temp or a result"));
    }
    let Some(bounds) = field.bounds else { return Err(unusable("is a field of unknown bounds")) };
    let name = melior::ir::Identifier::new(context, attribute::BOUNDS);
    entries.push((name, attributes::make_plain_bounds(context, &bounds)));
    flat(function, &bounds, field.element)
}

/// The symbol of a launch, without its module.
pub fn kernel_symbol(launch: OperationRef) -> Option<String> {
    let text = launch.attribute("kernel").ok()?.to_string();
    let (_, name) = text.rsplit_once("::@")?;
    Some(name.trim_matches('"').to_owned())
}
