//! The signature of a kernel: parameters with their attributes, and facts about a launch.

use super::{host::Memory, size::Size};
use crate::ptx::spills;
use melior::ir::{
    Attribute, BlockRef, Identifier, OperationRef, Type, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::{FunctionType, IntegerType},
};
use stencil_dialects::{
    Bounds, attributes,
    build::{self, Inserter},
    ods::{gpu, stencil::attribute},
    walk,
};
use stencil_model::plan::{PlanKeys, Spills};
use stencil_passes::{
    analysis::{alias::Aliases, run_time_extents},
    strategy::plan,
};

/// Blocks of a launch along a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// As many.
    Fixed(u32),
    /// As many as cover a number of groups of points that depends on run-time extents.
    Cover {
        /// The groups.
        groups: Size,
        /// Those of a block.
        of_block: i64,
    },
}

/// Grid and block of a launch, x first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along x, y, z.
    pub blocks: [Blocks; 3],
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
}

/// A kernel that was built.
pub struct Made<'c, 'a> {
    /// Its name.
    pub name: String,
    /// How to launch it.
    pub grid: Grid,
    /// Blocks along x as a value of the host, where it computes them.
    pub blocks: Option<Value<'c, 'a>>,
    /// Values of the host, one per parameter.
    pub parameters: Vec<Value<'c, 'a>>,
    /// Bytes of shared memory that the launch asks for.
    pub dynamic_shared: i64,
}

/// A parameter that is memory.
pub struct MemoryParameter<'c, 'a> {
    /// The memory.
    pub memory: Memory<'c, 'a>,
    /// Whether the kernel writes it.
    pub is_written: bool,
}

/// The interface of a kernel.
pub struct Signature<'c, 'a, 's> {
    /// The op that the kernel is made of.
    pub operation: OperationRef<'c, 'a>,
    /// Its name; a number is appended if it is taken.
    pub name: &'s str,
    /// Name of the stage.
    pub stage: &'s str,
    /// Parameters that are memory.
    pub memories: &'s [MemoryParameter<'c, 'a>],
    /// Values of the host for the parameters after them.
    pub scalars: &'s [Value<'c, 'a>],
    /// The plan.
    pub plan: &'s PlanKeys,
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
    /// Elements of static shared memory of a type.
    pub shared: Option<(Type<'c>, i64)>,
    /// Points, float operations and compulsory bytes of a launch; for the reference where extents
    /// are given at run time.
    pub work: Work,
    /// Where they are: the points for the reference, and the dimension of the domain whose extent
    /// each of theirs follows.
    pub domain: Option<(&'s Bounds, &'s [Option<usize>])>,
}

/// The work of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Grid points, each time step counted.
    pub points: i64,
    /// Float operations, as written.
    pub flops: i64,
    /// Compulsory bytes: each cell read or written once.
    pub bytes: i64,
}

/// The wanted name, with a number appended if a kernel has it already.
pub fn free_name(kernels: BlockRef, wanted: &str) -> String {
    let taken = walk::operations(kernels)
        .into_iter()
        .filter_map(|kernel| kernel.attribute("sym_name").ok().and_then(attributes::string))
        .collect::<Vec<_>>();
    let candidates = (1..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned())
        .chain(candidates)
        .find(|name| !taken.contains(name))
        .expect("there are more numbers than kernels")
}

