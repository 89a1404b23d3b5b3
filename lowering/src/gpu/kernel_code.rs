//! The code of a kernel, as `stencil-demotion` sees it.
//!
//! All blocks of a kernel become one list of instructions in program order. Values are those that
//! take floating-point registers; parameters of the kernel and constants are operands that
//! instructions encode, and integers are addresses, which are few. Scalars are spill candidates;
//! vectors are packed and unpacked where they are loaded and stored.
//! A region of `scf.if` runs once at most, that of any other op repeatedly.

use super::{block_dag::registers, rematerialized_loads::Source};
use melior::ir::{BlockLike, BlockRef, OperationRef, Value, ValueLike, operation::OperationLike};
use std::collections::HashMap;
use stencil_demotion::{Block, BlockId, Code, Instruction, Reload, Value as CodeValue, ValueId};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, scf},
    types::Number,
    walk::{self, ValueKey},
};

/// The code of a kernel, and what its parts stand for.
pub struct KernelCode<'c, 'a> {
    /// Instructions, values and blocks.
    pub code: Code,
    values: Vec<Value<'c, 'a>>,
    /// What each value is loaded from, if it can be rematerialised.
    sources: Vec<Option<Source<'c, 'a>>>,
    origins: Vec<Origin<'c, 'a>>,
}

/// What an instruction stands for.
#[derive(Clone, Copy)]
enum Origin<'c, 'a> {
    /// An operation; with regions, what it reads before they run.
    Operation(OperationRef<'c, 'a>),
    /// The start of a block, where its arguments are defined.
    Begin(BlockRef<'c, 'a>),
    /// The results of an operation with regions.
    Results(OperationRef<'c, 'a>),
}

impl<'c: 'a, 'a> KernelCode<'c, 'a> {
    /// The code of a kernel; whether values that were loaded from arrays are rematerialised.
    ///
    /// # Panics
    /// If it has no body.
    pub fn of(kernel: OperationRef<'c, 'a>, reloads: bool) -> Self {
        let mut builder = Builder::of(reloads.then_some(kernel));
        builder.blocks.push(Block { parent: None, range: 0..0, is_loop: false });
        builder.operations(build::block_of(kernel, 0), BlockId(0));
        builder.blocks[0].range = 0..builder.instructions.len();
        let Builder { code_values, values, sources, instructions, origins, blocks, .. } = builder;
        Self { code: Code::new(code_values, instructions, blocks), values, sources, origins }
    }

    /// What a value stands for.
    pub fn value(&self, value: ValueId) -> Value<'c, 'a> {
        self.values[value.0]
    }

    /// What a value is loaded from, if it is rematerialised.
    pub fn source(&self, value: ValueId) -> Option<Source<'c, 'a>> {
        self.sources[value.0]
    }

    /// Right after an instruction.
    pub fn after(&self, position: usize) -> Inserter<'c, 'a> {
        match self.origins[position] {
            Origin::Operation(operation) | Origin::Results(operation) => Inserter::after(operation),
            Origin::Begin(block) => {
                let first = block.first_operation().expect("a block has a terminator");
                Inserter::at_start(block, first.location())
            }
        }
    }

    /// The place of a reload.
    ///
    /// # Panics
    /// If nothing can be inserted there.
    pub fn before(&self, reload: &Reload) -> Inserter<'c, 'a> {
        match self.origins[reload.before] {
            Origin::Operation(operation) => Inserter::before(operation),
            _ => panic!("a reload precedes an operation"),
        }
    }

    /// Lets the users of a reload read what was loaded.
    pub fn replace_in_users(&self, reload: &Reload, loaded: Value<'c, 'a>) {
        let old = ValueKey::of(&self.value(reload.value));
        for user in &reload.users {
            let Origin::Operation(user) = self.origins[*user] else { continue };
            let operands = user.operands().collect::<Vec<_>>();
            for (position, operand) in operands.iter().enumerate() {
                if ValueKey::of(operand) == old {
                    build::set_operand(user, position, loaded);
                }
            }
        }
    }
}

