//! Views and builders of the `sweep` dialect's ops.
//!
//! The views rely on verified ops.

use crate::{
    Bounds, attributes,
    build::{self, Inserter},
    ffi, ods, pass, walk,
};
use melior::ir::{
    Attribute, OperationRef, Region, Type, Value,
    attribute::{ArrayAttribute, IntegerAttribute, StringAttribute},
    operation::OperationLike,
    r#type::IntegerType,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
};

pub use crate::ods::sweep::KernelOp;
pub use stencil_model::{
    plan::Form,
    sweep::{queue::SlotPlace, tiling::LANES},
};

/// The attribute of `sweep.kernel` that holds its plan.
pub const PLAN: &str = "plan";

/// The operand that a block argument of a kernel corresponds to, with its number among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A carried field, by age: 0 is the level right before the one that is computed.
    Carried(usize),
    /// A field that the sweep does not change.
    Read(usize),
    /// A scalar that is the same on every level.
    Scalar(usize),
    /// A scalar with a value per level.
    LevelScalar(usize),
}

/// What a copy in a buffer of shared memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// The tile of a plane on its way from memory.
    Ring,
    /// The same with cells around the tile, for all threads.
    Halo,
    /// The tile of a plane, for the thread that wrote it.
    Slot,
    /// Some rows of each warp, for other warps.
    Rows,
    /// The whole tile of a plane, for all threads.
    Planes,
    /// A line of a two-dimensional grid, for all threads.
    Lines,
}

impl BufferKind {
    const WORDS: [(Self, &str); 6] = [
        (Self::Ring, "ring"),
        (Self::Halo, "halo"),
        (Self::Slot, "slot"),
        (Self::Rows, "rows"),
        (Self::Planes, "planes"),
        (Self::Lines, "lines"),
    ];

    /// Its name in the IR.
    pub fn word(self) -> &'static str {
        let known = Self::WORDS.iter().find(|(kind, _)| *kind == self);
        known.expect("every kind has a name").1
    }

    /// The kind of a name.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
    }
}

impl<'c: 'a, 'a> KernelOp<'c, 'a> {
    /// Level scalars of one level.
    pub fn varying(&self) -> usize {
        self.level_scalars().len() / self.steps() as usize
    }

    /// The form, once decided.
    pub fn form(&self) -> Option<Form> {
        let word = attributes::string(self.operation().attribute("form").ok()?)?;
        Form::of_word(&word)
    }

    /// The storage of each slot of the circular queue, once decided.
    pub fn slots(&self) -> Option<Vec<SlotPlace>> {
        let array = ArrayAttribute::try_from(self.operation().attribute("slots").ok()?).ok()?;
        (0..array.len())
            .map(|slot| {
                let word = attributes::string(array.element(slot).ok()?)?;
                SlotPlace::of_word(&word)
            })
            .collect()
    }

    /// The value of the current point on the level that is computed.
    pub fn yielded(&self) -> Value<'c, 'a> {
        let last = walk::operations(self.body()).pop();
        last.and_then(|end| end.operand(0).ok())
            .expect("the verifier checked that sweep.yield ends the region")
    }

    /// The operand that a block argument of the kernel corresponds to; none for other values.
    pub fn argument_of(&self, value: Value<'c, 'a>) -> Option<Argument> {
        let (block, position) = walk::block_argument(value)?;
        if block != self.body() {
            return None;
        }
        let sizes =
            [self.carried().len(), self.reads().len(), self.scalars().len(), self.varying()];
        let kinds = [
            Argument::Carried as fn(usize) -> Argument,
            Argument::Read,
            Argument::Scalar,
            Argument::LevelScalar,
        ];
        let mut first = 0;
        for (count, kind) in sizes.into_iter().zip(kinds) {
            if position < first + count {
                return Some(kind(position - first));
            }
            first += count;
        }
        None
    }
}

