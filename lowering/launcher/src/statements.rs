//! The host program as C: one variable for each value, a `for` loop for each loop.
//!
//! A rotation of buffers permutes the loop's variables at the end of an iteration; no byte moves.
//! Every statement that can fail returns its error code.

use crate::{
    interface::{FunctionInterface, Interface, buffer_bytes},
    live,
    scalars::{self, Operand},
    source, types,
};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};
use stencil_runtime::{
    ScalarType,
    manifest::{ArgumentKind, Carried, Function, Id, Statement, TimeSteps},
    time_loop,
};

/// The body of a function, and which arguments it takes.
pub(crate) struct Body {
    /// The statements, indented by one level.
    pub(crate) text: String,
    /// Positions of the arguments that are used.
    pub(crate) arguments: Vec<usize>,
}

/// Writes the statements of a function. `first_temporary` is the number of its first temporary
/// buffer in the handle's memory.
pub(crate) fn body(
    interface: &Interface,
    function: &FunctionInterface,
    first_temporary: usize,
) -> Body {
    let arguments = &function.function.arguments;
    let types = arguments.iter().enumerate().filter_map(|(position, argument)| {
        let ArgumentKind::Scalar { scalar, .. } = argument.kind else { return None };
        Some((Id(position as u32), scalar))
    });
    let temporaries = function.temporaries();
    let temporaries = temporaries.iter().enumerate();
    let mut writer = Writer {
        interface,
        live: live::values(function.function),
        types: types.collect(),
        bytes: buffer_bytes(function.function),
        temporaries: temporaries.map(|(index, (id, _))| (*id, first_temporary + index)).collect(),
        text: String::new(),
        depth: 1,
        function: function.function,
        is_limited: false,
    };
    writer.body(&function.function.body);
    if writer.text.contains("code = ") {
        writer.text.insert_str(0, "    int code;\n");
    }
    let arguments = (0..arguments.len()).filter(|index| writer.live.contains(&Id(*index as u32)));
    Body { arguments: arguments.collect(), text: writer.text }
}

struct Writer<'w> {
    interface: &'w Interface<'w>,
    live: HashSet<Id>,
    /// The types of the scalars defined so far.
    types: HashMap<Id, ScalarType>,
    bytes: HashMap<u32, u64>,
    temporaries: HashMap<u32, usize>,
    text: String,
    depth: usize,
    function: &'w Function,
    /// Whether the time steps have been checked.
    is_limited: bool,
}

