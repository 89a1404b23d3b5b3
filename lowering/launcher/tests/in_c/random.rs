//! Random host programs: launches and copies of calls from C equal those of
//! `stencil_runtime::host`.

use crate::compiled::{Program, field, kernel, package, scalar};
use std::fmt::Write;
use stencil_runtime::{
    ScalarOp, ScalarType, ScalarValue,
    host::{self, BoundArgument, Device, DeviceError, LaunchArgument},
    manifest::{Argument, ArgumentKind, Carried, Function, Id, Kernel, Parameter, Statement},
    scalar::{FloatPredicate, IntPredicate},
};

const FUNCTIONS: u64 = 60;
const RUNS: usize = 4;

/// The generator of Steele, Lea and Flood, Fast splittable pseudorandom number generators,
/// OOPSLA 2014.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A value that is a corner case of operations, or any.
    fn value(&mut self, ty: ScalarType) -> ScalarValue {
        let bits = match self.below(6) {
            0 => self.next(),
            1 => (1u64 << self.below(64)).wrapping_sub(self.next() % 3),
            2 if ty.is_float() => {
                return ScalarValue::from_f64(ty, f64::from(self.next() as i8) / 4.0);
            }
            3 if ty.is_float() => {
                let special = [f64::NAN, f64::INFINITY, -0.0, 1e300, -1e-300, 3e9];
                return ScalarValue::from_f64(ty, *self.pick(&special));
            }
            _ => (self.next() % 9).wrapping_sub(3),
        };
        ScalarValue::from_bits(ty, bits)
    }
}

/// An operation with types that it takes.
struct Signature {
    op: ScalarOp,
    operands: Vec<ScalarType>,
    result: ScalarType,
}

/// Every operation on all types that it takes.
fn signatures() -> Vec<Vec<Signature>> {
    let names = "addi subi muli divsi divui remsi remui andi ori xori shli shrsi shrui minsi minui \
                 maxsi maxui select extsi extui trunci index_cast index_castui sitofp uitofp \
                 fptosi fptoui extf truncf addf subf mulf divf negf absf sqrt fma minnumf maxnumf \
                 minimumf maximumf";
    let mut ops: Vec<ScalarOp> =
        names.split_whitespace().map(|name| ScalarOp::from_name(name).unwrap()).collect();
    use FloatPredicate as F;
    use IntPredicate as I;
    let integers = [I::Eq, I::Ne, I::Slt, I::Sle, I::Sgt, I::Sge, I::Ult, I::Ule, I::Ugt, I::Uge];
    let floats = [
        F::False,
        F::Oeq,
        F::Ogt,
        F::Oge,
        F::Olt,
        F::Ole,
        F::One,
        F::Ord,
        F::Ueq,
        F::Ugt,
        F::Uge,
        F::Ult,
        F::Ule,
        F::Une,
        F::Uno,
        F::True,
    ];
    ops.extend(integers.map(ScalarOp::CmpI));
    ops.extend(floats.map(ScalarOp::CmpF));
    ops.into_iter().map(signatures_of).collect()
}

fn signatures_of(op: ScalarOp) -> Vec<Signature> {
    let mut found = Vec::new();
    for a in ScalarType::ALL {
        for operands in [vec![a], vec![a, a], vec![a, a, a], vec![ScalarType::I1, a, a]] {
            let results = ScalarType::ALL.into_iter();
            let results = results.filter(|ty| op.check_types(&operands, *ty).is_ok());
            found.extend(results.map(|result| Signature {
                op,
                operands: operands.clone(),
                result,
            }));
        }
    }
    assert!(!found.is_empty(), "{op} takes some types");
    found
}

/// A program while it is made.
struct Maker<'m> {
    random: Random,
    signatures: &'m [Vec<Signature>],
    next: u32,
    /// Numbers and buffers that a statement may use here; buffers are all of one type and size.
    scalars: Vec<(Id, ScalarType)>,
    buffers: Vec<Id>,
}

