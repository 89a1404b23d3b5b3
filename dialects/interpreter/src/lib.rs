//! The reference interpreter: the meaning of every op.
//!
//! A program is what this crate computes for it. It is slow and obvious: [`decode`] reads the IR
//! once into a list of typed steps ([`Program`]), and [`Program::run`] executes them point by
//! point. Passes, emulator and GPU are compared with it, so it shares no code with them, and does
//! nothing clever: no reordering, no fusion, no approximation that `dialects/docs/arithmetic.md`
//! does not state.
//!
//! ```no_run,standalone_crate
//! use stencil_dialects::{Bounds, context};
//! use stencil_interpreter::{ArgumentValue, Element, FieldData, Options, Scalar, decode};
//!
//! let context = context::new_context();
//! let source = context::Source::new(&context, "mean.mlir", r#"
//!     func.func @mean(%in: !stencil.field<[-1,5]xf64>, %out: !stencil.field<[0,4]xf64>) {
//!       %t = stencil.load %in : !stencil.field<[-1,5]xf64> -> !stencil.temp<?xf64>
//!       %r = stencil.apply(%a = %t : !stencil.temp<?xf64>) -> (!stencil.temp<?xf64>) {
//!         %half = arith.constant 0.5 : f64
//!         %left = stencil.access %a[-1] : !stencil.temp<?xf64>
//!         %right = stencil.access %a[1] : !stencil.temp<?xf64>
//!         %sum = arith.addf %left, %right : f64
//!         %mean = arith.mulf %sum, %half : f64
//!         stencil.return %mean : f64
//!       }
//!       stencil.store %r to %out(<[0], [4]>) : !stencil.temp<?xf64> to !stencil.field<[0,4]xf64>
//!       return
//!     }
//! "#);
//! let module = source.parse().expect("the text is a program");
//! let program = decode(&module, "mean").expect("it can be run");
//!
//! let field = |lower, upper, value: fn(i64) -> f64| {
//!     let bounds = Bounds::new(vec![lower], vec![upper]);
//!     FieldData::from_fn(&bounds, Element::F64, |p| Scalar::f64(value(p[0])))
//! };
//! let mut arguments = [
//!     ArgumentValue::Field(field(-1, 5, |i| (i * i) as f64)),
//!     ArgumentValue::Field(field(0, 4, |_| 0.0)),
//! ];
//! program.run(&mut arguments, &Options::default()).expect("every read is inside");
//! let ArgumentValue::Field(out) = &arguments[1] else { unreachable!() };
//! assert_eq!(out.get(&[2]), Some(Scalar::f64(5.0)));
//! ```
//!
//! Not here: verification (the dialect does it), bounds inference into the IR (a pass), and ops of
//! other languages or distributed ranks.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arguments;
pub mod arithmetic;
mod decode;
mod element;
mod error;
mod estimate;
mod execute;
mod grid;
mod program;
mod stages;
mod tiled;

pub use arguments::{ArgumentValue, FieldData};
pub use decode::decode;
pub use element::{Element, Format, Scalar, ScalarError};
pub use error::{ErrorKind, InterpreterError};
pub use execute::{Counters, Options, Outcome};
pub use program::{Parameter, Program, Signature, ValueKind};
