//! `nsw`, `nuw` and `exact`: interpreter and emulator stop at the same operands, and give the same
//! bits for all others.

use std::collections::BTreeMap;
use stencil_driver::{
    arguments::{self, Bound},
    emulated::Emulation,
    input::Input,
    interpreted,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
};
use stencil_runtime::{
    bind::{Requests, Value},
    fields,
    scalar::{ScalarType, ScalarValue},
};

/// An operation with a promise, as MLIR writes it: name, flag, types of operand and result.
struct Promise {
    name: &'static str,
    flag: &'static str,
    from: &'static str,
    to: &'static str,
}

fn promises() -> Vec<Promise> {
    let mut all = Vec::new();
    for from in ["i8", "i32", "i64", "index"] {
        for flag in ["overflow<nsw>", "overflow<nuw>", "overflow<nsw, nuw>"] {
            for name in ["addi", "subi", "muli", "shli"] {
                all.push(Promise { name, flag, from, to: from });
            }
        }
        for name in ["divsi", "divui", "shrsi", "shrui"] {
            all.push(Promise { name, flag: "exact", from, to: from });
        }
    }
    for (from, to) in [("i64", "i8"), ("i32", "i16")] {
        for flag in ["overflow<nsw>", "overflow<nuw>"] {
            all.push(Promise { name: "trunci", flag, from, to });
        }
    }
    all
}

impl Promise {
    fn function(&self, number: usize) -> String {
        let Promise { name, flag, from, to } = self;
        let operation = match *name {
            "trunci" => format!("arith.trunci %x {flag} : {from} to {to}"),
            _ => format!("arith.{name} %x, %y {flag} : {from}"),
        };
        let (field, temp) = ("!stencil.field<[0,1]x", "!stencil.temp<?x");
        format!(
            "func.func @f{number}(%a: {field}{from}>, %b: {field}{from}>, %r: {field}{to}>) {{
  %as = stencil.load %a : {field}{from}> -> {temp}{from}>
  %bs = stencil.load %b : {field}{from}> -> {temp}{from}>
  %rs = stencil.apply(%p = %as : {temp}{from}>, %q = %bs : {temp}{from}>) -> ({temp}{to}>) {{
    %x = stencil.access %p[0] : {temp}{from}>
    %y = stencil.access %q[0] : {temp}{from}>
    %z = {operation}
    stencil.return %z : {to}
  }}
  stencil.store %rs to %r(<[0], [1]>) : {temp}{to}> to {field}{to}>
  return
}}
"
        )
    }

    /// Operands at which promises begin to hold, or cease to.
    fn operands(&self) -> Vec<ScalarValue> {
        let from = ScalarType::from_name(self.from).unwrap();
        let of = |number: i64| ScalarValue::from_integer(from, number);
        let least = i64::MIN >> (64 - 8 * from.bytes());
        let to = ScalarType::from_name(self.to).unwrap();
        let (narrow, half) = (i64::MIN >> (64 - 8 * to.bytes()), least >> (4 * from.bytes()));
        let ends = [least, narrow, half].map(|end| [end, end + 1, end.wrapping_neg(), -(end + 1)]);
        [0, 1, 2, 3, 7, -1, -2].into_iter().chain(ends.into_iter().flatten()).map(of).collect()
    }
}

#[test]
fn interpreter_and_emulator_stop_at_the_same_operands() {
    let promises = promises();
    let context = session::new_context();
    let functions = promises.iter().enumerate().map(|(number, it)| it.function(number));
    let input = Input { name: "promises.mlir".to_owned(), text: functions.collect() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let frozen = session.freeze(&session.parse().unwrap()).unwrap();
    let emulation = Emulation::compile(&session, &frozen).unwrap();
    for (number, promise) in promises.iter().enumerate() {
        let function = format!("f{number}");
        let program = session.decode(&frozen, &function).unwrap();
        let arguments = arguments::arguments(&program, &frozen).unwrap();
        let result = arguments[2].kind.as_field().unwrap().element;
        let start = arguments::bind(&arguments, &Requests::default()).unwrap();
        let [mut kept, mut broken] = [0, 0];
        for (one, two) in pairs(&promise.operands()) {
            let mut interpreted = Bound { values: start.values.clone(), symbols: BTreeMap::new() };
            interpreted.values[0] = Value::Field(one.to_bytes());
            interpreted.values[1] = Value::Field(two.to_bytes());
            let mut emulated =
                Bound { values: interpreted.values.clone(), symbols: BTreeMap::new() };
            let expected =
                interpreted::run(&session, &program, &arguments, &mut interpreted, &Silent);
            let found = emulation.run(&function, &mut emulated, &Silent);
            let what = format!("{} {} of {one:?}, {two:?}", promise.name, promise.flag);
            match (expected, found) {
                (Ok(_), Ok(_)) => {
                    let [expected, found] =
                        [interpreted, emulated].map(|bound| value(&bound.values[2], result));
                    assert_eq!(found, expected, "{what}");
                    kept += 1;
                }
                (Err(_), Err(error)) => {
                    assert!(error.to_string().contains("llvm.trap"), "{what}: {error}");
                    broken += 1;
                }
                (Err(error), Ok(_)) => panic!("only the interpreter stops at {what}: {error}"),
                (Ok(_), Err(error)) => panic!("only the emulator stops at {what}: {error}"),
            }
        }
        assert!(kept > 0 && broken > 0, "{}: {kept} kept, {broken} broken", promise.name);
    }
}

/// Every pair of operands; in a usual run every third, of each operand some.
fn pairs(operands: &[ScalarValue]) -> impl Iterator<Item = (ScalarValue, ScalarValue)> {
    let each = if crate::nightly() { 1 } else { 3 };
    let all = operands.iter().flat_map(move |one| operands.iter().map(move |two| (*one, *two)));
    all.step_by(each)
}

fn value(field: &Value, element: ScalarType) -> ScalarValue {
    let Value::Field(cells) = field else { panic!("the result is a field") };
    fields::cell(cells, element, 0)
}