impl Maker<'_> {
    fn define(&mut self) -> Id {
        self.next += 1;
        Id(self.next - 1)
    }

    /// An existing number of this type, or a new constant.
    fn scalar(&mut self, ty: ScalarType, body: &mut Vec<Statement>) -> Id {
        let known: Vec<Id> =
            self.scalars.iter().filter(|(_, of)| *of == ty).map(|(id, _)| *id).collect();
        if !known.is_empty() && self.random.below(4) > 0 {
            return *self.random.pick(&known);
        }
        let value = self.random.value(ty);
        self.constant(value, body)
    }

    fn constant(&mut self, value: ScalarValue, body: &mut Vec<Statement>) -> Id {
        let result = self.define();
        body.push(Statement::Constant { result, value });
        self.scalars.push((result, value.ty()));
        result
    }

    fn body(&mut self, depth: usize) -> Vec<Statement> {
        let mut body = Vec::new();
        for _ in 0..3 + self.random.below(6) {
            match self.random.below(10) {
                0..5 => self.operation(&mut body),
                5 => self.take(&mut body),
                6 => {
                    let arguments = vec![self.buffer(), self.buffer()];
                    body.push(Statement::Launch { kernel: "pair".to_owned(), arguments });
                }
                7 => {
                    let (from, to) = (self.buffer(), self.buffer());
                    body.push(Statement::Copy { from, to });
                }
                8 => {
                    let result = self.define();
                    let (element, elements) = (ScalarType::F32, 12);
                    body.push(Statement::Allocate { result, element, elements });
                    self.buffers.push(result);
                }
                _ if depth > 0 => self.counted_loop(depth - 1, &mut body),
                _ => self.take(&mut body),
            }
        }
        self.take(&mut body);
        body
    }

    fn buffer(&mut self) -> Id {
        *self.random.pick(&self.buffers)
    }

    fn operation(&mut self, body: &mut Vec<Statement>) {
        let of_operation = self.random.pick(self.signatures);
        let Signature { op, operands, result: ty } = self.random.pick(of_operation);
        let operands = operands.iter().map(|ty| self.scalar(*ty, body)).collect();
        let result = self.define();
        body.push(Statement::Scalar { result, op: *op, operands, ty: *ty });
        self.scalars.push((result, *ty));
    }

    /// A launch with a number as an argument.
    fn take(&mut self, body: &mut Vec<Statement>) {
        let Some((id, ty)) = self.scalars.last().copied() else { return };
        let (id, ty) =
            if self.random.below(2) == 0 { (id, ty) } else { *self.random.pick(&self.scalars) };
        body.push(Statement::Launch { kernel: format!("take_{ty}"), arguments: vec![id] });
    }

    fn counted_loop(&mut self, depth: usize, body: &mut Vec<Statement>) {
        let integers: Vec<ScalarType> =
            ScalarType::ALL.into_iter().filter(|ty| ty.is_integer()).collect();
        let ty = *self.random.pick(&integers);
        // Few iterations; rarely an invalid step.
        let lower = self.random.next() as i64 % 4;
        let upper = lower + self.random.below(4) as i64;
        let step = 1 + self.random.below(3) as i64 - i64::from(self.random.below(8) == 0);
        let [lower, upper, step] = [lower, upper, step]
            .map(|value| self.constant(ScalarValue::from_integer(ty, value), body));
        let induction = self.define();
        let outside = (self.scalars.clone(), self.buffers.clone());

        let mut carried = Vec::new();
        for _ in 0..self.random.below(4) {
            let initial = self.buffer();
            carried.push((initial, self.define(), self.define(), None));
        }
        for _ in 0..self.random.below(3) {
            let ty = *self.random.pick(&ScalarType::ALL);
            let initial = self.scalar(ty, body);
            carried.push((initial, self.define(), self.define(), Some(ty)));
        }
        self.scalars.push((induction, ty));
        for (_, argument, _, ty) in &carried {
            match ty {
                Some(ty) => self.scalars.push((*argument, *ty)),
                None => self.buffers.push(*argument),
            }
        }
        let mut inner = self.body(depth);
        let mut slots = Vec::new();
        for (initial, argument, result, ty) in &carried {
            let next = match ty {
                Some(ty) => self.scalar(*ty, &mut inner),
                None => self.buffer(),
            };
            let (initial, argument, result) = (*initial, *argument, *result);
            slots.push(Carried { initial, argument, next, result });
        }
        (self.scalars, self.buffers) = outside;
        body.push(Statement::For { lower, upper, step, induction, carried: slots, body: inner });
        for (_, _, result, ty) in carried {
            match ty {
                Some(ty) => self.scalars.push((result, ty)),
                None => self.buffers.push(result),
            }
        }
    }
}

