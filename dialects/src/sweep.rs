//! Views of the `sweep` dialect's ops, and their making.
//!
//! All readers rely on the op having passed its verifier.

use crate::{
    Bounds, attributes,
    build::{self, Inserter},
    ops, walk,
};
use melior::ir::{
    Attribute, BlockRef, OperationRef, Region, Type, Value,
    attribute::{ArrayAttribute, DenseI32ArrayAttribute, IntegerAttribute, StringAttribute},
    operation::OperationLike,
    r#type::IntegerType,
};

/// `sweep.kernel`.
pub const KERNEL: &str = "sweep.kernel";
/// `sweep.yield`.
pub const YIELD: &str = "sweep.yield";
/// The attribute of `sweep.kernel` that holds its plan.
pub const PLAN: &str = "plan";

/// How a kernel computes a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// From all planes that it reads, which are kept until then.
    Gather,
    /// By adding to its sum what each plane that arrives contributes.
    Scatter,
}

impl Form {
    const ALL: [Self; 2] = [Self::Gather, Self::Scatter];

    /// The word that stands in the IR.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Scatter => "scatter",
        }
    }
}

/// Where a slot of the circular queue lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotPlace {
    /// In a register of the thread.
    Register,
    /// In shared memory.
    Shared,
}

impl SlotPlace {
    const ALL: [Self; 2] = [Self::Register, Self::Shared];

    /// The word that stands in the IR.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Shared => "shared",
        }
    }
}

/// What an argument of a kernel's region stands for, with its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A carried field, by its age: 0 is the level right below the one that is computed.
    Carried(usize),
    /// A field that the sweep does not change.
    Read(usize),
    /// A number that is the same on every level.
    Scalar(usize),
    /// A number that each level has its own value of.
    LevelScalar(usize),
}

/// A view of `sweep.kernel`.
#[derive(Clone, Copy, Debug)]
pub struct KernelOp<'c, 'a>(OperationRef<'c, 'a>);

impl<'c: 'a, 'a> KernelOp<'c, 'a> {
    /// The view, if the op is of this kind.
    pub fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        (walk::name(&operation) == KERNEL).then_some(Self(operation))
    }

    /// The op itself.
    pub fn operation(&self) -> OperationRef<'c, 'a> {
        self.0
    }

    /// The fields that hold the levels the sweep starts from, by age: the newest first.
    pub fn carried(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 0)
    }

    /// The fields that have the cells outside of the domain: level `s` those of the field number
    /// `s mod R`, of R fields.
    pub fn homes(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 1)
    }

    /// The fields that the sweep does not change.
    pub fn reads(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 2)
    }

    /// The numbers that are the same on every level.
    pub fn scalars(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 3)
    }

    /// The numbers that each level has its own values of: all of the first level, then all of the
    /// next.
    pub fn level_scalars(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 4)
    }

    /// The fields that get the last levels, the very last first.
    pub fn outs(&self) -> Vec<Value<'c, 'a>> {
        ops::segment(self.0, 5)
    }

    /// Level scalars of one level.
    pub fn varying(&self) -> usize {
        self.level_scalars().len() / self.steps() as usize
    }

    /// The points that every level is computed at.
    pub fn domain(&self) -> Bounds {
        attributes::bounds(self.attribute("domain")).expect("the domain is a #stencil.bounds")
    }

    /// Time levels that one sweep computes.
    pub fn steps(&self) -> i64 {
        attributes::integer(self.attribute("steps")).expect("the steps are an integer")
    }

    /// The stable name that the kernel's stage has had through all passes.
    pub fn stage(&self) -> String {
        attributes::string(self.attribute("stage")).expect("the stage is a string")
    }

    /// The decision for this kernel, a `#stencil.plan`.
    pub fn plan(&self) -> Attribute<'c> {
        self.attribute(PLAN)
    }

    /// How planes are computed, where that is decided.
    pub fn form(&self) -> Option<Form> {
        let word = attributes::string(self.0.attribute("form").ok()?)?;
        Form::ALL.into_iter().find(|form| form.word() == word)
    }

    /// Where each slot of the circular queue lies, where that is decided.
    pub fn slots(&self) -> Option<Vec<SlotPlace>> {
        let array = ArrayAttribute::try_from(self.0.attribute("slots").ok()?).ok()?;
        (0..array.len())
            .map(|slot| {
                let word = attributes::string(array.element(slot).ok()?)?;
                SlotPlace::ALL.into_iter().find(|place| place.word() == word)
            })
            .collect()
    }

    /// The block that computes one point of one level.
    pub fn body(&self) -> BlockRef<'c, 'a> {
        build::block_of(self.0, 0)
    }

    /// The value of the current point on the level that is computed.
    pub fn yielded(&self) -> Value<'c, 'a> {
        let last = walk::operations(self.body()).pop();
        last.and_then(|end| end.operand(0).ok())
            .expect("the verifier checked that sweep.yield ends the region")
    }

    /// Which argument of the kernel a value of its region is; none for other values.
    pub fn argument_of(&self, value: Value<'c, 'a>) -> Option<Argument> {
        let (block, position) = walk::block_argument(value)?;
        if block != self.body() {
            return None;
        }
        let kinds: [(usize, fn(usize) -> Argument); 4] = [
            (self.carried().len(), Argument::Carried),
            (self.reads().len(), Argument::Read),
            (self.scalars().len(), Argument::Scalar),
            (self.varying(), Argument::LevelScalar),
        ];
        let mut first = 0;
        for (count, make) in kinds {
            if position < first + count {
                return Some(make(position - first));
            }
            first += count;
        }
        None
    }

    fn attribute(&self, name: &str) -> Attribute<'c> {
        self.0.attribute(name).expect("the verifier checked the kernel's attributes")
    }
}

