//! A pass that panics is our fault, not the program's. In a process of its own: the panic that was
//! noted stays noted.
#![allow(clippy::unwrap_used)]

use stencil_dialects::pass::{self, PassDescription};
use stencil_driver::{
    DriverError, crash,
    input::Input,
    session::{Session, new_context},
    target::Target,
};
use stencil_runtime::ErrorKind;

#[test]
fn a_panic_in_a_pass_is_an_internal_error() {
    crash::install_hook();
    let description = PassDescription {
        argument: "test-break-a-rule",
        summary: "panics",
        anchor: "builtin.module",
        options: &[],
        dialects: &[],
    };
    pass::register(description, Box::new(|_, _| panic!("the rule is broken")));

    let context = new_context();
    let text = "func.func @f() { return }\n".to_owned();
    let input = Input { name: "a.mlir".to_owned(), text };
    let session = Session::new(&context, &input, Target::new("sm_90a", None).unwrap());
    let module = session.parse().unwrap();
    let wrong = session.transform(&module, "builtin.module(no-such-pass)").err().unwrap();
    assert_eq!(wrong.kind(), ErrorKind::Program);

    let error = session.transform(&module, "builtin.module(test-break-a-rule)").err().unwrap();
    assert!(matches!(&error, DriverError::Internal(_)), "{error:?}");
    let message = error.to_string();
    assert!(message.starts_with("internal error: the rule is broken, at "), "{message}");
    assert_eq!(error.kind().exit_code(), 70);
}
