//! Spill slots of a thread in the shared memory of its block: how many bytes, where, and how they
//! are accessed.
//!
//! Slots follow what a kernel has in dynamic shared memory already: two-word slots, then one-word
//! slots. A slot of all threads of the block is contiguous, so that a warp accesses each bank once
//! for a word; or, if the plan says so, all slots of a thread are (thread-major). The linear number
//! of a thread is what a CUDA kernel computes of its indices.

use super::{host, launch};
use melior::ir::{
    Attribute, OperationRef, Type, Value, ValueLike,
    attribute::{IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::IntegerType,
};
use stencil_demotion::{Demotion, Slot};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, gpu, llvm, memref},
    types, walk,
};
use stencil_faults::{Fault, planted};
use stencil_model::{plan::SlotLayout, sweep::round_up, target::Architecture};
use stencil_passes::framework::{PassResult, refuse};

/// Bytes of a register.
const WORD: i64 = 4;
/// Dynamic shared memory of a kernel begins at a multiple of this, and so does what is added.
const ALIGNMENT: i64 = 16;

/// The layout of spill slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    layout: SlotLayout,
    /// Threads of a block along x, y, z.
    threads: [i64; 3],
    two_word: i64,
    one_word: i64,
    /// Byte at which they begin.
    begin: i64,
}

impl Layout {
    /// The layout of a kernel's slots, after the dynamic shared memory that it has.
    ///
    /// # Errors
    /// A kernel whose block is not known.
    pub fn of(kernel: OperationRef, layout: SlotLayout, demotion: &Demotion) -> PassResult<Self> {
        let block = kernel.attribute("known_block_size").ok().and_then(attributes::integers);
        let threads = block.and_then(|block| <[i64; 3]>::try_from(block).ok());
        let threads = threads.ok_or_else(|| {
            let remedy = "demote registers of kernels that convert-stencil-to-gpu-threads made";
            refuse(&kernel, "has no known block size, so that threads have no slots", remedy)
        })?;
        let slots = |words| i64::from(demotion.slots_of(words));
        Ok(Self { layout, threads, two_word: slots(2), one_word: slots(1), begin: 0 })
    }

    fn block(&self) -> i64 {
        self.threads.iter().product()
    }

    /// Bytes of the slots of one thread.
    fn bytes_of_thread(&self) -> i64 {
        let bytes = WORD * (2 * self.two_word + self.one_word);
        match self.layout {
            // An f64 is aligned in every thread.
            SlotLayout::ThreadMajor if self.two_word > 0 => round_up(bytes, 2 * WORD),
            _ => bytes,
        }
    }

    /// Bytes of the slots of a block.
    pub fn bytes(&self) -> i64 {
        self.block() * self.bytes_of_thread()
    }

    /// Bytes from the slots of a thread to those of the next, for slots of so many words.
    fn stride(&self, words: i64) -> i64 {
        match self.layout {
            SlotLayout::Interleaved64 => WORD * words,
            SlotLayout::Interleaved32 => WORD,
            SlotLayout::ThreadMajor => self.bytes_of_thread(),
        }
    }

    /// Bytes from the first slot of a thread with this stride to a word of a slot.
    fn offset(&self, slot: Slot, word: i64) -> i64 {
        let (number, words) = (i64::from(slot.number), i64::from(slot.words));
        let of_kind = number * words + word;
        let word_number = if slot.words == 2 { of_kind } else { 2 * self.two_word + of_kind };
        match self.layout {
            SlotLayout::ThreadMajor => WORD * word_number,
            // Both words of an f64 are in one slot, or in two.
            SlotLayout::Interleaved64 => WORD * self.block() * (word_number - word) + WORD * word,
            SlotLayout::Interleaved32 => WORD * self.block() * word_number,
        }
    }
}

/// Requests the shared memory of slots at every launch of a kernel; the layout learns where they
/// begin.
///
/// # Errors
/// More than a block of the target has, or a launch that asks for what is no constant.
pub fn reserve(
    module: OperationRef,
    kernel: OperationRef,
    layout: &mut Layout,
    target: &Architecture,
) -> PassResult {
    let name = kernel.attribute("sym_name").ok().and_then(attributes::string).unwrap_or_default();
    let launches = walk::nested(module).into_iter();
    let launches = launches.filter(|launch| host::kernel_symbol(*launch).as_deref() == Some(&name));
    let launches = launches.collect::<Vec<_>>();
    let mut dynamic = 0;
    for launch in &launches {
        let asked = dynamic_bytes(*launch)?;
        dynamic = dynamic.max(asked);
    }
    layout.begin = round_up(dynamic, ALIGNMENT);
    let (needed, most) = (
        layout.begin + layout.bytes() + static_bytes(kernel),
        i64::from(target.shared_bytes_max_per_block),
    );
    if needed > most {
        let name = target.name;
        let what = format!(
            "needs {needed} bytes of shared memory, {} of them for spilled values, a block \
             of {name} has {most}",
            layout.bytes()
        );
        return Err(refuse(&kernel, what, "demote fewer registers, or take fewer threads"));
    }
    let bytes = layout.begin + layout.bytes();
    launches.into_iter().for_each(|launch| launch::ask_for_shared(launch, bytes));
    Ok(())
}

