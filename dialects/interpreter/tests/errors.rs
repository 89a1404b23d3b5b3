//! Every error, with its location.

use crate::run_text::{error, f32_field, f64_field, noise, run_with};
use stencil_interpreter::{ArgumentValue, Element, ErrorKind, InterpreterError, Scalar};

/// Checks place, op and message; places are line and column in the text, whose first line is empty.
fn check(error: &InterpreterError, kind: ErrorKind, place: &str, op: &str, message: &str) {
    assert_eq!(
        (error.kind, error.location.as_str(), error.op.as_str(), error.message.as_str()),
        (kind, format!("case.mlir:{place}").as_str(), op, message),
        "{error}"
    );
}

/// A program of one apply on [0,4) with this body, which returns `%v`.
fn point_program(body: &str) -> String {
    format!(
        r#"
func.func @f(%in: !stencil.field<[0,4]xf64>, %out: !stencil.field<[0,4]xf64>) {{
  %t = stencil.load %in : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {{
    {body}
    stencil.return %v : f64
  }}
  stencil.store %r to %out(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
  return
}}"#
    )
}

fn point_error(body: &str) -> InterpreterError {
    let fields = vec![f64_field(&[0], &[4], |p| p[0] as f64), f64_field(&[0], &[4], |_| 0.0)];
    error(&point_program(body), fields)
}

#[test]
fn reads_outside_name_cell_and_bounds() {
    let error = point_error("%v = stencil.access %a[2] : !stencil.temp<?xf64>");
    let message = "reads [4], outside of bounds <[0], [4]>";
    check(&error, ErrorKind::Program, "5:10", "stencil.access", message);
}

#[test]
fn the_first_error_in_order_of_points_is_told() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,100000]xf64>, %out: !stencil.field<[0,100000]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,100000]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %n = arith.fptosi %x : f64 to i16
    %v = arith.sitofp %n : i16 to f64
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [100000]>)
    : !stencil.temp<?xf64> to !stencil.field<[0,100000]xf64>
  return
}"#;
    for _ in 0..3 {
        let field = || f64_field(&[0], &[100_000], |p| p[0] as f64);
        let error = run_with(text, vec![field(), field()], &[], Some(4)).unwrap_err();
        let message = "converts 32768.0 to i16, which cannot hold it";
        check(&error, ErrorKind::Program, "6:10", "arith.fptosi", message);
    }
}

#[test]
fn dyn_access_outside_its_extent() {
    let error = point_error(
        "%i = arith.constant 3 : index
    %v = stencil.dyn_access %a[%i] in <[-1]> : <[1]> : !stencil.temp<?xf64>",
    );
    let message = "reads coordinate 3 in dimension 0 at point [0], outside its extent of -1 to 1";
    check(&error, ErrorKind::Program, "6:10", "stencil.dyn_access", message);
}

#[test]
fn dyn_access_outside_its_absolute_extent() {
    let text = r#"
!table = !stencil.field<[0,9]xf64>
!out = !stencil.field<[4,6]x[7,8]xf64>
func.func @f(%table: !table, %out: !out) {
  stencil.apply(%a = %table : !table) outs (%out : !out) {
    %i = stencil.index 0 <[0, 0]>
    %v = stencil.dyn_access %a[%i] in <[2]> : <[4]> attributes {absolute} : !table
    stencil.return %v : f64
  } to <[4, 7], [6, 8]>
  return
}"#;
    let fields = vec![f64_field(&[0], &[9], |_| 1.0), f64_field(&[4, 7], &[6, 8], |_| 0.0)];
    let error = run_with(text, fields, &[], None).unwrap_err();
    let message = "reads coordinate 5 in dimension 0 at point [5, 7], outside its absolute extent \
                   of 2 to 4";
    check(&error, ErrorKind::Program, "7:10", "stencil.dyn_access", message);
}

#[test]
fn arithmetic_without_a_value() {
    let cases = [
        ("arith.divsi %i, %zero : i32", "arith.divsi", "divides by zero"),
        (
            "arith.remsi %least, %minus : i32",
            "arith.remsi",
            "divides the smallest integer by -1, which overflows",
        ),
        ("arith.shli %i, %wide : i32", "arith.shli", "shifts a value of 32 bits by 32"),
        ("arith.addi %i, %minus overflow<nuw> : i32", "arith.addi", "violates its 'nuw' flag"),
    ];
    for (operation, op, message) in cases {
        let error = point_error(&format!(
            "%i = arith.constant 5 : i32
    %zero = arith.constant 0 : i32
    %minus = arith.constant -1 : i32
    %least = arith.constant -2147483648 : i32
    %wide = arith.constant 32 : i32
    %w = {operation}
    %v = arith.sitofp %w : i32 to f64"
        ));
        check(&error, ErrorKind::Program, "10:10", op, message);
    }
}