/// The operands and attributes of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParts<'c, 'a> {
    /// The levels that the sweep starts from, by age.
    pub carried: Vec<Value<'c, 'a>>,
    /// The boundary sources.
    pub boundaries: Vec<Value<'c, 'a>>,
    /// The fields that the sweep does not change.
    pub reads: Vec<Value<'c, 'a>>,
    /// The scalars that are the same on every level.
    pub scalars: Vec<Value<'c, 'a>>,
    /// The scalars with a value per level, level by level.
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
    /// The form, once decided.
    pub form: Option<Form>,
    /// The storage of each slot of the circular queue, once decided.
    pub slots: Option<Vec<SlotPlace>>,
}

/// Builds a kernel. The region has one block, with an argument for each carried field, read, scalar
/// and level scalar of one level, and no terminator but `sweep.yield`.
pub fn build_kernel<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    parts: &KernelParts<'c, 'a>,
    region: Region<'c>,
) -> KernelOp<'c, 'a> {
    let context = at.context();
    let i64_type: Type = IntegerType::new(context, 64).into();
    let kernel = ods::sweep::kernel(
        at,
        &parts.carried,
        &parts.boundaries,
        &parts.reads,
        &parts.scalars,
        &parts.level_scalars,
        &parts.outs,
        attributes::make_bounds(context, &parts.domain),
        IntegerAttribute::new(i64_type, parts.steps).into(),
        StringAttribute::new(context, &parts.stage).into(),
        parts.plan,
        region,
    );
    if let Some(form) = parts.form {
        set_form(kernel, form);
    }
    if let Some(slots) = &parts.slots {
        set_slots(kernel, slots);
    }
    kernel
}

/// Sets the form of a kernel.
pub fn set_form(kernel: KernelOp, form: Form) {
    let word = build::string(build::context(&kernel.operation()), form.word());
    build::set_attribute(kernel.operation(), "form", word);
}

/// Sets the storage of each slot of a kernel's circular queue.
pub fn set_slots(kernel: KernelOp, slots: &[SlotPlace]) {
    let context = build::context(&kernel.operation());
    let words = slots.iter().map(|place| build::string(context, place.word())).collect::<Vec<_>>();
    build::set_attribute(kernel.operation(), "slots", ArrayAttribute::new(context, &words).into());
}

/// Verifies a kernel as a whole; returns the error messages.
pub type KernelCheck = fn(KernelOp) -> Vec<String>;

static KERNEL_CHECK: OnceLock<KernelCheck> = OnceLock::new();

/// Installs the check that runs on every kernel of the process after the dialect's own verifier.
/// Only the first call has an effect.
pub fn set_kernel_check(check: KernelCheck) {
    if KERNEL_CHECK.set(check).is_ok() {
        // SAFETY: the function lives as long as the process.
        unsafe { ffi::sweepSetKernelVerifier(verify_kernel) };
    }
}

