//! The functions that a region calls: those of C's mathematics, as the language of the file has
//! them.
//!
//! In C, `sqrt` takes and gives a double, whatever it is called with, and `abs` an int; C++ and
//! CUDA have one for each type. A function of the file is not one of C, whatever its name is.

use super::expressions::{Refusal, refuse};
use crate::stencilgen::{
    ast::{Name, Type},
    functions,
};
use std::collections::BTreeSet;

/// What is called, and what is cast to.
#[derive(Debug, Default)]
pub struct Calls {
    /// Functions that the file defines.
    pub own: BTreeSet<String>,
    /// Names of types that the file makes.
    pub types: BTreeSet<String>,
    /// Whether functions are there for each type: in C++, and by `<tgmath.h>`.
    pub is_overloaded: bool,
}

impl Calls {
    /// The function that a name means.
    pub fn called(&self, name: Name) -> Result<Name, Refusal> {
        let Name { text, span } = name;
        if self.own.contains(&text) {
            let what = format!("'{text}' is a function of this file");
            return refuse(span, what, "write its expression in the region, or make it a macro");
        }
        let Some((function, suffix)) = functions::find(&text) else {
            return Ok(Name { text, span });
        };
        if self.is_overloaded {
            return Ok(Name { text, span });
        }
        let is_single = suffix == Some(Type::Float);
        let r#type = match (function.name, is_single) {
            ("min" | "max" | "rsqrt", _) | ("abs", true) => {
                let what = format!("'{text}' is no function of C");
                let instead = match function.name {
                    "rsqrt" => "write 1.0/sqrt(x)".to_owned(),
                    name => format!("write f{name}"),
                };
                let help =
                    format!("{instead}, or define '{text}' here: included files are not read");
                return refuse(span, what, help);
            }
            (_, true) => return Ok(Name { text, span }),
            ("abs", _) => Type::Int,
            _ => Type::Double,
        };
        Ok(Name { text: functions::of_type(function, r#type), span })
    }

    /// Whether C has a function of this name.
    pub fn is_known(&self, name: &str) -> bool {
        !self.own.contains(name) && functions::find(name).is_some()
    }
}