fn arguments(random: &mut Random) -> Vec<Argument> {
    let mut arguments: Vec<Argument> =
        ["u", "v", "w"].map(|name| field(name, ScalarType::F32, &[3, 4])).into();
    for index in 0..3 {
        arguments.push(scalar(&format!("x{index}"), *random.pick(&ScalarType::ALL)));
    }
    arguments
}

/// A valid program; an invalid one (a loop that carries its own temporary) is dropped.
fn function(seed: u64, signatures: &[Vec<Signature>], kernels: &[Kernel]) -> Function {
    for attempt in 0.. {
        let mut random = Random(seed << 20 | attempt);
        let arguments = arguments(&mut random);
        let numbered = arguments.iter().enumerate();
        let scalars = numbered.clone().filter_map(|(index, argument)| match argument.kind {
            ArgumentKind::Scalar { scalar, .. } => Some((Id(index as u32), scalar)),
            ArgumentKind::Field(_) => None,
        });
        let fields = numbered.filter(|(_, argument)| argument.kind.as_field().is_some());
        let mut maker = Maker {
            scalars: scalars.collect(),
            buffers: fields.map(|(index, _)| Id(index as u32)).collect(),
            next: arguments.len() as u32,
            random,
            signatures,
        };
        let body = maker.body(2);
        let name = format!("f{seed}");
        let function = Function {
            name,
            variant_of: None,
            arguments,
            body,
            time_steps: None,
            step_limits: Vec::new(),
            extents: None,
            decomposition: None,
        };
        if package(vec![function.clone()], kernels.to_vec()).code.manifest.validate().is_ok() {
            return function;
        }
    }
    unreachable!("some attempt is valid")
}

/// Writes what happens as the driver of the tests does. A buffer is its number.
#[derive(Default)]
struct Recorder {
    lines: String,
    buffers: usize,
}

impl Device for Recorder {
    type Buffer = usize;

    fn allocate(&mut self, _bytes: usize) -> Result<usize, DeviceError> {
        self.buffers += 1;
        Ok(self.buffers - 1)
    }
    fn free(&mut self, _buffer: usize) -> Result<(), DeviceError> {
        Ok(())
    }
    fn fill(&mut self, _buffer: usize, _byte: u8, _bytes: usize) -> Result<(), DeviceError> {
        unreachable!("nothing is filled in a run")
    }
    fn upload(&mut self, _to: usize, _content: &[u8]) -> Result<(), DeviceError> {
        unreachable!("fields are on the device")
    }
    fn download(&mut self, _from: usize, _content: &mut [u8]) -> Result<(), DeviceError> {
        unreachable!("fields are on the device")
    }
    fn copy(&mut self, from: usize, to: usize, bytes: usize) -> Result<(), DeviceError> {
        writeln!(self.lines, "copy #{from} #{to} {bytes}").unwrap();
        Ok(())
    }
    fn launch(
        &mut self,
        kernel: &Kernel,
        arguments: &[LaunchArgument<usize>],
    ) -> Result<(), DeviceError> {
        write!(self.lines, "launch {} 4,2,1 32,3,1 0", kernel.name).unwrap();
        for argument in arguments {
            match argument {
                LaunchArgument::Buffer(number) => write!(self.lines, " #{number}"),
                LaunchArgument::Scalar(value) if value.is_nan() => write!(self.lines, " nan"),
                LaunchArgument::Scalar(value) => {
                    let digits = 2 * value.ty().bytes();
                    write!(self.lines, " {:0digits$x}", value.bits())
                }
            }
            .unwrap();
        }
        self.lines.push('\n');
        Ok(())
    }
    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    fn overlap(&self, left: usize, right: usize) -> bool {
        left == right
    }
}