#[test]
fn cells_without_a_value_cannot_be_read() {
    let text = r#"
func.func @f(%out: !stencil.field<[0,4]xf64>) {
  %m = stencil.alloc : !stencil.field<[0,4]xf64>
  %t = stencil.load %m : !stencil.field<[0,4]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[1], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
  return
}"#;
    let error = error(text, vec![f64_field(&[0], &[4], noise)]);
    let message = "reads [1], which has no value";
    check(&error, ErrorKind::Program, "6:10", "stencil.access", message);
}

#[test]
fn the_missing_side_of_a_combine_cannot_be_read() {
    let text = r#"
func.func @f(%in: !stencil.field<[0,8]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %x, %y = stencil.apply(%a = %t : !stencil.temp<?xf64>)
      -> (!stencil.temp<?xf64>, !stencil.temp<?xf64>) {
    %v = stencil.access %a[0] : !stencil.temp<?xf64>
    stencil.return %v, %v : f64, f64
  }
  %c:2 = stencil.combine 0 at 5 lower = (%x : !stencil.temp<?xf64>)
    upper = (%x : !stencil.temp<?xf64>) lowerext = %y : !stencil.temp<?xf64>
    : !stencil.temp<?xf64>, !stencil.temp<?xf64>
  %r = stencil.apply(%a = %c#1 : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %v = stencil.access %a[1] : !stencil.temp<?xf64>
    stencil.return %v : f64
  }
  stencil.store %r to %out(<[0], [6]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}"#;
    let fields = vec![f64_field(&[0], &[8], noise), f64_field(&[0], &[8], noise)];
    let error = error(text, fields);
    let message = "reads [5], which has no value";
    check(&error, ErrorKind::Program, "13:10", "stencil.access", message);
}

#[test]
fn loops_need_a_positive_step() {
    let text = r#"
func.func @f(%n: index) {
  %zero = arith.constant 0 : index
  scf.for %i = %zero to %n step %zero {
  }
  return
}"#;
    let error = error(text, vec![ArgumentValue::Scalar(Scalar::index(3))]);
    check(&error, ErrorKind::Program, "4:3", "scf.for", "has step 0, which is not positive");
}

#[test]
fn unbound_and_malformed_symbols_are_named() {
    let text = r#"
func.func @f() -> f32 {
  %dt = "devito.load_symbolic"() {symbol_name = "dt"} : () -> f32
  return %dt : f32
}"#;
    let unbound = error(text, vec![]);
    let message = "reads symbol 'dt', which is not bound";
    check(&unbound, ErrorKind::Arguments, "3:9", "devito.load_symbolic", message);
    assert_eq!(unbound.remedy.as_deref(), Some("bind it: dt=<f32>"));
    let malformed = run_with(text, vec![], &[("dt", "fast")], None).unwrap_err();
    let message = "reads symbol 'dt': 'fast' is not a value of type f32";
    check(&malformed, ErrorKind::Arguments, "3:9", "devito.load_symbolic", message);
}

#[test]
fn arguments_must_fit() {
    let text = r#"
func.func @f(%u: !stencil.field<[-1,3]xf64>, %x: f32) {
  return
}"#;
    let x = || ArgumentValue::Scalar(Scalar::f32(1.0));
    let field = || f64_field(&[-1], &[3], noise);
    let cases = [
        (vec![field()], "takes 2 arguments, got 1"),
        (vec![x(), x()], "argument 0: is a number, expected a field"),
        (vec![field(), field()], "argument 1: is a field, expected a number of type f32"),
        (
            vec![field(), ArgumentValue::Scalar(Scalar::index(1))],
            "argument 1: has type index, expected f32",
        ),
        (
            vec![f32_field(&[-1], &[3], |_| 0.0), x()],
            "argument 0: has cells of type f32, expected f64",
        ),
        (
            vec![f64_field(&[0], &[4], noise), x()],
            "argument 0: has bounds <[0], [4]>, expected <[-1], [3]>",
        ),
        (vec![f64_field(&[0, 0], &[2, 2], noise), x()], "argument 0: has 2 dimensions, expected 1"),
    ];
    for (arguments, message) in cases {
        check(&error(text, arguments), ErrorKind::Arguments, "2:1", "func.func", message);
    }
    let mut short = field();
    if let ArgumentValue::Field(data) = &mut short {
        data.bytes.pop();
    }
    let message = "argument 0: has 31 bytes, which does not fit bounds <[-1], [3]>";
    check(&error(text, vec![short, x()]), ErrorKind::Arguments, "2:1", "func.func", message);
    let flags = "\nfunc.func @f(%u: !stencil.field<[0,2]xi1>) {\n  return\n}";
    let bits = stencil_interpreter::FieldData {
        lower: vec![0],
        upper: vec![2],
        element: Element::BOOL,
        bytes: vec![1, 2],
    };
    let message = "argument 0: has cells of type i1 that are neither 0 nor 1";
    let error = error(flags, vec![ArgumentValue::Field(bits)]);
    check(&error, ErrorKind::Arguments, "2:1", "func.func", message);
}

/// What is refused before anything is run: text of the function's body, place, op, message.
const REFUSALS: &[(&str, &str, &str, &str)] = &[
    ("%x = func.call @clock() : () -> f64", "3:8", "func.call", "calls 'clock', which has no body"),
    (
        "func.call @f(%u) : (!stencil.field<[0,4]xf64>) -> ()",
        "3:3",
        "func.call",
        "calls 'f' recursively",
    ),
    (
        r#""dmp.swap"(%u) {strategy = #dmp.grid_slice_1d<#dmp.topo<2>, false>}
        : (!stencil.field<[0,4]xf64>) -> ()"#,
        "3:3",
        "dmp.swap",
        "exchanges halos between ranks",
    ),
    (
        "%p = \"devito.load_symbolic\"() {symbol_name = \"p\"} : () -> !llvm.ptr
  %x = arith.constant 1.0 : f64
  \"llvm.store\"(%x, %p) <{ordering = 0 : i64}> : (f64, !llvm.ptr) -> ()",
        "5:3",
        "llvm.store",
        "stores through a pointer",
    ),
    (
        "%s = func.call @timer_start() : () -> f64
  %x = arith.addf %s, %s : f64",
        "4:8",
        "arith.addf",
        "uses the result of a timer, which the interpreter ignores",
    ),
    (
        "%x = arith.constant dense<1.0> : vector<4xf32>
  %y = arith.addf %x, %x : vector<4xf32>",
        "3:8",
        "arith.constant",
        "has a value of type vector<4xf32>",
    ),
    (
        "%x = arith.constant 1.0 : f64
  %y = arith.truncf %x upward : f64 to f32",
        "4:8",
        "arith.truncf",
        "has rounding mode upward",
    ),
    (
        "%x = arith.constant 1.0 : f64
  %y = math.clampf %x to [%x, %x] : f64",
        "4:8",
        "math.clampf",
        "has no meaning in a stencil program",
    ),
    (
        "%p = \"devito.load_symbolic\"() {symbol_name = \"p\"} : () -> !llvm.ptr
  %m = stencil.external_load %p : !llvm.ptr -> !stencil.field<[0,4]xf64>",
        "4:8",
        "stencil.external_load",
        "takes memory of type !llvm.ptr, whose layout is unknown",
    ),
    (
        "%x = memref.alloc() : memref<4xf64, strided<[2]>>",
        "3:8",
        "memref.alloc",
        "has a value of type memref<4xf64, strided<[2]>>, which the interpreter does not support",
    ),
    (
        "%i = arith.constant 5 : index
  %m = builtin.unrealized_conversion_cast %u : !stencil.field<[0,4]xf64> to memref<4xf64>
  %y = arith.constant 1.0 : f64
  %x = memref.atomic_rmw addf %y, %m[%i] : (f64, memref<4xf64>) -> f64",
        "6:8",
        "memref.atomic_rmw",
        "is not supported by the interpreter",
    ),
    (
        "%x = arith.constant 1.0 : f64
  stencil.reduce %x init %x {
  ^bb0(%a: f64, %b: f64):
    stencil.yield %a : f64
  } : f64",
        "4:3",
        "stencil.reduce",
        "is not supported: the dialect does not define its points or their order",
    ),
];

#[test]
fn refusals_name_the_op_and_the_reason() {
    for &(body, place, op, message) in REFUSALS {
        let text = format!(
            r#"
func.func @f(%u: !stencil.field<[0,4]xf64>) {{
  {body}
  return
}}
func.func private @clock() -> f64
func.func private @timer_start() -> f64"#
        );
        let error = error(&text, vec![f64_field(&[0], &[4], noise)]);
        check(&error, ErrorKind::Unsupported, place, op, message);
    }
}

#[test]
fn unknown_operations_of_a_point_have_a_remedy() {
    let refused = point_error(
        "%i = stencil.index 0 <[0]>
    %d = affine.apply affine_map<(d0) -> (2 * d0)>(%i)
    %j = arith.index_cast %d : index to i32
    %v = arith.sitofp %j : i32 to f64",
    );
    assert_eq!(refused.message, "is not supported inside an apply by the interpreter");
    let remedy = "write it with other operations of arith and math";
    assert_eq!(refused.remedy.as_deref(), Some(remedy));
}

#[test]
fn tensors_and_missing_functions_are_refused() {
    let tensors = r#"
func.func @f(%u: !stencil.field<[0,4]xtensor<8xf32>>) {
  %t = stencil.load %u : !stencil.field<[0,4]xtensor<8xf32>> -> !stencil.temp<?xtensor<8xf32>>
  return
}"#;
    let refused = error(tensors, vec![]);
    let message = "has elements of type tensor<8xf32>";
    check(&refused, ErrorKind::Unsupported, "3:8", "stencil.load", message);
    assert!(refused.remedy.unwrap().starts_with("elements are i1, i8, i16"));

    let missing = error("\nfunc.func @g() {\n  return\n}", vec![]);
    assert_eq!(missing.message, "has no function 'f'");
    assert_eq!(missing.remedy.as_deref(), Some("its functions are: g"));
    let declared = error("\nfunc.func private @f()", vec![]);
    assert_eq!(declared.message, "'f' has no body to run");
}
