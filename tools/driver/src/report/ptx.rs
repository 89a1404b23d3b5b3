//! What the PTX of a kernel consists of, counted.
//!
//! Static counts: each instruction once, however often a loop runs it. They show at a glance
//! whether a kernel reads through the read-only path and keeps its values in registers.

use serde::Serialize;

/// Instructions in the text of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// All of them.
    pub all: u64,
    /// Loads from global memory, of any kind.
    pub global_loads: u64,
    /// Those among them that go through the read-only path.
    pub read_only_loads: u64,
    /// Stores to global memory.
    pub global_stores: u64,
    /// Loads and stores of shared memory.
    pub shared: u64,
    /// Loads and stores of local memory.
    pub local: u64,
    /// Barriers of a block.
    pub barriers: u64,
}

/// The instructions of a kernel in a PTX text; none if it is not there.
pub fn of_kernel(ptx: &str, kernel: &str) -> Option<Instructions> {
    let body = body(ptx, kernel)?;
    let mut counts = Instructions::default();
    for line in body.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let Some(instruction) = code.trim().strip_suffix(';') else { continue };
        // A guard precedes what it guards: `@%p1 bra $L__BB0_2`.
        let mut words = instruction.split_whitespace().skip_while(|word| word.starts_with('@'));
        let Some(operation) = words.next() else { continue };
        if operation.starts_with('.') {
            continue;
        }
        counts.all += 1;
        let is = |prefix: &str| u64::from(operation.starts_with(prefix));
        counts.global_loads += is("ld.global");
        counts.read_only_loads += is("ld.global.nc");
        counts.global_stores += is("st.global");
        counts.shared += is("ld.shared") + is("st.shared");
        counts.local += is("ld.local") + is("st.local");
        counts.barriers += is("bar.") + is("barrier.");
    }
    Some(counts)
}

/// The text between the braces of a kernel.
fn body<'p>(ptx: &'p str, kernel: &str) -> Option<&'p str> {
    let start = format!(".entry {kernel}(");
    let rest = &ptx[ptx.find(&start)?..];
    let rest = &rest[rest.find("\n{")?..];
    Some(&rest[..rest.find("\n}")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_what_they_touch() {
        let ptx = "\
.visible .entry other(
)
{
	ret;
}
.visible .entry heat(
	.param .u64 heat_param_0
)
.maxntid 128
{
	.reg .pred 	%p<2>;
	ld.param.b64 	%rd1, [heat_param_0];
	@%p1 bra 	$L__BB0_2;
	ld.global.nc.b64 	%rd2, [%rd1];
	ld.global.b64 	%rd3, [%rd1+8];
$L__BB0_2:
	st.global.b64 	[%rd1], %rd2; // a comment
	st.local.b32 	[%r1], %r2;
	ret;
}
";
        let counts = of_kernel(ptx, "heat").unwrap();
        assert_eq!((counts.global_loads, counts.read_only_loads), (2, 1));
        assert_eq!((counts.all, counts.local, counts.barriers), (7, 1, 0));
        assert_eq!(of_kernel(ptx, "other").unwrap().all, 1);
        assert_eq!(of_kernel(ptx, "hea"), None);
    }
}