/// The variable of a value.
fn variable(id: Id) -> String {
    format!("v{}", id.0)
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let indent = "    ".repeat(self.depth);
        writeln!(self.text, "{indent}{line}").expect("text grows without errors");
    }

    /// A call that may fail.
    fn checked(&mut self, call: &str) {
        self.line(&format!("code = {call};"));
        self.line("if (code != PKG_OK) {");
        self.line("    return code;");
        self.line("}");
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Constant { result, value } => {
                self.types.insert(*result, value.ty());
                let constant = types::c_constant(*value);
                self.define(*result, &constant, &types::remark(*value));
            }
            Statement::Scalar { result, op, operands, ty } => {
                let operands: Vec<Operand> = operands.iter().map(|id| self.operand(*id)).collect();
                let place = format!("value {result}");
                let operation = scalars::operation(*op, &operands, *ty, &place);
                if let Some(check) = operation.check {
                    self.checked(&check);
                }
                self.types.insert(*result, *ty);
                self.define(*result, &operation.value, "");
            }
            Statement::Allocate { result, .. } => {
                let memory = format!("handle->memory[{}]", self.temporaries[&result.0]);
                self.define(*result, &memory, "");
            }
            Statement::Copy { from, to } => {
                let bytes = self.bytes[&from.0];
                let (from, to) = (variable(*from), variable(*to));
                self.checked(&format!("pkg_copy(handle, {to}, {from}, {bytes}u, stream)"));
            }
            Statement::Launch { kernel, arguments } => self.launch(kernel, arguments),
            Statement::For { lower, upper, step, induction, carried, body } => {
                self.counted_loop([*lower, *upper, *step], *induction, carried, body);
            }
        }
    }

    fn operand(&self, id: Id) -> Operand {
        Operand { text: variable(id), ty: self.types[&id] }
    }

    /// The type of the variable of a value: a number's, or a buffer's address.
    fn variable_type(&self, id: Id) -> &'static str {
        self.types.get(&id).map_or("CUdeviceptr", |ty| types::c_variable(*ty))
    }

    /// Declares the variable of a live value.
    fn define(&mut self, id: Id, value: &str, remark: &str) {
        if self.live.contains(&id) {
            let ty = self.variable_type(id);
            self.line(&format!("{ty} {} = {value};{remark}", variable(id)));
        }
    }

    fn launch(&mut self, kernel: &str, arguments: &[Id]) {
        let (number, _) = self.interface.kernel(kernel);
        let call = |parameters| format!("pkg_launch(handle, {number}, {parameters}, stream)");
        self.line(&format!("/* {} */", comment(kernel)));
        if arguments.is_empty() {
            self.checked(&call("NULL"));
            return;
        }
        let addresses: Vec<String> = arguments.iter().map(|id| format!("&v{}", id.0)).collect();
        self.line("{");
        self.depth += 1;
        self.line(&format!("void *parameters[] = {{{}}};", addresses.join(", ")));
        self.checked(&call("parameters"));
        self.depth -= 1;
        self.line("}");
    }

    fn counted_loop(
        &mut self,
        [lower, upper, step]: [Id; 3],
        induction: Id,
        carried: &[Carried],
        body: &[Statement],
    ) {
        let number = induction.0;
        let [lower, limit, step] = [lower, upper, step].map(|id| self.operand(id));
        let ty = lower.ty;
        self.line(&format!("const int64_t upper{number} = {};", scalars::signed(&limit)));
        self.line(&format!("const int64_t step{number} = {};", scalars::signed(&step)));
        self.checked(&format!("pkg_check_step(handle, \"{induction}\", step{number})"));
        if self.depth == 1 {
            self.check_limits(&lower, number);
        }
        for slot in carried {
            if let Some(ty) = self.types.get(&slot.initial).copied() {
                self.types.extend([(slot.argument, ty), (slot.result, ty)]);
            }
        }
        let carried: Vec<&Carried> =
            carried.iter().filter(|slot| self.live.contains(&slot.argument)).collect();
        for slot in &carried {
            self.define(slot.argument, &variable(slot.initial), "");
        }
        self.line(&format!(
            "for (int64_t i{number} = {}; i{number} < upper{number};",
            scalars::signed(&lower)
        ));
        self.line(&format!(
            "     i{number} = pkg_next(i{number}, step{number}, upper{number})) {{"
        ));
        self.depth += 1;
        self.types.insert(induction, ty);
        self.define(induction, &scalars::wrapped(ty, &format!("(uint64_t)i{number}")), "");
        self.body(body);
        self.rotate(&carried);
        self.depth -= 1;
        self.line("}");
        for slot in carried {
            self.define(slot.result, &variable(slot.argument), "");
        }
    }

    /// Refuses time steps for which a table has no values, before a loop at the top level: the
    /// first, if the loops share the steps.
    fn check_limits(&mut self, lower: &Operand, number: u32) {
        let function = self.function;
        let start = scalars::signed(lower);
        let (steps, step) = match function.time_steps {
            Some(_) if self.is_limited => return,
            Some(TimeSteps { value, step, .. }) => {
                let iterations = scalars::signed(&self.operand(value));
                (format!("pkg_steps(0, {iterations}, 1) * {step}u"), format!("{step}u"))
            }
            None => {
                let steps = format!("pkg_steps({start}, upper{number}, step{number})");
                (steps, format!("(uint64_t)step{number}"))
            }
        };
        self.is_limited = true;
        for limit in &function.step_limits {
            let table = source::string(&time_loop::table(function, limit));
            let ends = [limit.first, limit.last].map(types::c_signed).join(", ");
            self.checked(&format!(
                "pkg_check_limit(handle, {table}, {ends}, {start}, {steps}, {step})"
            ));
        }
    }

    /// Assigns the next iteration's values to the variables of a loop.
    fn rotate(&mut self, carried: &[&Carried]) {
        let changed: Vec<&&Carried> =
            carried.iter().filter(|slot| slot.next != slot.argument).collect();
        // A parallel assignment: the loop may rotate its own variables.
        for slot in &changed {
            let ty = self.variable_type(slot.argument);
            self.line(&format!("const {ty} next{} = v{};", slot.argument.0, slot.next.0));
        }
        for slot in &changed {
            self.line(&format!("v{0} = next{0};", slot.argument.0));
        }
    }
}

/// Text that cannot end a comment, on one line.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}
