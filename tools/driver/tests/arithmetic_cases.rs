//! The table of exact arithmetic cases through the whole compiler, on interpreter and emulator.
//!
//! Interpreter and emulator are not only compared with each other here: both must give the bits
//! that the table states. A GPU runs the same program, as a package of `gpu-bundle`.

use std::collections::BTreeMap;
use stencil_driver::{
    arguments::{self, Bound},
    cases::{self, Operation},
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
    manifest::Argument,
    scalar::ScalarValue,
};

#[test]
fn interpreter_and_emulator_give_the_tables_bits() {
    let wrong = run(&cases::operations().unwrap());
    let shown = wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} results are not the table's:\n{shown}", wrong.len());
}

#[test]
fn a_wrong_bit_is_seen_in_both() {
    let mut operations = cases::operations().unwrap();
    operations.truncate(1);
    let result = operations[0].results.iter_mut().flatten().next().unwrap();
    *result = ScalarValue::from_bits(result.ty(), result.bits() ^ 1);
    let wrong = run(&operations);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong[0].starts_with("interpreter: ") && wrong[1].starts_with("emulator: "));
}

/// Compiles and runs all cases of the operations; gives those that come out wrong.
fn run(operations: &[Operation]) -> Vec<String> {
    let context = session::new_context();
    let text = cases::program(operations).unwrap();
    let input = Input { name: "arithmetic-cases.mlir".to_owned(), text };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let frozen = session.freeze(&session.parse().unwrap()).unwrap();
    let program = session.decode(&frozen, "main").unwrap();
    let arguments = arguments::arguments(&program, &frozen).unwrap();
    let mut interpreted = arguments::bind(&arguments, &Requests::default()).unwrap();
    for (position, cells) in cases::inputs(operations) {
        interpreted.values[position] = Value::Field(cells);
    }
    let mut emulated = Bound { values: interpreted.values.clone(), symbols: BTreeMap::new() };

    interpreted::run(&session, &program, &arguments, &mut interpreted, &Silent).unwrap();
    let emulation = Emulation::compile(&session, &frozen).unwrap();
    emulation.run("main", &mut emulated, &Silent).unwrap();

    let mut wrong = differences("interpreter", operations, &arguments, &interpreted.values);
    wrong.extend(differences("emulator", operations, &arguments, &emulated.values));
    wrong
}

/// The cases in which a run does not give what the table states.
fn differences(
    run: &str,
    operations: &[Operation],
    arguments: &[Argument],
    values: &[Value],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut position = 0;
    for operation in operations {
        position += operation.operands.len();
        let shape = arguments[position].kind.as_field().unwrap();
        let Value::Field(cells) = &values[position] else { panic!("results are fields") };
        assert_eq!(shape.elements(), operation.results.len() as u64);
        for (number, expected) in operation.results.iter().enumerate() {
            let found = fields::cell(cells, shape.element, number);
            let is_right = match expected {
                Some(expected) => found == *expected,
                None => found.is_nan(),
            };
            if !is_right {
                let operands: Vec<_> = operation.operands.iter().map(|o| o[number]).collect();
                wrong.push(format!(
                    "{run}: {} of {operands:?} is {found:?}, expected {expected:?}",
                    operation.name
                ));
            }
        }
        position += 1;
    }
    assert_eq!(position, arguments.len());
    wrong
}