impl<'c: 'a, 'a> Signature<'c, 'a, '_> {
    /// A `gpu.func` with an empty body.
    pub fn declare(&self, kernels: BlockRef<'c, 'a>) -> OperationRef<'c, 'a> {
        let context = build::context(&self.operation);
        let mut types = self
            .memories
            .iter()
            .map(|parameter| parameter.memory.buffer.r#type())
            .chain(self.scalars.iter().map(ValueLike::r#type))
            .collect::<Vec<_>>();
        let function_type = FunctionType::new(context, &types, &[]).into();
        let threads = self.threads.map(|threads| threads.to_string()).join(", ");
        let block = build::attribute(context, &format!("array<i32: {threads}>"));
        let number = |number: i64| -> Attribute {
            IntegerAttribute::new(IntegerType::new(context, 64).into(), number).into()
        };
        let mut attributes = vec![
            ("sym_name", build::string(context, self.name)),
            ("function_type", TypeAttribute::new(function_type).into()),
            ("gpu.kernel", Attribute::unit(context)),
            ("workgroup_attributions", number(i64::from(self.shared.is_some()))),
            ("known_block_size", block),
            ("arg_attrs", self.parameter_attributes()),
            (attribute::STAGE, build::string(context, self.stage)),
            (attribute::PLAN, plan::plain_attribute(context, self.plan)),
            (attribute::POINTS, number(self.work.points)),
            (attribute::FLOPS, number(self.work.flops)),
            (attribute::BYTES, number(self.work.bytes)),
        ];
        let i32_type: Type = IntegerType::new(context, 32).into();
        if let Some(registers) = self.plan.max_registers {
            let cap = IntegerAttribute::new(i32_type, i64::from(registers)).into();
            attributes.push(("nvvm.maxnreg", cap));
        }
        if self.plan.min_blocks > 1 {
            let least = IntegerAttribute::new(i32_type, i64::from(self.plan.min_blocks)).into();
            attributes.push(("nvvm.minctasm", least));
        }
        if self.plan.spills == Spills::Shared {
            let wish = format!("[[\"{}\", \"{}\"]]", spills::ATTRIBUTE, Spills::Shared.word());
            attributes.push(("passthrough", build::attribute(context, &wish)));
        }
        if let Some((bounds, follows)) = self.domain {
            attributes.push((attribute::BOUNDS, attributes::make_plain_bounds(context, bounds)));
            let follows = run_time_extents::follows(context, follows.iter().copied());
            attributes.push((attribute::FOLLOWS, follows));
        }
        if let Some((element, count)) = self.shared {
            types.push(shared_type(context, element, count));
        }
        let region = build::region_with_block(&types, self.operation.location());
        let at = Inserter::at_end(kernels, self.operation.location());
        at.create(gpu::FUNC, &[], &attributes, &[], vec![region])
    }

    /// `noalias` and `readonly` of each parameter, where proven. Both together let loads use the
    /// read-only path.
    fn parameter_attributes(&self) -> Attribute<'c> {
        let (memories, scalars) = (self.memories, self.scalars.len());
        let context = build::context(&self.operation);
        let entry = |name: &str| (Identifier::new(context, name), Attribute::unit(context));
        let (mut dictionaries, mut aliases) = (Vec::new(), Aliases::default());
        for (position, parameter) in memories.iter().enumerate() {
            let is_apart = memories.iter().enumerate().all(|(other_position, other)| {
                let may_alias = match (parameter.memory.field, other.memory.field) {
                    (Some(one), Some(two)) => aliases.may_alias(one, two),
                    _ => false,
                };
                position == other_position
                    || !may_alias
                    || !(parameter.is_written || other.is_written)
            });
            let mut entries = Vec::new();
            if is_apart {
                entries.push(entry("llvm.noalias"));
            }
            if !parameter.is_written {
                entries.push(entry("llvm.readonly"));
            }
            dictionaries.push(Attribute::from(DictionaryAttribute::new(context, &entries)));
        }
        let none = Attribute::from(DictionaryAttribute::new(context, &[]));
        dictionaries.resize(memories.len() + scalars, none);
        ArrayAttribute::new(context, &dictionaries).into()
    }
}

/// `memref<Nxelement>` in the shared memory of a block.
pub fn shared_type<'c>(context: &'c melior::Context, element: Type<'c>, count: i64) -> Type<'c> {
    let text = format!("memref<{count}x{element}, #gpu.address_space<workgroup>>");
    Type::parse(context, &text).expect("the text is a type")
}