/// What two equal runs print: their lines, the code of the end, and the message.
fn expected(function: &Function, kernels: &[Kernel], scalars: &[ScalarValue]) -> String {
    let manifest = package(vec![function.clone()], kernels.to_vec()).code.manifest;
    let mut device = Recorder { buffers: 3, ..Recorder::default() };
    let mut bound: Vec<BoundArgument<usize>> = (0..3).map(BoundArgument::Device).collect();
    bound.extend(scalars.iter().copied().map(BoundArgument::Scalar));
    match host::run(function, &manifest, &mut device, bound) {
        Ok(_) => format!("{}end 0 \n", device.lines.repeat(2)),
        // A program is evaluated before anything is launched.
        Err(error) => format!("end 3 {error}\n"),
    }
}

const MAIN: &str = r#"
#include <cuda.h>
#include <stdio.h>
#include <string.h>

void (*driver_on_launch)(const char *kernel, void **parameters);
int driver_log_copies = 1;

static stencil_module *handle;
static stencil_array fields[3];

static float single(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double wide(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void begin(void)
{
    int index;
    random_create(&handle);
    for (index = 0; index < 3; index++) {
        CUdeviceptr address;
        cuMemAlloc(&address, 48);
        fields[index].data = (void *)(uintptr_t)address;
    }
}

/* After two equal calls: the second one may be made of graphs. */
static void end(stencil_status code, stencil_status again)
{
    CUcontext context = NULL;
    int index;
    printf("end %d %s\n", (int)code, code == STENCIL_OK ? "" : stencil_last_error());
    if (code != again) {
        printf("the second run ended with %d\n", (int)again);
    }
    stencil_module_free(handle);
    for (index = 0; index < 3; index++) {
        cuMemFree((CUdeviceptr)(uintptr_t)fields[index].data);
    }
    cuCtxGetCurrent(&context);
    if (driver_live_buffers() != 0 || context != (CUcontext)(uintptr_t)1) {
        printf("something is left\n");
    }
    driver_forget_buffers();
}

int main(void)
{
    cuCtxSetCurrent((CUcontext)(uintptr_t)1);
"#;

#[test]
fn random_programs_do_in_c_what_the_runtime_does() {
    let signatures = signatures();
    let mut kernels: Vec<Kernel> = ScalarType::ALL
        .iter()
        .map(|ty| kernel(&format!("take_{ty}"), vec![Parameter::Scalar(*ty)]))
        .collect();
    kernels.push(kernel("pair", vec![Parameter::Pointer; 2]));
    let functions: Vec<Function> =
        (0..FUNCTIONS).map(|seed| function(seed, &signatures, &kernels)).collect();

    let mut random = Random(7);
    let (mut main, mut runs) = (MAIN.to_owned(), Vec::new());
    for function in &functions {
        for _ in 0..RUNS {
            let scalars: Vec<ScalarValue> = function.arguments[3..]
                .iter()
                .map(|argument| match argument.kind {
                    ArgumentKind::Scalar { scalar, .. } => random.value(scalar),
                    ArgumentKind::Field(_) => unreachable!("fields come first"),
                })
                .collect();
            let given: Vec<String> =
                scalars.iter().copied().map(crate::scalars::argument).collect();
            let (name, given) = (&function.name, given.join(", "));
            let call = format!(
                "random_run_{name}(handle, &fields[0], &fields[1], &fields[2], {given}, 0)"
            );
            writeln!(main, "    begin();\n    end({call},\n        {call});").unwrap();
            runs.push((function, expected(function, &kernels, &scalars)));
        }
    }
    main.push_str("    return 0;\n}\n");
    let program = Program::new(&package(functions.clone(), kernels.clone()), "random", &main);

    let flags = ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover"];
    let printed = program.run("cc", &flags);
    let mut rest = printed.as_str();
    for (function, expected) in &runs {
        let at = rest.find("end ").unwrap();
        let end = at + rest[at..].find('\n').unwrap() + 1;
        let (run, after) = rest.split_at(end);
        assert!(run == expected, "{run}{expected}{:#?}", function.body);
        rest = after;
    }
    assert_eq!(rest, "");
    // The programs are not trivial: most run to their end, and each kind of error occurs.
    let ends = |text: &str| runs.iter().filter(|(_, run)| run.contains(text)).count();
    assert!(ends("end 0 ") > runs.len() / 4, "{} of {}", ends("end 0 "), runs.len());
    for error in ["by zero", "the amount must be below", "which cannot hold it", "has step"] {
        assert!(ends(error) > 0, "{error}");
    }
}