/// Bytes of dynamic shared memory that a launch asks for.
fn dynamic_bytes(launch: OperationRef) -> PassResult<i64> {
    let asked = launch::segment(launch, launch::SHARED_BYTES);
    let asked = asked.first().map(|asked| launch::constant(*asked));
    let remedy = "give the dynamic shared memory as a constant";
    asked
        .unwrap_or(Some(0))
        .ok_or_else(|| refuse(&launch, "asks for shared memory that is not known", remedy))
}

/// The slots of the thread that runs, in the code of its kernel.
pub struct Slots<'c, 'a> {
    layout: Layout,
    /// The addresses of the two-word and the one-word slots, if there are any.
    bases: [Option<Value<'c, 'a>>; 2],
}

impl<'c: 'a, 'a> Slots<'c, 'a> {
    /// Computes their addresses, at the start of the kernel.
    pub fn new(kernel: OperationRef<'c, 'a>, layout: Layout) -> Self {
        let entry = build::block_of(kernel, 0);
        let at = Inserter::at_start(entry, kernel.location());
        let bytes = Type::parse(at.context(), "memref<?xi8, #gpu.address_space<workgroup>>");
        let bytes = bytes.expect("the text is a type");
        let i64_type: Type = IntegerType::new(at.context(), 64).into();
        let all = gpu::dynamic_shared_memory(at, bytes);
        let memory = base_pointer(at, all, pointer_type(at));
        let number = number_of_thread(at, layout.threads);
        let byte = byte(at);
        let bases = [(2, layout.two_word), (1, layout.one_word)].map(|(words, slots)| {
            (slots > 0).then(|| {
                let stride = at.integer(i64_type, layout.stride(words));
                let place = arith::muli(at, number, stride);
                let base = element(at, memory, &[place], DYNAMIC_INDEX, byte);
                element(at, base, &[], layout.begin, byte)
            })
        });
        Self { layout, bases }
    }

    fn base(&self, slot: Slot) -> Value<'c, 'a> {
        self.bases[usize::from(slot.words == 1)].expect("there are slots of so many words")
    }

    fn place(&self, at: Inserter<'c, 'a>, slot: Slot, word: i64) -> Value<'c, 'a> {
        element(at, self.base(slot), &[], self.layout.offset(slot, word), byte(at))
    }

    /// Whether a slot is accessed word by word.
    fn is_in_words(&self, slot: Slot) -> bool {
        slot.words == 2 && self.layout.layout == SlotLayout::Interleaved32
    }

    /// Instructions that move the value of a slot.
    pub fn instructions(&self, slot: Slot) -> u64 {
        if self.is_in_words(slot) { 2 } else { 1 }
    }

    /// Stores a value in a slot.
    pub fn store(&self, at: Inserter<'c, 'a>, slot: Slot, value: Value<'c, 'a>) {
        if !self.is_in_words(slot) {
            let place = self.place(at, slot, 0);
            at.create(llvm::STORE, &[value, place], &volatile(at, slot.words), &[], Vec::new());
            return;
        }
        let i32_type = IntegerType::new(at.context(), 32).into();
        for (word, half) in ["llvm.nvvm.d2i.lo", "llvm.nvvm.d2i.hi"].into_iter().enumerate() {
            let part = intrinsic(at, half, &[value], i32_type);
            let place = self.place(at, slot, word as i64);
            at.create(llvm::STORE, &[part, place], &volatile(at, 1), &[], Vec::new());
        }
    }

    /// Loads a value of a type out of a slot.
    pub fn load(&self, at: Inserter<'c, 'a>, slot: Slot, r#type: Type<'c>) -> Value<'c, 'a> {
        if !self.is_in_words(slot) {
            let place = self.place(at, slot, 0);
            return at.value(llvm::LOAD, &[place], &volatile(at, slot.words), r#type);
        }
        let words = [0, 1].map(|word| {
            let i32_type = IntegerType::new(at.context(), 32).into();
            at.value(llvm::LOAD, &[self.place(at, slot, word)], &volatile(at, 1), i32_type)
        });
        intrinsic(at, "llvm.nvvm.lohi.i2d", &words, r#type)
    }
}

/// A pointer to the first element of a memory.
pub fn base_pointer<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    memory: Value<'c, 'a>,
    pointer: Type<'c>,
) -> Value<'c, 'a> {
    let i64_type: Type = IntegerType::new(at.context(), 64).into();
    let address = memref::extract_aligned_pointer_as_index(at, memory);
    let address = arith::index_cast(at, i64_type, address);
    llvm::inttoptr(at, pointer, address)
}

