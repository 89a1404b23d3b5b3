//! Pairs of programs: what corresponds to what, what differs, and how far.

use super::*;
use crate::{input::Input, monitor::Silent, reading::Reading, session, target::Target};

/// `out = in * factor`, with one more step of arithmetic if `more` says so.
fn program(arguments: &str, names: [&str; 3], more: &str) -> String {
    let [source, target, factor] = names;
    format!(
        "func.func @scale({arguments}) {{
  %t = stencil.load {source} : !stencil.field<[0,8]xf64> -> !stencil.temp<?xf64>
  %r = stencil.apply(%a = %t : !stencil.temp<?xf64>, %f = {factor} : f64)
      -> (!stencil.temp<?xf64>) {{
    %x = stencil.access %a[0] : !stencil.temp<?xf64>
    %p = arith.mulf %x, %f : f64
    {more}
    stencil.return %y : f64
  }}
  stencil.store %r to {target}(<[0], [8]>) : !stencil.temp<?xf64> to !stencil.field<[0,8]xf64>
  return
}}
"
    )
}

const FIELD: &str = "!stencil.field<[0,8]xf64>";
const PLAIN: &str = "%y = arith.addf %p, %x : f64";

fn one() -> String {
    let arguments = format!("%in: {FIELD}, %out: {FIELD}, %f: f64");
    program(&arguments, ["%in", "%out", "%f"], PLAIN)
}

fn compare(one: &str, two: &str, given: &[&str]) -> Result<Outcome, DriverError> {
    let contexts = [session::new_context(), session::new_context()];
    let inputs = [("one.mlir", one), ("two.mlir", two)]
        .map(|(name, text)| Input { name: name.to_owned(), text: text.to_owned() });
    let target = || Target::new("sm_90a", None).unwrap();
    let first = Session::new(&contexts[0], &inputs[0], target());
    let second = Session::new(&contexts[1], &inputs[1], target());
    let modules = [first.parse()?, second.parse()?];
    let side = |session, module| Side { session, module, function: "scale".to_owned() };
    let arguments = given.iter().map(|text| text.parse().unwrap()).collect();
    let requests = Requests { arguments, seed: 3, ..Requests::default() };
    run(&side(&first, &modules[0]), &side(&second, &modules[1]), &requests, &Silent)
}

#[test]
fn names_come_before_positions() {
    // The scalar first, the fields swapped, one of them under another name.
    let arguments = format!("%f: f64, %out: {FIELD}, %source: {FIELD}");
    let two = program(&arguments, ["%source", "%out", "%f"], PLAIN);
    let outcome = compare(&one(), &two, &["f=0.3"]).unwrap();
    assert!(outcome.comparison.is_identical() && outcome.is_within(0.0));
    assert_eq!((outcome.comparison.fields, outcome.comparison.cells), (1, 8));
    // Without names the order counts, and then this is another program.
    let unnamed = two.replace("%f: f64, %out:", "%0: f64, %1:").replace("%source:", "%2:");
    let unnamed =
        unnamed.replace("%source", "%2").replace("to %out", "to %1").replace("= %f", "= %0");
    let outcome = compare(&one(), &unnamed, &["f=0.3"]).unwrap();
    assert!(!outcome.comparison.is_identical());
}

#[test]
fn differences_have_a_size() {
    let other =
        one().replace(PLAIN, "%c = arith.constant 1.5 : f64\n %y = arith.mulf %p, %c : f64");
    let same = one().replace(PLAIN, "%y = arith.addf %p, %p : f64");
    let double =
        one().replace(PLAIN, "%c = arith.constant 2.0 : f64\n %y = arith.mulf %p, %c : f64");
    assert!(compare(&same, &double, &["f=0.3"]).unwrap().comparison.is_identical());
    let outcome = compare(&same, &other, &["f=0.3"]).unwrap();
    assert_eq!(outcome.deviations.len(), 1);
    assert_eq!(outcome.deviations[0].argument, "argument 1 'out'");
    let relative = outcome.deviations[0].relative;
    assert!((relative - 0.25).abs() < 1e-12, "{relative}");
    assert!(outcome.is_within(0.26) && !outcome.is_within(0.24));
}

#[test]
fn numbers_are_far_from_what_is_none() {
    let nan = one().replace(PLAIN, "%z = arith.subf %p, %p : f64\n %y = arith.divf %z, %z : f64");
    let outcome = compare(&one(), &nan, &["f=0.3"]).unwrap();
    assert_eq!(outcome.deviations[0].largest, f64::INFINITY);
    assert!(!outcome.is_within(1e300));
    assert!(compare(&nan, &nan, &["f=0.3"]).unwrap().comparison.is_identical());
}

#[test]
fn what_stands_for_nothing_is_told() {
    let refusal = |two: &str| compare(&one(), two, &["f=1"]).err().unwrap().to_string();
    let more = one().replace("%f: f64)", "%f: f64, %g: f64)");
    let message = refusal(&more);
    assert!(message.starts_with("argument 3 'g' of 'two.mlir' has no counterpart in 'one.mlir'"));
    let larger = one().replace("[0,8]x", "[-1,8]x");
    let message = refusal(&larger);
    assert!(message.contains("extents (8,), and argument 0 'in' of 'two.mlir'"), "{message}");
    assert!(message.ends_with("give both the same size with -D or --extents"), "{message}");
    let integer = one()
        .replace("%f: f64)", "%f: i32)")
        .replace("%t = ", "%g = arith.sitofp %f : i32 to f64\n  %t = ");
    let message = refusal(&integer.replace("%f = %f : f64", "%f = %g : f64"));
    assert!(message.contains("argument 2 'f' of 'two.mlir', its counterpart, is a scalar of i32"));
    assert!(message.ends_with("; declare both with the same type"), "{message}");
    let single = one().replace("f64", "f32");
    let message = refusal(&single);
    assert!(message.ends_with("; declare both with the same type"), "{message}");
    let swapped = one().replace("%in: ", "%f: ").replace(", %f: f64", ", %in: f64");
    let swapped =
        swapped.replace("stencil.load %in", "stencil.load %f").replace("= %f :", "= %in :");
    let message = refusal(&swapped);
    assert!(message.ends_with("give those that belong together the same name"), "{message}");
    let moved = one().replace("[0,8]x", "[2,10]x").replace("<[0], [8]>", "<[2], [10]>");
    assert!(compare(&one(), &moved, &["f=1"]).unwrap().comparison.is_identical());
}

#[test]
fn a_domain_grows_with_the_fields_that_are_wanted() {
    let contexts = [session::new_context(), session::new_context()];
    let larger = one().replace("[0,8]", "[0,20]").replace("[8]", "[20]");
    // A margin of two cells, which stays.
    let margin = one().replace("[0,8]x", "[-1,9]x");
    let inputs = [margin, larger].map(|text| Input { name: "a.mlir".to_owned(), text });
    let sessions = [0, 1]
        .map(|i| Session::new(&contexts[i], &inputs[i], Target::new("sm_90a", None).unwrap()));
    let modules = sessions.each_ref().map(|session| session.parse().unwrap());
    let [one, two] = [0, 1].map(|i| {
        let (session, module) = (&sessions[i], &modules[i]);
        Side { session, module, function: "scale".to_owned() }
    });
    let extents = extents_for(&one, &two).unwrap();
    assert_eq!(extents, Some("18".parse().unwrap()));
    let reading = Reading { extents, ..Reading::default() };
    let grown = sessions[0].read(&reading).unwrap();
    let grown = Side { module: &grown, ..one };
    assert_eq!(extents_for(&grown, &two).unwrap(), None);
}
