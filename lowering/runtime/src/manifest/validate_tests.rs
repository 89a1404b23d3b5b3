//! Invalid manifests, each refused.

use crate::{
    manifest::{
        Argument, ArgumentKind, Carried, FieldShape, Function, Id, Kernel, Manifest, ManifestError,
        Parameter, Statement,
    },
    samples,
    scalar::{ScalarOp, ScalarType, ScalarValue},
};

/// The message with which the sample manifest is refused after `change`.
fn refusal(change: impl FnOnce(&mut Manifest)) -> String {
    let mut manifest = samples::manifest();
    assert_eq!(manifest.validate(), Ok(()));
    change(&mut manifest);
    manifest.validate().unwrap_err().to_string()
}

fn body_refusal(statement: Statement) -> String {
    refusal(|manifest| manifest.functions[0].body.insert(0, statement))
}

#[test]
fn the_sample_survives_json() {
    let manifest = samples::manifest();
    let text = manifest.to_json();
    assert_eq!(Manifest::from_json(text.as_bytes()).unwrap(), manifest);
}

#[test]
fn unknown_forms_are_refused() {
    let text = samples::manifest().to_json();
    let refusal = |text: &[u8]| Manifest::from_json(text).unwrap_err().to_string();
    let other = text.replacen("\"format\": 5", "\"format\": 1", 1);
    let message = refusal(other.as_bytes());
    assert!(
        message.starts_with("manifest has format 1, this program reads formats 3 to 13"),
        "{message}"
    );
    let other = text.replacen("\"target\"", "\"extra\": 1, \"target\"", 1);
    let message = refusal(other.as_bytes());
    assert!(message.contains("unknown field `extra`"), "{message}");
    let other = text.replacen("\"do\": \"launch\"", "\"do\": \"print\"", 1);
    let message = refusal(other.as_bytes());
    assert!(message.contains("unknown variant `print`"), "{message}");
    for (text, reason) in [(&b"{}"[..], "missing field `format`"), (b"\xff", "expected value")] {
        let message = refusal(text);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    let refusal = |text: &str| Manifest::from_json(text.as_bytes()).unwrap_err().to_string();
    let (open, close) = ("[".repeat(1_000_000), "]".repeat(1_000_000));
    let message = refusal(&open);
    assert!(message.contains("invalid type: sequence, expected u32"), "{message}");
    // A plan may have any form: only there is what is nested read.
    let plan = samples::manifest().to_json().replacen("\"thread\"", &(open + &close), 1);
    let message = refusal(&plan);
    assert!(message.contains("recursion limit exceeded"), "{message}");
}

#[test]
fn names_are_distinct() {
    assert_eq!(
        refusal(|manifest| manifest.kernels.push(manifest.kernels[0].clone())),
        "kernel 'step' occurs twice"
    );
    assert_eq!(
        refusal(|manifest| manifest.functions.push(manifest.functions[0].clone())),
        "function 'heat' occurs twice"
    );
}

#[test]
fn launches_are_not_empty() {
    assert_eq!(
        refusal(|manifest| manifest.kernels[0].grid = [1, 0, 1]),
        "kernel 'step' has grid [1, 0, 1]: each extent must be at least 1"
    );
}

#[test]
fn values_are_defined_once_and_before_use() {
    let constant = |id| Statement::Constant {
        result: Id(id),
        value: ScalarValue::from_integer(ScalarType::I32, 1),
    };
    assert_eq!(body_refusal(constant(0)), "function 'heat': value %0 is defined twice");
    let use_of = |id| Statement::Scalar {
        result: Id(90),
        op: ScalarOp::AddI,
        operands: vec![Id(id), Id(id)],
        ty: ScalarType::I32,
    };
    assert_eq!(
        body_refusal(use_of(91)),
        "function 'heat': value %91 is used where it is not defined"
    );
    assert_eq!(
        body_refusal(use_of(0)),
        "function 'heat': value %0 is a buffer of 12 x f32, expected a scalar"
    );
    // A definition inside a loop is not visible after it, not even under the loop's own names.
    let inner = samples::loop_argument();
    let message = refusal(|manifest| manifest.functions[0].body.push(use_of(inner.0)));
    assert!(message.ends_with("is used where it is not defined"), "{message}");
}

#[test]
fn operations_take_their_types() {
    let message = body_refusal(Statement::Scalar {
        result: Id(90),
        op: ScalarOp::AddF,
        operands: vec![samples::steps(), samples::steps()],
        ty: ScalarType::F32,
    });
    assert!(message.contains("value %90: 'addf' does not take (index, index) -> f32"), "{message}");
}

#[test]
fn kernels_take_what_they_list() {
    let launch = |kernel: &str, arguments: &[u32]| {
        body_refusal(Statement::Launch {
            kernel: kernel.to_owned(),
            arguments: arguments.iter().map(|&id| Id(id)).collect(),
        })
    };
    assert_eq!(launch("stop", &[]), "function 'heat': launch of 'stop': no such kernel");
    assert_eq!(
        launch("step", &[0]),
        "function 'heat': launch of 'step' passes 1 arguments, the kernel takes 3"
    );
    assert_eq!(
        launch("step", &[0, 1, 1]),
        "function 'heat': launch of 'step': argument 2 is a buffer of 12 x f32, \
         the kernel takes f32"
    );
    assert_eq!(
        launch("step", &[0, 2, 3]),
        "function 'heat': launch of 'step': argument 1 is a scalar of index, \
         the kernel takes a buffer"
    );
}

#[test]
fn copies_are_between_equals() {
    let message = refusal(|manifest| {
        let body = &mut manifest.functions[0].body;
        body.push(Statement::Allocate { result: Id(90), element: ScalarType::F32, elements: 11 });
        body.push(Statement::Copy { from: Id(0), to: Id(90) });
    });
    assert_eq!(
        message,
        "function 'heat': copy from %0 to %90: one is a buffer of 12 x f32, \
         the other a buffer of 11 x f32"
    );
}

#[test]
fn sizes_fit() {
    let field = |lower: Vec<i64>, upper: Vec<i64>| {
        refusal(|manifest| {
            manifest.functions[0].arguments[0].kind = ArgumentKind::Field(FieldShape {
                lower,
                upper,
                element: ScalarType::F64,
                scratch: false,
                padding: None,
                written: true,
            });
        })
    };
    assert!(field(vec![0], vec![]).contains("not the same rank"));
    assert!(field(vec![], vec![]).contains("not the same rank"));
    assert!(field(vec![3, 0], vec![3, 4]).contains("argument 0 has bounds [3,3]"));
    let too_large = "argument 0 is too large: its size in bytes does not fit into 63 bits";
    assert!(field(vec![i64::MIN], vec![i64::MAX]).ends_with(too_large));
    assert!(field(vec![0; 3], vec![1 << 30; 3]).ends_with(too_large));
    assert!(field(vec![0], vec![1 << 60]).ends_with(too_large));

    let padded = |cells: [u64; 2]| {
        refusal(|manifest| {
            let ArgumentKind::Field(shape) = &mut manifest.functions[0].arguments[0].kind else {
                panic!("the first argument of the sample is a field");
            };
            shape.padding = Some(cells);
        })
    };
    assert!(padded([u64::MAX, 1]).ends_with(too_large));
    assert!(padded([1 << 61, 0]).ends_with(too_large));
    // The fields of its loop are of one size.
    assert!(padded([3, 1]).contains("expected a buffer of"));

    let allocation = |elements| {
        body_refusal(Statement::Allocate { result: Id(90), element: ScalarType::F64, elements })
    };
    assert!(allocation(1 << 60).contains("allocation %90 is too large"));
    assert!(allocation(0).contains("allocation %90 has no cells"));
}

#[test]
fn loops_carry_one_type() {
    let message = refusal(|manifest| {
        let Some(Statement::For { carried, .. }) = manifest.functions[0].body.last_mut() else {
            panic!("the sample ends with its loop");
        };
        carried[0].next = samples::steps();
    });
    assert!(message.ends_with("expected a buffer of 12 x f32"), "{message}");
    let message = refusal(|manifest| {
        let Some(Statement::For { step, .. }) = manifest.functions[0].body.last_mut() else {
            panic!("the sample ends with its loop");
        };
        *step = Id(3);
    });
    assert!(message.ends_with("value %3 is a scalar of f32, expected a scalar of index"));
}

/// A loop around `body` from 0 to argument 0 with carried values; ids from 100 on are free.
fn looped(id: u32, carried: Vec<Carried>, body: Vec<Statement>) -> Statement {
    Statement::For { lower: Id(0), upper: Id(0), step: Id(0), induction: Id(id), carried, body }
}

fn allocate(id: u32) -> Statement {
    Statement::Allocate { result: Id(id), element: ScalarType::I8, elements: 4 }
}

fn carry(initial: u32, argument: u32, next: u32, result: u32) -> Carried {
    Carried { initial: Id(initial), argument: Id(argument), next: Id(next), result: Id(result) }
}

fn check_loops(body: Vec<Statement>) -> Result<(), String> {
    let argument = Argument {
        name: None,
        kind: ArgumentKind::Scalar { scalar: ScalarType::Index, symbol: None },
    };
    let function = Function {
        name: "f".to_owned(),
        variant_of: None,
        arguments: vec![argument],
        body,
        time_steps: None,
        step_limits: Vec::new(),
        extents: None,
        decomposition: None,
    };
    let manifest = Manifest { functions: vec![function], ..samples::manifest() };
    manifest.validate().map_err(|error| error.to_string())
}

#[test]
fn allocations_stay_in_their_iteration() {
    let escape = |body| check_loops(body).unwrap_err();
    let message = "function 'f': allocation %11 is carried to the next iteration of its loop; \
                   allocate it before the loop";
    // Directly.
    let body = vec![allocate(11)];
    assert_eq!(escape(vec![allocate(1), looped(2, vec![carry(1, 3, 11, 4)], body)]), message);
    // Through the result of an inner loop.
    let inner = looped(12, vec![carry(11, 13, 13, 14)], vec![]);
    let body = vec![allocate(11), inner];
    assert_eq!(escape(vec![allocate(1), looped(2, vec![carry(1, 3, 14, 4)], body)]), message);
    // Rotated inside its own iteration only: fine.
    let inner = looped(12, vec![carry(10, 13, 14, 15), carry(11, 14, 13, 16)], vec![]);
    let body = vec![allocate(10), allocate(11), inner];
    assert_eq!(check_loops(vec![looped(2, vec![], body)]), Ok(()));
    // Allocated outside, rotated by an inner loop, handed on by the outer one: fine.
    let inner = looped(12, vec![carry(5, 13, 14, 15), carry(6, 14, 13, 16)], vec![]);
    let carried = vec![carry(1, 5, 15, 7), carry(2, 6, 16, 8)];
    let body = vec![allocate(1), allocate(2), looped(3, carried, vec![inner])];
    assert_eq!(check_loops(body), Ok(()));
}

#[test]
fn parameters_and_statements_have_the_documented_spelling() {
    let text = serde_json::to_string(&[Parameter::Pointer, Parameter::Scalar(ScalarType::F32)]);
    assert_eq!(text.unwrap(), r#"["pointer",{"scalar":"f32"}]"#);
    let text = serde_json::to_string(&allocate(3)).unwrap();
    assert_eq!(text, r#"{"do":"allocate","result":3,"element":"i8","elements":4}"#);
    let kernel: Kernel = samples::manifest().kernels.remove(0);
    assert!(serde_json::to_string(&kernel).unwrap().contains(r#""grid":[1,1,1]"#));
}

/// The sample with a variant of its function on twice the cells, after `change`.
fn with_variant(manifest: &mut Manifest, change: impl FnOnce(&mut Function)) {
    let mut variant = samples::function_on(2 * samples::CELLS);
    change(&mut variant);
    manifest.functions.push(variant);
}

#[test]
fn variants_differ_in_extents_alone() {
    let mut manifest = samples::manifest();
    with_variant(&mut manifest, |_| {});
    assert_eq!(manifest.validate(), Ok(()));
    for (change, problem) in [
        (
            (|function| function.variant_of = Some("cold".to_owned())) as fn(&mut Function),
            "function 'cold' does not exist or is a variant itself",
        ),
        (
            |function| function.variant_of = Some("heat_24".to_owned()),
            "function 'heat_24' does not exist or is a variant itself",
        ),
        (
            |function| function.arguments[0].name = Some("w".to_owned()),
            "argument 0 differs from that of 'heat'",
        ),
        (
            |function| function.arguments[3].name = Some("tau".to_owned()),
            "argument 3 differs from that of 'heat'",
        ),
    ] {
        let message = refusal(|manifest| with_variant(manifest, change));
        assert_eq!(message, format!("variant 'heat_24': {problem}"));
    }
    let message = refusal(|manifest| {
        with_variant(manifest, |function| {
            let extra =
                ArgumentKind::Scalar { scalar: ScalarType::F32, symbol: Some("x".to_owned()) };
            // After all values of the body, so that nothing else is wrong.
            function.arguments.push(Argument { name: None, kind: extra });
        });
    });
    assert!(message.contains("'heat_24'"), "{message}");
}

#[test]
fn kernels_copy_from_buffers_to_buffers() {
    let problem = |copies| {
        let mut manifest = samples::manifest();
        manifest.kernels[0].copies = vec![copies];
        manifest.validate().err()
    };
    assert_eq!(problem([0, 1]), None);
    let refused = Some(ManifestError::Copies("step".to_owned()));
    assert_eq!([problem([0, 2]), problem([3, 1])], [refused.clone(), refused]);
}
