//! Lowers the host side of a function: buffers, loops, and a launch for each apply.

use super::{
    body::refuse_reduction,
    interface::{flat, new_function},
    kernel::{self, Output},
    loop_bounds,
    signature::{Blocks, Made},
    size::{Size, SizedBounds},
    sizes::Sizes,
};
use crate::sweep::emit;
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Type, Value, ValueLike, operation::OperationLike,
    r#type::IntegerType,
};
use std::{collections::HashMap, rc::Rc};
use stencil_dialects::{
    Bounds, StencilType, attributes,
    build::{self, Inserter},
    ods::{
        self, arith, func, gpu, memref, scf,
        stencil::{self, attribute},
        sweep::TiledOp,
    },
    ops::{ApplyOp, StoreOp},
    types::Number,
    walk::{self, ValueKey},
};
use stencil_passes::{
    analysis::placement,
    framework::{PassResult, refuse},
    transforms::name_stages::{self, kernel_name},
};

/// Memory that holds grid points, in row-major order.
#[derive(Clone)]
pub struct Memory<'c, 'a> {
    /// A flat `memref`.
    pub buffer: Value<'c, 'a>,
    /// The grid points it holds; for the reference where extents are given at run time.
    pub bounds: Bounds,
    /// What they are for other extents.
    pub sized: SizedBounds,
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
    /// What coordinates mean.
    sizes: Rc<Sizes<'c, 'a>>,
    /// The extents of the domain, which are the last arguments; none if they are constants.
    extents: Vec<Value<'c, 'a>>,
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
        let sizes = Rc::new(Sizes::of(old)?);
        let function = new_function(old, old_entry, &sizes)?;
        let entry = build::block_of(function, 0);
        let own = old_entry.argument_count();
        let mut lowering = Self {
            values: HashMap::new(),
            name,
            entry,
            extents: (own..entry.argument_count()).map(|n| build::argument(entry, n)).collect(),
            sizes,
            last_allocation: None,
            kernels,
            kernel_count: 0,
            checked,
        };
        for position in 0..old_entry.argument_count() {
            let argument = build::argument(old_entry, position);
            lowering.bind(argument, build::argument(entry, position))?;
        }
        lowering.block(old_entry, entry)?;
        if let Some(extents) = lowering.sizes.least() {
            let extents = extents.attribute(build::context(&function));
            build::set_attribute(function, attribute::RUN_TIME_EXTENTS, extents);
        }
        let count = lowering.kernel_count;
        build::erase(old);
        Ok(count)
    }

    /// Binds a value: to a buffer if it is a field, else to a scalar.
    fn bind(&mut self, old: Value<'c, 'a>, new: Value<'c, 'a>) -> PassResult {
        let lowered = match StencilType::of(old.r#type()) {
            Some(StencilType { bounds: Some(bounds), element, .. }) => {
                let sized = self.sizes.bounds(owner(old), old, &bounds)?;
                Lowered::Memory(Memory { buffer: new, bounds, sized, element, field: Some(old) })
            }
            _ => Lowered::Scalar(new),
        };
        self.values.insert(ValueKey::of(&old), lowered);
        Ok(())
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
        let mut memory = self.allocate(operation, (result, &bounds), r#type.element)?;
        memory.field = Some(result);
        Ok(memory)
    }

    /// A buffer for a grid for the whole run, allocated at the start of the function.
    fn allocate(
        &mut self,
        user: OperationRef<'c, 'a>,
        (grid, bounds): (Value<'c, 'a>, &Bounds),
        element: Type<'c>,
    ) -> PassResult<Memory<'c, 'a>> {
        let sized = self.sizes.bounds(user, grid, bounds)?;
        let points = sized.points();
        let r#type = flat(user, points.constant(), element)?;
        let at = match self.last_allocation {
            Some(last) => Inserter::after(last),
            None => Inserter::at_start(self.entry, user.location()),
        };
        let at = at.with_location(user.location());
        let index = Type::index(at.context());
        let dynamic = points.constant().is_none();
        let count = dynamic.then(|| points.emit(at, index, &self.extents));
        let segments = if dynamic { "array<i32: 1, 0>" } else { "array<i32: 0, 0>" };
        let segments = build::attribute(at.context(), segments);
        let attributes = [("operandSegmentSizes", segments)];
        let operands = count.into_iter().collect::<Vec<_>>();
        let allocation = at.create(memref::ALLOC, &operands, &attributes, &[r#type], Vec::new());
        self.last_allocation = Some(allocation);
        let buffer = build::single(allocation);
        Ok(Memory { buffer, bounds: bounds.clone(), sized, element, field: None })
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
            self.bind(build::argument(old_body, position), build::argument(new_body, position))?;
        }
        self.bind(build::argument(old_body, 0), loop_bounds::counter(old, new_body))?;
        for (position, result) in old.results().enumerate() {
            self.bind(result.into(), build::result(new, position))?;
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
            sizes: Rc::clone(&self.sizes),
            extents: self.extents.clone(),
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
        let sizes = Rc::clone(&self.sizes);
        let extents = self.extents.clone();
        // Once, and not in each iteration of a loop.
        let host = Inserter::at_start(self.entry, operation.location());
        let request = emit::Request { tiled, name, fields, scalars, sizes, extents, host };
        let made = emit::build(self.kernels, &request)?;
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
                    let bounds = store.bounds();
                    let sized = self.sizes.bounds(store.operation(), store.field(), &bounds)?;
                    Some(Output { memory, bounds, sized })
                }
                None if uses.is_empty() => None,
                None => {
                    let Some(bounds) = apply.bounds() else {
                        let remedy = "run stencil-infer-bounds first";
                        return Err(refuse(&operation, "has results of unknown bounds", remedy));
                    };
                    let element = apply.elements()[number];
                    let memory = self.allocate(operation, (result, &bounds), element)?;
                    self.values.insert(ValueKey::of(&result), Lowered::Memory(memory.clone()));
                    let sized = memory.sized.clone();
                    Some(Output { memory, bounds, sized })
                }
            };
            outputs.push(output);
        }
        Ok(outputs)
    }

    /// The number of blocks along a dimension.
    fn blocks(&self, blocks: &Blocks, at: Inserter<'c, 'a>) -> Value<'c, 'a> {
        match blocks {
            Blocks::Fixed(blocks) => at.index(i64::from(*blocks)),
            Blocks::Cover { groups, of_block } => {
                let index = Type::index(at.context());
                let rounded = groups.clone() + Size::from(of_block - 1);
                let rounded = rounded.emit(at, index, &self.extents);
                arith::divui(at, rounded, at.index(*of_block))
            }
        }
    }

    fn launch(&self, made: &Made<'c, 'a>, at: Inserter<'c, 'a>) {
        let Made { name: kernel, grid, parameters, dynamic_shared, .. } = made;
        let blocks = grid.blocks.iter().map(|blocks| self.blocks(blocks, at));
        let mut operands = blocks.collect::<Vec<_>>();
        if let Some(along_x) = made.blocks {
            operands[0] = along_x;
        }
        operands.extend(grid.threads.iter().map(|threads| at.index(i64::from(*threads))));
        if *dynamic_shared > 0 {
            let i32_type = IntegerType::new(at.context(), 32).into();
            operands.push(at.integer(i32_type, *dynamic_shared));
        }
        operands.extend(parameters);
        let module = self.kernels.parent_operation().expect("a module holds the kernels");
        let module = module.attribute("sym_name").ok().and_then(attributes::string);
        let module = module.expect("the module has a name");
        let symbol = build::attribute(at.context(), &format!("@\"{module}\"::@\"{kernel}\""));
        let shared = i32::from(*dynamic_shared > 0);
        let segments =
            format!("array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, {shared}, {}, 0>", parameters.len());
        let segments = build::attribute(at.context(), &segments);
        let attributes = [("kernel", symbol), ("operandSegmentSizes", segments)];
        at.create(gpu::LAUNCH_FUNC, &operands, &attributes, &[], Vec::new());
    }
}

/// The op for diagnostics about a value.
fn owner<'c: 'a, 'a>(value: Value<'c, 'a>) -> OperationRef<'c, 'a> {
    let around = |(block, _): (BlockRef<'c, 'a>, usize)| block.parent_operation();
    let owner = walk::block_argument(value).map_or_else(|| walk::definition(value), around);
    owner.expect("a block of a function is in an op")
}

/// The symbol of a launch, without its module.
pub fn kernel_symbol(launch: OperationRef) -> Option<String> {
    let text = launch.attribute("kernel").ok()?.to_string();
    let (_, name) = text.rsplit_once("::@")?;
    Some(name.trim_matches('"').to_owned())
}
