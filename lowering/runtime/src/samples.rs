//! A small program that the unit tests share: `steps` steps of a 1-D average over two fields.

use crate::{
    manifest::{
        Argument, ArgumentKind, BytesPerPoint, Carried, Cut, Decomposition, FORMAT, FORMAT_FIXED,
        FieldShape, FlopsPerPoint, Function, Id, Kernel, Manifest, Parameter, PlaneParameters,
        Producer, Statement, TimeSteps, Window, WindowNumber, WindowValue,
    },
    package::{Code, Package, Selftest, SelftestRun},
    scalar::{ScalarOp, ScalarType, ScalarValue},
};
use std::{collections::BTreeMap, num::NonZeroU64};

/// Cells of each field of the sample, halo included.
pub const CELLS: usize = 12;

/// The argument with the number of steps.
pub fn steps() -> Id {
    Id(2)
}

/// A value that only the loop's body sees.
pub fn loop_argument() -> Id {
    Id(11)
}

fn field(cells: usize) -> ArgumentKind {
    ArgumentKind::Field(FieldShape {
        lower: vec![-1],
        upper: vec![cells as i64 - 1],
        element: ScalarType::F32,
        scratch: false,
        padding: None,
        written: true,
    })
}

fn argument(name: Option<&str>, kind: ArgumentKind) -> Argument {
    Argument { name: name.map(str::to_owned), kind }
}

/// `heat(u, v, steps, dt)`: each step runs `step(source, target, 2 * dt)` and swaps the fields.
pub fn function() -> Function {
    let variant_of = None;
    Function { name: "heat".to_owned(), variant_of, ..function_on(CELLS) }
}

/// The same as a variant with fields of so many cells. It launches the same kernel on other
/// buffers, which is a valid manifest though no useful program.
pub fn function_on(cells: usize) -> Function {
    let constant = |id, value| Statement::Constant { result: Id(id), value };
    let index = |value| ScalarValue::from_integer(ScalarType::Index, value);
    let launch = Statement::Launch {
        kernel: "step".to_owned(),
        arguments: vec![loop_argument(), Id(12), Id(6)],
    };
    let carried = |initial, argument, next, result| Carried {
        initial: Id(initial),
        argument: Id(argument),
        next: Id(next),
        result: Id(result),
    };
    Function {
        name: format!("heat_{cells}"),
        variant_of: Some("heat".to_owned()),
        arguments: vec![
            argument(Some("u"), field(cells)),
            argument(Some("v"), field(cells)),
            argument(
                Some("steps"),
                ArgumentKind::Scalar { scalar: ScalarType::Index, symbol: None },
            ),
            argument(
                None,
                ArgumentKind::Scalar { scalar: ScalarType::F32, symbol: Some("dt".to_owned()) },
            ),
        ],
        body: vec![
            constant(4, index(0)),
            constant(5, index(1)),
            Statement::Scalar {
                result: Id(6),
                op: ScalarOp::AddF,
                operands: vec![Id(3), Id(3)],
                ty: ScalarType::F32,
            },
            Statement::For {
                lower: Id(4),
                upper: steps(),
                step: Id(5),
                induction: Id(10),
                carried: vec![carried(0, 11, 12, 13), carried(1, 12, 11, 14)],
                body: vec![launch],
            },
        ],
        time_steps: None,
        step_limits: Vec::new(),
        extents: None,
        decomposition: None,
    }
}

/// [`function`] on 16 planes that two devices share, with an exchange every two time steps: each
/// owns eight, and has two more.
pub fn shared_function() -> Function {
    let window =
        |owned, shift| Window { owned, shift, seam: None, computed: Vec::new(), early: Vec::new() };
    let cut = Some(Cut { dimension: 0, lower: -1, upper: 17, received: None });
    let decomposition = Some(Decomposition {
        lower: 0,
        upper: 16,
        halo: 2,
        steps: NonZeroU64::new(2),
        windows: vec![window([0, 8], 0), window([8, 16], 6)],
        fields: vec![cut.clone(), cut, None, None],
        last_iterations: Vec::new(),
        window_numbers: Vec::new(),
    });
    Function { decomposition, ..function() }
}

/// A manifest with [`shared_function`].
pub fn shared_manifest() -> Manifest {
    Manifest { format: FORMAT, functions: vec![shared_function()], ..manifest() }
}