extern "C" fn verify_kernel(
    kernel: mlir_sys::MlirOperation,
    emit: ffi::EmitFault,
    user_data: *mut std::ffi::c_void,
) -> bool {
    // SAFETY: C++ hands over a live op, and waits until this function returns.
    let operation = unsafe { OperationRef::from_raw(kernel) };
    let (Some(kernel), Some(check)) = (KernelOp::of(operation), KERNEL_CHECK.get()) else {
        return true;
    };
    // A panic must not cross into C++. The check only reads the op.
    let problems = catch_unwind(AssertUnwindSafe(|| check(kernel))).unwrap_or_else(|payload| {
        let what = pass::words(payload.as_ref());
        vec![format!("could not be checked, this is a bug of the compiler: {what}")]
    });
    for problem in &problems {
        emit(ffi::string_ref(problem), user_data);
    }
    problems.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{self, Source};
    use melior::ir::{BlockLike, Module};

    const TEXT: &str = r#"
!f = !stencil.field<[0,10]x[0,10]xf64>
func.func @f(%a: !f, %b: !f, %c: !f, %r: !f, %x: f64, %y: f64, %z: f64) {
  sweep.kernel "s" steps 2 over <[1, 1], [9, 9]>
      form "gather" slots ["shared", "shared", "register"]
      carried(%u = %a : !f, %v = %b : !f)
      boundaries(%a : !f, %b : !f)
      reads(%t = %r : !f)
      scalars(%k = %x : f64)
      level_scalars(%l = [%y, %z] : f64)
      outs(%c : !f)
      plan <{steps = 2}> {
    %0 = stencil.access %u[-1, 0] : !f
    %1 = stencil.access %v[0, 0] : !f
    %2 = stencil.access %t[0, 0] : !f
    %3 = arith.addf %0, %1 : f64
    %4 = arith.addf %3, %2 : f64
    %5 = arith.mulf %4, %k : f64
    %6 = arith.mulf %5, %l : f64
    sweep.yield %6 : f64
  }
  return
}
"#;

    fn kernel<'c: 'a, 'a>(module: &'a Module<'c>) -> KernelOp<'c, 'a> {
        // SAFETY: the op lives as long as the module.
        let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
        walk::nested(root).into_iter().find_map(KernelOp::of).unwrap()
    }

    #[test]
    fn a_view_says_what_the_text_says() {
        let context = context::new_context();
        let module = Source::new(&context, "test", TEXT).parse().unwrap();
        let kernel = kernel(&module);
        let function = walk::block_argument(kernel.carried()[0]).unwrap().0;
        let outer = |position: usize| build::argument(function, position);
        assert_eq!(kernel.carried(), [outer(0), outer(1)]);
        assert_eq!(kernel.boundaries(), [outer(0), outer(1)]);
        assert_eq!(kernel.reads(), [outer(3)]);
        assert_eq!(kernel.scalars(), [outer(4)]);
        assert_eq!(kernel.level_scalars(), [outer(5), outer(6)]);
        assert_eq!(kernel.outs(), [outer(2)]);
        assert_eq!((kernel.steps(), kernel.varying(), kernel.stage().as_str()), (2, 1, "s"));
        assert_eq!(kernel.domain(), Bounds::new(vec![1, 1], vec![9, 9]));
        assert_eq!(attributes::plan(kernel.plan()).unwrap().len(), 1);
        assert_eq!(kernel.form(), Some(Form::Gather));
        let slots = [SlotPlace::Shared, SlotPlace::Shared, SlotPlace::Register];
        assert_eq!(kernel.slots().unwrap(), slots);
        assert_eq!(walk::name(&walk::definition(kernel.yielded()).unwrap()), "arith.mulf");
    }

    #[test]
    fn every_argument_stands_for_an_operand() {
        let context = context::new_context();
        let module = Source::new(&context, "test", TEXT).parse().unwrap();
        let kernel = kernel(&module);
        let body = kernel.body();
        let kinds = (0..body.argument_count())
            .map(|position| kernel.argument_of(build::argument(body, position)).unwrap())
            .collect::<Vec<_>>();
        use Argument::{Carried, LevelScalar, Read, Scalar};
        assert_eq!(kinds, [Carried(0), Carried(1), Read(0), Scalar(0), LevelScalar(0)]);
        assert_eq!(kernel.argument_of(kernel.carried()[0]), None);
        assert_eq!(kernel.argument_of(kernel.yielded()), None);
    }

    #[test]
    fn a_kernel_is_made_of_its_parts() {
        let context = context::new_context();
        let module = Source::new(&context, "test", TEXT).parse().unwrap();
        let kernel = kernel(&module);
        let before = kernel.operation().to_string();
        let parts = KernelParts {
            carried: kernel.carried(),
            boundaries: kernel.boundaries(),
            reads: kernel.reads(),
            scalars: kernel.scalars(),
            level_scalars: kernel.level_scalars(),
            outs: kernel.outs(),
            domain: kernel.domain(),
            steps: kernel.steps(),
            stage: kernel.stage(),
            plan: kernel.plan(),
            form: kernel.form(),
            slots: kernel.slots(),
        };
        let region = build::take_region(kernel.operation(), 0);
        let made = build_kernel(Inserter::before(kernel.operation()), &parts, region);
        build::erase(kernel.operation());
        assert!(module.as_operation().verify());
        assert_eq!(made.operation().to_string(), before);
        set_form(made, Form::Scatter);
        assert_eq!(made.form(), Some(Form::Scatter));
        assert!(!module.as_operation().verify(), "slots are those of gather form");
        set_form(made, Form::Gather);
        set_slots(made, &[SlotPlace::Register; 3]);
        assert_eq!(made.slots().unwrap(), [SlotPlace::Register; 3]);
        assert!(module.as_operation().verify());
    }
}
