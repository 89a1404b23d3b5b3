//! A program before and after a pipeline, on the same input.
//!
//! Text shows what a transform meant, execution shows what it did: every transform's test runs its
//! program both ways, on the interpreter, and compares every field. The program is taken as given,
//! without the compiler's own pipeline, so that the transform meets what its test wrote.

use crate::{
    DriverError, arguments,
    monitor::Monitor,
    run::source_program::SourceProgram,
    session::{self, Session},
    verify::{self, Comparison},
};
use melior::ir::Module;
use stencil_dialects::ods::builtin;
use stencil_interpreter::{ArgumentValue, Scalar};
use stencil_runtime::{
    bind::{Requests, Value},
    manifest::{Argument, ArgumentKind},
};

/// Runs `function` as given and after `pipeline`, and compares.
pub fn run(
    session: &Session,
    module: &Module,
    (function, pipeline): (&str, &str),
    requests: &Requests,
    monitor: &dyn Monitor,
) -> Result<Comparison, DriverError> {
    let known = arguments::symbols_read(module);
    let before = SourceProgram::new(session, module, function)?;
    let transformed = session.transform(module, &anchored(pipeline))?;
    if session::find_function(&transformed, function).is_none() {
        let problem = format!("the pipeline leaves no function '{function}' to run");
        return Err(DriverError::Option(problem));
    }
    let after = SourceProgram::new(session, &transformed, function)?;
    check_fields(&before.arguments, &after.arguments)?;

    before.note_unused_symbols(requests, &known, monitor);
    let mut expected = arguments::bind(&before.arguments, requests)?;
    let mut found = arguments::bind(&after.arguments, requests)?;
    for (argument, value) in after.arguments.iter().zip(&mut found.values) {
        if let (Some(_), Value::Field(cells)) = (result_number(argument), value) {
            // Cells of a result that nothing writes are zero on the interpreter.
            cells.fill(0);
        }
    }
    let returned = before.run(session, &mut expected, monitor)?;
    after.run(session, &mut found, monitor)?;
    let mut compared = before.arguments.clone();
    let appended = found.values.split_off(compared.len());
    for (argument, value) in after.arguments.iter().skip(compared.len()).zip(appended) {
        if let Some(result) = result_number(argument).and_then(|number| returned.get(number)) {
            compared.push(argument.clone());
            expected.values.push(cells_of(result));
            found.values.push(value);
        }
    }
    Ok(verify::compare(&compared, &expected.values, &found.values))
}

/// The result that an argument was made for, as `stencil-bind-results` names it.
fn result_number(argument: &Argument) -> Option<usize> {
    let number = argument.name.as_deref()?.strip_prefix("result")?;
    let number = if number.is_empty() { "0" } else { number };
    number.parse().ok().filter(|_| argument.kind.as_field().is_some())
}

/// A result as the cells of a field.
fn cells_of(result: &ArgumentValue) -> Value {
    Value::Field(match result {
        ArgumentValue::Field(field) => field.bytes.clone(),
        ArgumentValue::Scalar(Scalar { element, bits }) => {
            let width = element.stored_bytes().unwrap_or(8);
            bits.to_le_bytes()[..width].to_vec()
        }
    })
}

/// The pipeline with its anchor: a list of passes alone is meant for the module.
fn anchored(pipeline: &str) -> String {
    match pipeline.trim_start().starts_with(builtin::MODULE) {
        true => pipeline.to_owned(),
        false => format!("builtin.module({pipeline})"),
    }
}

/// A transform may append scalars and results to a function, and nothing else.
fn check_fields(before: &[Argument], after: &[Argument]) -> Result<(), DriverError> {
    let same = |(one, two): (&Argument, &Argument)| match (&one.kind, &two.kind) {
        (ArgumentKind::Field(one), ArgumentKind::Field(two)) => {
            one.lower == two.lower && one.upper == two.upper && one.element == two.element
        }
        (ArgumentKind::Scalar { scalar: one, .. }, ArgumentKind::Scalar { scalar: two, .. }) => {
            one == two
        }
        _ => false,
    };
    let mut appended = after.iter().skip(before.len());
    let may_be_new = appended.all(|it| it.kind.as_field().is_none() || result_number(it).is_some());
    if after.len() < before.len() || !before.iter().zip(after).all(same) || !may_be_new {
        let problem = "the pipeline changes what the function takes, so the runs cannot be \
                       compared";
        return Err(DriverError::Option(problem.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{input::Input, monitor::Silent, target::Target};

    const PROGRAM: &str = r#"
func.func @sum(%in: !stencil.field<[-1,9]xf64>, %out: !stencil.field<[0,8]xf64>) {
  %t = stencil.load %in : !stencil.field<[-1,9]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
    %h = "devito.load_symbolic"() {symbol_name = "h"} : () -> f64
    %x = stencil.access %a[-1] : !stencil.temp<?xf64>
    %y = stencil.access %a[1] : !stencil.temp<?xf64>
    %s = arith.addf %x, %y : f64
    %m = arith.mulf %s, %h : f64
    stencil.return %m : f64
  }
  stencil.store %r to %out(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}
"#;

    fn compare(text: &str, pipeline: &str, symbols: &[&str]) -> Result<Comparison, DriverError> {
        let context = session::new_context();
        let input = Input { name: "a.mlir".to_owned(), text: text.to_owned() };
        let session = Session::new(&context, &input, Target::new("sm_90a", None)?);
        let module = session.parse()?;
        let symbols = symbols.iter().map(|text| text.parse().unwrap()).collect();
        let requests = Requests { symbols, seed: 3, ..Requests::default() };
        run(&session, &module, ("sum", pipeline), &requests, &Silent)
    }

    #[test]
    fn a_symbol_may_become_an_argument() {
        let pipeline = "builtin.module(stencil-bind-symbols,func.func(stencil-infer-bounds))";
        let comparison = compare(PROGRAM, pipeline, &["h=0.5"]).unwrap();
        assert_eq!((comparison.fields, comparison.cells), (2, 18));
        assert!(comparison.is_identical());
        // A symbol that nothing uses sets no other one.
        let error = compare(PROGRAM, pipeline, &["k=1"]).err().unwrap().to_string();
        assert!(error.ends_with("has no value; set it with --symbol h=NUMBER"), "{error}");
    }

    #[test]
    fn what_a_pipeline_does_is_seen() {
        let error = compare(PROGRAM, "no-such-pass", &["h=1"]).err().unwrap();
        assert!(error.to_string().contains("no-such-pass"), "{error}");
        // Permission to contract lets the pass form an fma, which rounds once instead of twice.
        let text = PROGRAM
            .replace("arith.mulf %s, %h :", "arith.mulf %x, %y fastmath<contract> :")
            .replace(
                "stencil.return %m :",
                "%z = arith.addf %m, %x fastmath<contract> : f64\n stencil.return %z :",
            );
        let pipeline = "func.func(stencil-freeze-arithmetic)";
        let comparison = compare(&text, pipeline, &["h=1"]).unwrap();
        assert_eq!(comparison.differences.len(), 1);
        assert_eq!(comparison.differences[0].argument, "argument 1 'out'");
        let error = compare(&text, "symbol-privatize,symbol-dce", &["h=1"]).err().unwrap();
        assert_eq!(error.to_string(), "the pipeline leaves no function 'sum' to run");
    }
}
