//! The Fortran module: the functions of the launcher, and a type with procedures over them.
//!
//! Fortran's first index is the contiguous one, our last dimension: extents and bounds are
//! reversed, so that an array declared with them has the layout of the field. Upper bounds are
//! inclusive, as in Fortran.

mod text;

use self::text::{C_FUNCTIONS, FIELD, FLAGS, INTRODUCTION, PROCEDURES, STATUSES};
use crate::{
    interface::{ArgumentInterface, FunctionInterface, Interface},
    names::{self, Names, comment},
    sizes::{Cells, Size},
    types,
};
use std::fmt::Write;
use stencil_runtime::ScalarType;

/// The text of the module.
pub(crate) fn write(interface: &Interface) -> String {
    let producer = &interface.manifest.producer;
    let fill = |text: &str| {
        let text = with_prefix(interface, text).replace("@C@", &interface.prefix);
        text.replace("@STEM@", &comment(interface.stem).replace('\'', "_"))
            .replace("@TARGET@", &comment(&interface.manifest.target))
            .replace("@PRODUCER@", &comment(&format!("{} {}", producer.program, producer.version)))
    };
    let mut text = fill(INTRODUCTION);
    text.push_str(&with_prefix(interface, &library_constants()));
    text.push_str(&constants(interface));
    text.push_str(&fill(FIELD));
    for function in &interface.functions {
        text.push_str(&with_prefix(interface, &binding(function)));
    }
    text.push_str(&fill(C_FUNCTIONS));
    for function in &interface.functions {
        text.push_str(&fill(&c_function(function)));
    }
    text.push_str("  end interface\n\n");
    for function in &interface.functions {
        let line = format!("  public :: pkg_{}\n", function.name);
        text.push_str(&with_prefix(interface, &line));
    }
    text.push_str(&fill(PROCEDURES));
    for function in &interface.functions {
        text.push_str(&with_prefix(interface, &procedures(function)));
    }
    text.push_str(&fill("\nend module pkg_\n"));
    text.lines().map(continued).collect()
}

/// The line length that compilers must accept.
const COLUMNS_MAX: usize = 132;

/// A line with its end, continued on several lines if it is too long. Names and texts may be split
/// anywhere, as the next line continues right after its '&'; breaks between words are preferred.
fn continued(line: &str) -> String {
    let indent = &line[..line.len() - line.trim_start().len()];
    let is_comment = line.trim_start().starts_with('!');
    let (end, begin) = if is_comment { ("", "!>   ") } else { ("&", "  &") };
    let (mut text, mut rest) = (String::new(), line.to_owned());
    while rest.chars().count() > COLUMNS_MAX {
        let most = rest.char_indices().nth(COLUMNS_MAX - end.len()).map_or(rest.len(), |at| at.0);
        // A trailing '&' must not be alone on the next line.
        let most = if rest.ends_with(" &") { most.min(rest.len() - 3) } else { most };
        // Each continuation must get shorter, however the line begins.
        let least = most / 2;
        let cut = rest[..most].rfind(' ').map(|at| at + 1).filter(|at| *at > least);
        let (head, tail) = rest.split_at(cut.unwrap_or(most));
        text.push_str(if is_comment { head.trim_end() } else { head });
        text.push_str(&format!("{end}\n"));
        rest = format!("{indent}{begin}{tail}");
    }
    text + &rest + "\n"
}

/// `pkg_` alone is the module, before other letters the prefix of a name; names are truncated to
/// Fortran's limit.
fn with_prefix(interface: &Interface, text: &str) -> String {
    let prefix = interface.prefix.to_lowercase();
    let mut result = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        match word.strip_prefix("pkg_") {
            Some("") => result.push_str(&names::fortran(&prefix)),
            Some(rest) => result.push_str(&names::fortran(&format!("{prefix}_{rest}"))),
            None => result.push_str(&word),
        }
        word.clear();
        result.push(c);
    }
    result.pop();
    result
}

/// Statuses and flags.
fn library_constants() -> String {
    let mut text = String::new();
    for (kinds, kind) in [(STATUSES, "c_int"), (FLAGS, "c_int32_t")] {
        for (name, number, what) in kinds {
            put(&mut text, &format!("  !> {what}"));
            let declared = format!("  integer({kind}), parameter, public :: pkg_{name} = {number}");
            put(&mut text, &declared);
        }
    }
    text
}

/// Extents and bounds of fields.
fn constants(interface: &Interface) -> String {
    let mut text = String::new();
    let prefix = interface.prefix.to_lowercase();
    let functions = interface.functions.iter().map(|f| format!("{prefix}_{}", f.name));
    let mut taken = Names::without(functions);
    for function in &interface.functions {
        for (_, field) in function.fields() {
            field_constants(function, field, &mut taken, &mut text);
        }
    }
    text
}