/// What a kernel is made of, apart from its region.
#[derive(Clone, Debug)]
pub struct KernelParts<'c, 'a> {
    /// The levels that the sweep starts from, by age.
    pub carried: Vec<Value<'c, 'a>>,
    /// The fields of the cells outside of the domain.
    pub homes: Vec<Value<'c, 'a>>,
    /// The fields that the sweep does not change.
    pub reads: Vec<Value<'c, 'a>>,
    /// The numbers that are the same on every level.
    pub scalars: Vec<Value<'c, 'a>>,
    /// The numbers that differ, level by level.
    pub level_scalars: Vec<Value<'c, 'a>>,
    /// The fields that get the last levels, the very last first.
    pub outs: Vec<Value<'c, 'a>>,
    /// The points that every level is computed at.
    pub domain: Bounds,
    /// Time levels.
    pub steps: i64,
    /// The stage's name.
    pub stage: String,
    /// A `#stencil.plan`.
    pub plan: Attribute<'c>,
    /// How planes are computed, where that is decided.
    pub form: Option<Form>,
    /// Where each slot of the circular queue lies, where that is decided.
    pub slots: Option<Vec<SlotPlace>>,
}

/// Makes and inserts a kernel. The region has one block, with an argument for each carried field,
/// read, scalar and level scalar of one level, of its type, and ends in `sweep.yield`.
pub fn build_kernel<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    parts: &KernelParts<'c, 'a>,
    region: Region<'c>,
) -> KernelOp<'c, 'a> {
    let context = at.context();
    let segments = [
        &parts.carried,
        &parts.homes,
        &parts.reads,
        &parts.scalars,
        &parts.level_scalars,
        &parts.outs,
    ];
    let sizes = segments.map(|segment| segment.len() as i32);
    let operands = segments.into_iter().flatten().copied().collect::<Vec<_>>();
    let i64_type: Type = IntegerType::new(context, 64).into();
    let attributes = [
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(context, &sizes).into()),
        ("domain", attributes::make_bounds(context, &parts.domain)),
        ("steps", IntegerAttribute::new(i64_type, parts.steps).into()),
        ("stage", StringAttribute::new(context, &parts.stage).into()),
        (PLAN, parts.plan),
    ];
    let kernel = KernelOp(at.create(KERNEL, &operands, &attributes, &[], vec![region]));
    if let Some(form) = parts.form {
        set_form(kernel, form);
    }
    if let Some(slots) = &parts.slots {
        set_slots(kernel, slots);
    }
    kernel
}

/// Decides how a kernel computes planes.
pub fn set_form(kernel: KernelOp, form: Form) {
    let word = build::string(build::context(&kernel.0), form.word());
    build::set_attribute(kernel.0, "form", word);
}

/// Decides where each slot of a kernel's circular queue lies.
pub fn set_slots(kernel: KernelOp, slots: &[SlotPlace]) {
    let context = build::context(&kernel.0);
    let words = slots.iter().map(|place| build::string(context, place.word())).collect::<Vec<_>>();
    build::set_attribute(kernel.0, "slots", ArrayAttribute::new(context, &words).into());
}
