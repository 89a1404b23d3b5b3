//! The programs of the generated family, as MLIR text.
//!
//! A program is a function of a member and a seed: which weight is at which cell is shuffled,
//! so that no symmetry is left. The weights are (n + i) / d for i = 0 .. n - 1 in the order that
//! the seed gives, with the sum of all as d: they are distinct, of one magnitude, and add up to 1,
//! so that values stay as large as they are however many steps are done.

use std::fmt::Write;
use stencil_bench::family::Member;

/// The seed of the programs that are measured: with another one results would not compare.
pub const SEED: u64 = 1;

/// The flags of every operation, as the benchmarks have them.
const FLAGS: &str = "fastmath<reassoc,contract,arcp,afn>";

/// The weight of each cell, in the order of the member's offsets.
pub fn weights(member: &Member, seed: u64) -> Vec<f64> {
    let count = member.offsets().len();
    let mut parts = (count..2 * count).collect::<Vec<_>>();
    let mut state = seed;
    // Each place in turn gets one of those that are left.
    for last in (1..count).rev() {
        let chosen = next(&mut state) % (last as u64 + 1);
        parts.swap(last, chosen as usize);
    }
    let whole = parts.iter().sum::<usize>() as f64;
    parts.into_iter().map(|part| part as f64 / whole).collect()
}

/// Numbers without a pattern, also from seeds that differ in one bit [Steele, Lea and Flood, Fast
/// Splittable Pseudorandom Number Generators, OOPSLA 2014].
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The name of a member's function: its own, as an identifier.
pub fn function(member: &Member) -> String {
    member.name().replace('-', "_")
}

/// The program of a member, at the size that is measured.
pub fn text(member: &Member, seed: u64) -> String {
    let name = member.name();
    let benchmark = stencil_bench::kernels::find(&name).expect("members are benchmarks");
    let each = |text: &dyn Fn(u64) -> String, separator: &str| {
        benchmark.size.iter().map(|extent| text(*extent)).collect::<Vec<_>>().join(separator)
    };
    let margin = member.margin();
    let cells = each(&|extent| format!("[0,{extent}]"), "x");
    let unknown = each(&|_| "?".to_owned(), "x");
    let lower = each(&|_| margin.to_string(), ", ");
    let upper = each(&|extent| (extent - margin).to_string(), ", ");
    let steps = benchmark.steps;
    let function = function(member);
    let body = body(member, &weights(member, seed));
    format!(
        "// {name}: generated with seed {seed}.

!field = !stencil.field<{cells}xf64>
!temp = !stencil.temp<{unknown}xf64>

func.func @{function}(%u: !field, %v: !field {{stencil.scratch}}) {{
  %first = arith.constant 0 : index
  %steps = arith.constant {steps} : index
  %one = arith.constant 1 : index
  %end:2 = scf.for %step = %first to %steps step %one
      iter_args(%now = %u, %next = %v) -> (!field, !field) {{
    %values = stencil.load %now : !field -> !temp
    %stepped = stencil.apply(%t = %values : !temp) -> (!temp) {{
{body}    }}
    stencil.store %stepped to %next(<[{lower}], [{upper}]>) : !temp to !field
    scf.yield %next, %now : !field, !field
  }}
  return
}}
"
    )
}

/// The operations of one point: products, added one by one.
fn body(member: &Member, weights: &[f64]) -> String {
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments| {
        writeln!(text, "      {words}").expect("a string takes what is written");
    };
    let mut sum = "p0".to_owned();
    for (number, (offset, weight)) in member.offsets().iter().zip(weights).enumerate() {
        line(format_args!("%w{number} = arith.constant {weight:?} : f64"));
        line(format_args!("%c{number} = stencil.access %t{offset:?} : !temp"));
        line(format_args!("%p{number} = arith.mulf %w{number}, %c{number} {FLAGS} : f64"));
        if number > 0 {
            line(format_args!("%s{number} = arith.addf %{sum}, %p{number} {FLAGS} : f64"));
            sum = format!("s{number}");
        }
    }
    line(format_args!("stencil.return %{sum} : f64"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_bench::family;

    #[test]
    fn weights_are_distinct_and_add_up_to_one() {
        for member in family::members() {
            let weights = weights(member, SEED);
            let mut sorted = weights.clone();
            sorted.sort_by(f64::total_cmp);
            assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "{}", member.name());
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", member.name());
            // Three weights may well stay as they are.
            assert!(weights.len() == 3 || weights != sorted, "{} is not shuffled", member.name());
        }
    }

    #[test]
    fn a_seed_gives_one_program_and_another_seed_another() {
        let member = family::find("star2d-1x3").unwrap();
        assert_eq!(text(member, 7), text(member, 7));
        assert_ne!(text(member, 7), text(member, 8));
        assert!(text(member, 7).contains("@star2d_1x3(%u: !field, %v: !field"));
    }
}