fn field_constants(
    function: &FunctionInterface,
    field: &ArgumentInterface,
    taken: &mut Names,
    text: &mut String,
) {
    let Some(shape) = field.shape() else { return };
    let kind = |value: i64| match value {
        i64::MIN => format!("({} - 1_c_int64_t)", literal(i64::MIN + 1)),
        _ => literal(value),
    };
    let extents = shape.extents().into_iter().map(|extent| extent as i64).collect();
    let last = shape.upper.iter().map(|upper| upper - 1).collect();
    let lower = ("lbound", shape.lower.clone());
    // What follows a size is told with the arguments.
    let kinds: Vec<(&str, Vec<i64>)> = match field.cells.iter().all(is_number) {
        true => vec![("shape", extents), lower, ("ubound", last)],
        false => vec![lower],
    };
    put(text, &format!("\n  !> {}: {}", field.fortran, description(function, field)));
    for (what, values) in kinds {
        let name = names::fortran(&taken.take(format!("{}_{what}", field.constants)));
        let values: Vec<String> = values.into_iter().rev().map(kind).collect();
        let rank = values.len();
        put(text, &format!("  integer(c_int64_t), parameter, public :: {name}({rank}) = [ &"));
        put(text, &format!("    {}]", values.join(", &\n    ")));
    }
}

fn is_number(cells: &Cells) -> bool {
    matches!(cells, Cells::Number(_))
}

fn literal(value: i64) -> String {
    format!("{value}_c_int64_t")
}

/// The documentation of an argument, in one line; indices in Fortran's order.
fn description(function: &FunctionInterface, argument: &ArgumentInterface) -> String {
    if let Some(shape) = argument.shape() {
        let names = function.sizes.iter().map(|size| size.fortran.as_str()).collect::<Vec<_>>();
        let last = |lower: i64, cells: &Cells| cells.plus(lower).plus(-1).text(&names);
        let bounds = shape.lower.iter().zip(&argument.cells).rev();
        let bounds: Vec<String> =
            bounds.map(|(lower, cells)| format!("{lower}:{}", last(*lower, cells))).collect();
        let (ty, remark) = (types::fortran(shape.element), types::c_remark(shape.element));
        let bounds = bounds.join(", ");
        return format!("{ty} ({}{remark}), ({bounds}); {}", shape.element, argument.role());
    }
    let scalar = argument.scalar().expect("an argument is a field or a number");
    let symbol = match argument.symbol() {
        Some(symbol) => format!(", the value of symbol '{}' of Devito", comment(symbol)),
        None => String::new(),
    };
    format!("a number of type {scalar}{}{symbol}", types::c_remark(scalar))
}

/// The lines of the type for one function: called with addresses or with fields.
fn binding(function: &FunctionInterface) -> String {
    let name = &function.name;
    let of = comment(&function.function.name);
    let mut text = format!("    !> Runs '{of}'.\n");
    let private = format!("pkg_bound_{name}");
    if function.fields().next().is_none() {
        put(&mut text, &format!("    procedure, public :: {} => {private}", names::fortran(name)));
        return text;
    }
    let [given, fields, addresses] =
        ["", "_fields", "_addresses"].map(|ending| names::fortran(&format!("{name}{ending}")));
    put(&mut text, &format!("    procedure, private :: {fields} => {private}"));
    put(&mut text, &format!("    procedure, private :: {addresses} => {private}_addresses"));
    put(&mut text, &format!("    generic, public :: {given} => {fields}, {addresses}"));
    text
}

/// The interface of one function of the header.
fn c_function(function: &FunctionInterface) -> String {
    let name = &function.name;
    let mut text = format!("\n    function pkg_{name}( &\n");
    let sizes = function.sizes.iter().map(|size| size.fortran.as_str());
    let before = ["handle"].into_iter().chain(sizes).collect::<Vec<_>>();
    for parameter in parameters(function, &before, &["stream"]) {
        put(&mut text, &format!("      {parameter} &"));
    }
    put(&mut text, &format!("      ) bind(C, name=\"@C@_{name}\") &"));
    put(&mut text, "      result(code)");
    put(&mut text, "      import");
    put(&mut text, "      type(c_ptr), value :: handle");
    for size in &function.sizes {
        put(&mut text, &format!("      integer(c_int64_t), value :: {}", size.fortran));
    }
    for argument in &function.arguments {
        let declared = match argument.scalar() {
            Some(ty) => format!("{}, value", types::fortran(ty)),
            None => "type(pkg_field), intent(in)".to_owned(),
        };
        put(&mut text, &format!("      {declared} :: {}", argument.fortran));
    }
    put(&mut text, "      type(c_ptr), value :: stream");
    put(&mut text, "      integer(c_int) :: code");
    put(&mut text, "    end function");
    text
}