/// Code in the making.
struct Builder<'c, 'a> {
    /// The kernel, if its values may be rematerialised.
    kernel: Option<OperationRef<'c, 'a>>,
    code_values: Vec<CodeValue>,
    values: Vec<Value<'c, 'a>>,
    sources: Vec<Option<Source<'c, 'a>>>,
    of_value: HashMap<ValueKey, ValueId>,
    instructions: Vec<Instruction>,
    origins: Vec<Origin<'c, 'a>>,
    blocks: Vec<Block>,
}

impl<'c: 'a, 'a> Builder<'c, 'a> {
    fn of(kernel: Option<OperationRef<'c, 'a>>) -> Self {
        Self {
            kernel,
            code_values: Vec::new(),
            values: Vec::new(),
            sources: Vec::new(),
            of_value: HashMap::new(),
            instructions: Vec::new(),
            origins: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn operations(&mut self, block: BlockRef<'c, 'a>, id: BlockId) {
        for operation in walk::operations(block) {
            let inner = walk::blocks(operation);
            let results = operation.results().map(Value::from).collect::<Vec<_>>();
            let origin = Origin::Operation(operation);
            if inner.is_empty() {
                let makes = if is_free(operation) { &[][..] } else { &results[..] };
                self.instruction(operation.operands().collect(), makes, id, origin);
                continue;
            }
            self.instruction(operation.operands().collect(), &[], id, origin);
            let parent = self.instructions.len() - 1;
            let repeats = walk::name(&operation) != scf::IF;
            for block in inner {
                self.block(block, Block { parent: Some(parent), range: 0..0, is_loop: repeats });
            }
            self.instruction(Vec::new(), &results, id, Origin::Results(operation));
        }
    }

    fn block(&mut self, block: BlockRef<'c, 'a>, made: Block) {
        let id = BlockId(self.blocks.len());
        let begin = self.instructions.len();
        self.blocks.push(made);
        let arguments = (0..block.argument_count())
            .map(|position| build::argument(block, position))
            .collect::<Vec<_>>();
        self.instruction(Vec::new(), &arguments, id, Origin::Begin(block));
        self.operations(block, id);
        self.blocks[id.0].range = begin..self.instructions.len();
    }

    fn instruction(
        &mut self,
        reads: Vec<Value<'c, 'a>>,
        makes: &[Value<'c, 'a>],
        block: BlockId,
        origin: Origin<'c, 'a>,
    ) {
        let known = reads.iter().filter_map(|value| self.of_value.get(&ValueKey::of(value)));
        let mut reads = known.copied().collect::<Vec<_>>();
        reads.sort_unstable();
        reads.dedup();
        let writes = makes.iter().filter_map(|value| self.make(*value)).collect();
        self.instructions.push(Instruction { reads, writes, block });
        self.origins.push(origin);
    }

    /// A value, if it takes registers.
    fn make(&mut self, value: Value<'c, 'a>) -> Option<ValueId> {
        let words = registers(value.r#type());
        if words == 0 {
            return None;
        }
        let id = ValueId(self.values.len());
        self.values.push(value);
        let is_candidate = matches!(Number::of(value.r#type()), Some(Number::F32 | Number::F64));
        let source = self.kernel.filter(|_| is_candidate);
        let source = source.and_then(|kernel| Source::of(kernel, value));
        let can_remat = source.is_some();
        self.code_values.push(CodeValue { words, is_candidate, can_remat });
        self.sources.push(source);
        self.of_value.insert(ValueKey::of(&value), id);
        Some(id)
    }
}

/// Whether the result of an operation is an operand that instructions encode.
fn is_free(operation: OperationRef) -> bool {
    walk::name(&operation) == arith::CONSTANT
}
