//! A program with a plan of its own and smaller extents, as several tests look at it.

use melior::ir::Module;
use stencil_driver::{
    input::Input,
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};

/// What `look` sees of a program whose arithmetic is frozen, in a session with the plan.
pub fn planned<R>(
    (text, extents): (&str, &str),
    plan: &str,
    look: impl for<'c> FnOnce(&Session<'c>, &Module<'c>) -> R,
) -> R {
    let context = session::new_context();
    let input = Input { name: "program.mlir".to_owned(), text: text.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let session = session.with_plan(plan.parse().unwrap());
    let extents = Some(extents.parse().unwrap());
    let reading = Reading { extents, ..Reading::default() };
    let frozen = session.freeze(&session.read(&reading).unwrap()).unwrap();
    look(&session, &frozen)
}