/// The procedures of the type for one function.
fn procedures(function: &FunctionInterface) -> String {
    let name = &function.name;
    let mut text = procedure_head(function, &format!("pkg_bound_{name}"), "type(pkg_field)");
    put(&mut text, "    type(c_ptr) :: queue");
    put(&mut text, "    integer(c_int) :: code");
    put(&mut text, "    queue = c_null_ptr");
    put(&mut text, "    if (present(stream)) queue = stream");
    put(&mut text, &format!("    code = pkg_{name}( &"));
    put(&mut text, "      self%address, &");
    for size in &function.sizes {
        put(&mut text, &format!("      {}, &", size.fortran));
    }
    for argument in &function.arguments {
        let value = argument.fortran.clone();
        let value = match argument.scalar() {
            Some(ScalarType::I1) => format!("merge(1_c_int8_t, 0_c_int8_t, {value})"),
            _ => value,
        };
        put(&mut text, &format!("      {value}, &"));
    }
    put(&mut text, "      queue)");
    put(&mut text, "    call pkg_bound_report(self, code, status)");
    put(&mut text, "  end subroutine");
    if function.fields().next().is_none() {
        return text;
    }

    let own = format!("pkg_bound_{name}_addresses");
    text.push_str(&procedure_head(function, &own, "type(c_ptr)"));
    put(&mut text, &format!("    call pkg_bound_{name}( &"));
    put(&mut text, "      self, &");
    for size in of_fortran(function) {
        put(&mut text, &format!("      {}, &", size.fortran));
    }
    for argument in &function.arguments {
        let value = argument.fortran.clone();
        let value = match argument.scalar() {
            Some(_) => value,
            None => format!("pkg_field(data={value})"),
        };
        put(&mut text, &format!("      {value}, &"));
    }
    put(&mut text, "      stream, status)");
    put(&mut text, "  end subroutine");
    text
}

/// The head of a procedure and its dummy arguments; fields are of type `field`.
fn procedure_head(function: &FunctionInterface, name: &str, field: &str) -> String {
    let mut text = String::new();
    put(&mut text, "");
    for size in of_fortran(function) {
        let meaning = match function.is_named() {
            true => size.meaning.clone(),
            false => "points of the domain along that index".to_owned(),
        };
        put(&mut text, &format!("  !> {}: {}", size.fortran, comment(&meaning)));
    }
    for argument in &function.arguments {
        let description = description(function, argument);
        put(&mut text, &format!("  !> {}: {description}", argument.fortran));
    }
    put(&mut text, &format!("  subroutine {name}( &"));
    let sizes = of_fortran(function).into_iter().map(|size| size.fortran.as_str());
    let before = ["self"].into_iter().chain(sizes).collect::<Vec<_>>();
    for parameter in parameters(function, &before, &["stream", "status"]) {
        put(&mut text, &format!("    {parameter} &"));
    }
    put(&mut text, "    )");
    put(&mut text, "    class(pkg_handle), intent(in) :: self");
    for size in of_fortran(function) {
        put(&mut text, &format!("    integer(c_int64_t), intent(in) :: {}", size.fortran));
    }
    for argument in &function.arguments {
        let ty = match argument.scalar() {
            Some(ScalarType::I1) => "logical",
            Some(ty) => types::fortran(ty),
            None => field,
        };
        put(&mut text, &format!("    {ty}, intent(in) :: {}", argument.fortran));
    }
    put(&mut text, "    type(c_ptr), intent(in), optional :: stream");
    put(&mut text, "    integer(c_int), intent(out), optional :: status");
    text
}

/// The sizes in Fortran's order: those without a name are extents, of which the contiguous
/// dimension's comes first.
fn of_fortran<'f>(function: &'f FunctionInterface) -> Vec<&'f Size> {
    match function.is_named() {
        true => function.sizes.iter().collect(),
        false => function.sizes.iter().rev().collect(),
    }
}

/// All parameters with commas between them.
fn parameters(function: &FunctionInterface, before: &[&str], after: &[&str]) -> Vec<String> {
    let own = function.arguments.iter().map(|argument| argument.fortran.clone());
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut all = owned(before);
    all.extend(own);
    all.extend(owned(after));
    let last = all.len() - 1;
    all.iter_mut().take(last).for_each(|name| name.push(','));
    all
}

fn put(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("text grows without errors");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_library() {
        let header = include_str!("../../runtime/c/include/stencil.h");
        for (name, number, _) in STATUSES.iter().chain(FLAGS) {
            let line = format!("    STENCIL_{} = {number},", name.to_uppercase());
            assert!(header.contains(&line), "{line}");
        }
    }

    #[test]
    fn long_lines_go_on_in_the_next() {
        let name = "n".repeat(60);
        assert_eq!(continued("  integer :: a"), "  integer :: a\n");
        let line = format!("    procedure :: {name} => {name}_a &");
        let [one, two] = [&line[..81], &line[81..]];
        assert_eq!(continued(&line), format!("{one}&\n      &{two}\n"));
        // A word longer than a line is split, and no '&' is left alone.
        let line = format!("  {} &", "w".repeat(131));
        let text = continued(&line);
        let lines = text.lines().collect::<Vec<_>>();
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS_MAX), "{text}");
        assert_eq!((lines.len(), lines[1]), (2, "    &ww &"));
        let comment = continued(&format!("  !> {}end", "word ".repeat(40)));
        assert_eq!(comment.lines().count(), 2);
        assert!(comment.lines().all(|line| line.starts_with("  !>") && !line.ends_with(' ')));
    }
}
