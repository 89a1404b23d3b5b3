//! `unsafe` and foreign functions stay at the borders, each use with its reason.

use super::{Checkout, File};

/// The borders: MLIR and LLVM, the emulated threads, the CUDA driver and the interface for hosts in
/// C, the entry points of the plugin.
const BORDERS: &[&str] = &[
    "dialects/src/",
    "lowering/emulator/",
    "lowering/runtime/",
    "lowering/src/nvvm/",
    "lowering/src/ptx/",
    "tools/plugin/",
];

/// Lines above a block among which its reason may be.
const REASON_LINES: usize = 8;

pub fn check(checkout: &mut Checkout) {
    checkout.each("unsafe", |file, report| {
        let border = BORDERS.iter().any(|folder| file.path.starts_with(folder));
        for &line in file.rust.iter().flat_map(|rust| &rust.unsafe_lines) {
            if !border {
                report(line, "unsafe code is at the borders only".to_owned());
            } else if needs_reason(file, line) && !has_reason(file, line) {
                report(line, "has no '// SAFETY:' sentence".to_owned());
            }
        }
    });
}

/// Blocks and impls use what is unsafe; a declaration (`unsafe fn`, `extern "C"`) uses nothing.
fn needs_reason(file: &File, line: usize) -> bool {
    let text = file.text.lines().nth(line - 1).unwrap_or_default();
    text.contains("unsafe {") || text.contains("unsafe impl")
}

fn has_reason(file: &File, line: usize) -> bool {
    let lines = file.text.lines().skip(line.saturating_sub(REASON_LINES + 1));
    lines.take(line.min(REASON_LINES + 1)).any(|line| line.contains("SAFETY:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_stands_at_the_borders_with_a_reason() {
        let bare = "fn a() {\n    unsafe { b() }\n}\n";
        let reasoned = "fn a() {\n    // SAFETY: b has no precondition.\n    unsafe { b() }\n}\n";
        let mut checkout = Checkout::of(&[
            ("passes/src/a.rs", reasoned),
            ("dialects/src/a.rs", bare),
            ("dialects/src/b.rs", reasoned),
            ("dialects/src/c.rs", "unsafe extern \"C\" {\n    fn d();\n}\n"),
        ]);
        check(&mut checkout);
        assert_eq!(
            checkout.lines(),
            [
                "dialects/src/a.rs:2: unsafe: has no '// SAFETY:' sentence",
                "passes/src/a.rs:3: unsafe: unsafe code is at the borders only",
            ]
        );
    }
}