/// [`shared_manifest`] with a kernel that can be told which planes it computes.
pub fn manifest_in_ranges() -> Manifest {
    let mut manifest = shared_manifest();
    let index = Parameter::Scalar(ScalarType::Index);
    let kernel = &mut manifest.kernels[0];
    kernel.parameters.extend([index; 4]);
    let (iterations, written) = (NonZeroU64::MIN, vec![1]);
    kernel.planes = Some(PlaneParameters { iterations, first: 3, written });
    let function = &mut manifest.functions[0];
    let number = |result, value| {
        let value = ScalarValue::from_integer(ScalarType::Index, value);
        Statement::Constant { result: Id(result), value }
    };
    let count = Statement::Scalar {
        result: Id(22),
        op: ScalarOp::MaxSI,
        operands: vec![Id(2), Id(4)],
        ty: ScalarType::Index,
    };
    let place = function.body.len() - 1;
    let Statement::For { upper, body, .. } = &mut function.body[place] else { unreachable!() };
    *upper = Id(22);
    let Statement::Launch { arguments, .. } = &mut body[0] else { unreachable!() };
    arguments.extend([Id(20), Id(21), Id(21), Id(21)]);
    function.body.splice(place..place, [number(20, 0), number(21, 10), count]);
    function.time_steps = Some(TimeSteps { value: Id(22), step: 1, rotation: 2 });
    let shared = function.decomposition.as_mut().unwrap();
    shared.fields[0].as_mut().unwrap().received = Some(vec![vec![[8, 10]], vec![[0, 2]]]);
    shared.fields[1].as_mut().unwrap().received = Some(vec![Vec::new(); 2]);
    let [lower, upper] = &mut shared.windows[..] else { unreachable!() };
    (lower.computed, lower.early) = (vec![[-1, 8], [-1, 9]], vec![[-1, 7], [-1, 6]]);
    (upper.computed, upper.early) = (vec![[2, 11], [1, 11]], vec![[3, 11], [4, 11]]);
    assert_eq!(manifest.validate(), Ok(()));
    manifest
}

/// [`shared_manifest`] with a kernel that takes the numbers of its window, values 20 to 22.
pub fn manifest_with_window_numbers() -> Manifest {
    let mut manifest = shared_manifest();
    let numbers = [WindowNumber::Shift, WindowNumber::Seam, WindowNumber::ShiftFromSeam];
    manifest.kernels[0].parameters.extend([Parameter::Scalar(ScalarType::Index); 3]);
    let function = &mut manifest.functions[0];
    let place = function.body.len() - 1;
    let Statement::For { body, .. } = &mut function.body[place] else { unreachable!() };
    let Statement::Launch { arguments, .. } = &mut body[0] else { unreachable!() };
    arguments.extend([Id(20), Id(21), Id(22)]);
    let shared = function.decomposition.as_mut().unwrap();
    for (value, number) in (20..).map(Id).zip(numbers) {
        shared.window_numbers.push(WindowValue { value, number });
        let zero = ScalarValue::from_integer(ScalarType::Index, 0);
        function.body.insert(0, Statement::Constant { result: value, value: zero });
    }
    assert_eq!(manifest.validate(), Ok(()));
    manifest
}

/// A manifest with [`function`] and its kernel.
pub fn manifest() -> Manifest {
    Manifest {
        format: FORMAT_FIXED,
        producer: Producer {
            program: "stencilc".to_owned(),
            version: "0.1.0".to_owned(),
            llvm: "22.1".to_owned(),
        },
        target: "sm_90a".to_owned(),
        ptx_version: "8.0".to_owned(),
        functions: vec![function()],
        kernels: vec![Kernel {
            name: "step".to_owned(),
            stage: Some("average".to_owned()),
            location: None,
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared_bytes: 0,
            parameters: vec![
                Parameter::Pointer,
                Parameter::Pointer,
                Parameter::Scalar(ScalarType::F32),
            ],
            plan: Some(serde_json::json!({"mapping": "thread"})),
            resources: None,
            points: CELLS as u64 - 2,
            flops_per_point: FlopsPerPoint { written: 4, executed: 4 },
            bytes_per_point: BytesPerPoint { compulsory: 8, predicted: None },
            approximate: false,
            planes: None,
            copies: Vec::new(),
        }],
        digests: BTreeMap::new(),
    }
}

/// A package with [`manifest`]; its PTX is text, not code.
pub fn package() -> Package {
    let cubin = Some(vec![0x7f, 0x45, 0, 1, 2]);
    Package { code: Code { cubin, ..code() }, plain: None, selftest: None }
}

/// [`manifest`] with text for PTX.
pub fn code() -> Code {
    Code { manifest: manifest(), ptx: "// step\n".to_owned(), cubin: None, llvm_ir: None }
}

/// A package with all its parts.
pub fn complete_package() -> Package {
    let run = SelftestRun {
        function: "heat".to_owned(),
        seed: 1,
        scalars: BTreeMap::from([
            (2, ScalarValue::from_integer(ScalarType::Index, 3)),
            (3, ScalarValue::from_f64(ScalarType::F32, 0.25)),
        ]),
        fields: BTreeMap::from([(0, "00".to_owned()), (1, "11".to_owned())]),
    };
    let selftest = Some(Selftest { code: code(), runs: vec![run] });
    let llvm_ir = Some("; ir\n".to_owned());
    Package { plain: Some(Code { llvm_ir, ..code() }), selftest, ..package() }
}