/// The number of a thread in its block, as i64.
fn number_of_thread<'c: 'a, 'a>(at: Inserter<'c, 'a>, threads: [i64; 3]) -> Value<'c, 'a> {
    let index = Type::index(at.context());
    let mut number = at.index(0);
    for (axis, count) in ["x", "y", "z"].into_iter().zip(threads).rev() {
        if count > 1 {
            let axis = build::attribute(at.context(), &format!("#gpu<dim {axis}>"));
            let along = at.value(gpu::THREAD_ID, &[], &[("dimension", axis)], index);
            let before = arith::muli(at, number, at.index(count));
            number = arith::addi(at, before, along);
        }
    }
    if planted(Fault::SharedSlots) {
        number = arith::divui(at, number, at.index(2));
    }
    arith::index_cast(at, IntegerType::new(at.context(), 64).into(), number)
}

fn pointer_type<'c>(at: Inserter<'c, '_>) -> Type<'c> {
    Type::parse(at.context(), "!llvm.ptr<3>").expect("the text is a type")
}

/// A call of an intrinsic. A double is taken apart by those that are made for it: of a truncating
/// store of its bits LLVM makes a store of 32 bits of a 64-bit register, and `ptxas` 13.0.88
/// converts that register, if a floating-point operation wrote it, to an integer.
fn intrinsic<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    name: &str,
    operands: &[Value<'c, 'a>],
    result: Type<'c>,
) -> Value<'c, 'a> {
    let segments = format!("array<i32: {}, 0>", operands.len());
    let attributes = [
        ("intrin", build::string(at.context(), name)),
        ("op_bundle_sizes", build::attribute(at.context(), "array<i32>")),
        ("operandSegmentSizes", build::attribute(at.context(), &segments)),
    ];
    at.value(llvm::CALL_INTRINSIC, operands, &attributes, result)
}

/// The index of `llvm.getelementptr` that is an operand.
pub const DYNAMIC_INDEX: i64 = i32::MIN as i64;

fn byte<'c>(at: Inserter<'c, '_>) -> Type<'c> {
    IntegerType::new(at.context(), 8).into()
}

/// A pointer so many elements behind another.
pub fn element<'c: 'a, 'a>(
    at: Inserter<'c, 'a>,
    pointer: Value<'c, 'a>,
    index: &[Value<'c, 'a>],
    elements: i64,
    element: Type<'c>,
) -> Value<'c, 'a> {
    let indices = build::attribute(at.context(), &format!("array<i32: {elements}>"));
    let element = TypeAttribute::new(element).into();
    let attributes = [("rawConstantIndices", indices), ("elem_type", element)];
    let operands = [&[pointer], index].concat();
    at.value(llvm::GETELEMENTPTR, &operands, &attributes, pointer.r#type())
}

/// What an access of so many words says of itself.
fn volatile<'c>(at: Inserter<'c, '_>, words: u32) -> [(&'static str, Attribute<'c>); 2] {
    let i64_type = IntegerType::new(at.context(), 64).into();
    let alignment = IntegerAttribute::new(i64_type, WORD * i64::from(words)).into();
    [("volatile_", Attribute::unit(at.context())), ("alignment", alignment)]
}

/// Bytes of static shared memory of a kernel.
fn static_bytes(kernel: OperationRef) -> i64 {
    let count = kernel.attribute("workgroup_attributions").ok().and_then(attributes::integer);
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let entry = build::block_of(kernel, 0);
    let inputs = build::function_type(kernel).map_or(0, |r#type| r#type.input_count());
    let bytes = |position| shared_bytes(build::argument(entry, position).r#type());
    (inputs..inputs + count).map(bytes).sum()
}

/// Bytes of a memref of static shape.
fn shared_bytes(r#type: Type) -> i64 {
    let (count, element) = types::shaped(r#type).expect("an array in shared memory has extents");
    let bytes = types::element_bytes(element).expect("its elements are numbers");
    count as i64 * i64::from(bytes)
}
