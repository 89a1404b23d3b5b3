//! That no operation of the dialect is missing from random programs unnoticed.

use stencil_fuzz::{Category, Features};

/// Where the dialect's operations are defined.
const DEFINITIONS: [&str; 2] = [
    include_str!("../../../../dialects/stencil/include/Stencil/StencilFieldOps.td"),
    include_str!("../../../../dialects/stencil/include/Stencil/StencilPointOps.td"),
];

/// Operations that random programs do not have.
const LEFT_OUT: [&str; 4] = [
    // Memory of hosts, which `stencil-bind-memrefs` turns into fields before all else.
    "stencil.external_load",
    "stencil.external_store",
    // Sums over a domain, which no kernel is made of.
    "stencil.reduce",
    "stencil.yield",
];

#[test]
fn every_operation_is_expected_or_left_out() {
    let lines = DEFINITIONS.iter().flat_map(|text| text.lines());
    let defined = lines.filter_map(|line| {
        let (_, rest) = line.strip_prefix("def ")?.split_once(": Stencil_Op<\"")?;
        Some(format!("stencil.{}", rest.split_once('"')?.0))
    });
    let defined = defined.collect::<Vec<_>>();
    assert!(defined.len() > 10, "{defined:?}");
    let expected = Features::expected();
    for name in &defined {
        let is_expected = expected.contains(&(Category::Operation, name.clone()));
        let is_left_out = LEFT_OUT.contains(&name.as_str());
        assert!(is_expected != is_left_out, "{name} is expected, or it is left out");
    }
    assert!(LEFT_OUT.iter().all(|name| defined.iter().any(|defined| defined == name)));
}
