//! Lines of a file, lines of a function, columns of a line.

use super::Checkout;

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const COLUMNS_MAX: usize = 100;

/// What is written by hand as code; tests in MLIR and documents may have longer lines.
const CODE: &[&str] = &["rs", "cpp", "h", "td", "py", "cmake"];

pub fn check(checkout: &mut Checkout) {
    checkout.each("file-size", |file, report| {
        let lines = file.text.lines().count();
        if CODE.contains(&file.extension()) && lines > FILE_LINES_MAX {
            report(1, format!("has {lines} lines, at most {FILE_LINES_MAX}: split it"));
        }
    });
    checkout.each("columns", |file, report| {
        if !CODE.contains(&file.extension()) && file.path != "x" {
            return;
        }
        for (index, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > COLUMNS_MAX {
                report(index + 1, format!("has {columns} columns, at most {COLUMNS_MAX}"));
            }
        }
    });
    checkout.each("function-size", |file, report| {
        for function in file.rust.iter().flat_map(|rust| &rust.functions) {
            if function.lines > FUNCTION_LINES_MAX {
                let (name, lines) = (&function.name, function.lines);
                let text = format!("'{name}' has {lines} lines, at most {FUNCTION_LINES_MAX}");
                report(function.line, text);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(lines: usize) -> String {
        format!("fn a() {{\n{}}}\n", "    b();\n".repeat(lines - 2))
    }

    #[test]
    fn limits_hold_on_both_sides() {
        let long = |count: usize| "//\n".repeat(count);
        let wide = |count: usize| format!("//{}\n", "x".repeat(count - 2));
        let mut checkout = Checkout::of(&[
            ("a.rs", &long(500)),
            ("b.rs", &long(501)),
            ("c.rs", &wide(100)),
            ("d.rs", &wide(101)),
            ("e.rs", &function(70)),
            ("f.rs", &function(71)),
            ("g.txt", &wide(200)),
        ]);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            [
                "b.rs:1: file-size: has 501 lines, at most 500: split it",
                "d.rs:1: columns: has 101 columns, at most 100",
                "f.rs:1: function-size: 'a' has 71 lines, at most 70",
            ]
        );
    }

    #[test]
    fn an_exception_is_written_at_the_place() {
        let text = format!("// tidy: allow(function-size): it is a table\n{}", function(80));
        let mut checkout = Checkout::of(&[("a.rs", &text)]);
        check(&mut checkout);
        assert_eq!(checkout.lines(), Vec::<String>::new());
    }
}
