//! The fastest that a kernel could be on a product: what memory or arithmetic allow.
//!
//! Every value read once and written once, at the speed of a copy; every operation at the peak of
//! its precision, in fused multiply-adds. A kernel is never faster, often slower; no cache, no
//! latency, no tail. The report names the product, and says if its numbers are derived.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use stencil_model::product::Product;
use stencil_runtime::{
    ScalarType,
    manifest::{ArgumentKind, Function, Id, Kernel, Manifest, Statement},
};

/// What bounds a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// The product whose facts were used.
    pub product: &'static str,
    /// Whether nobody measured that product, so that the speed of a copy is derived.
    pub is_derived: bool,
    /// `memory`, `f64 arithmetic` or `f32 arithmetic`.
    pub by: &'static str,
    /// Points in a second, in units of 10^9.
    pub gigapoints_per_s: f64,
    /// Bytes in a second that a copy moves, read and written.
    pub copy_bytes_per_s: f64,
    /// Operations in a second at most, in the precision of the kernel.
    pub flops_per_s: f64,
}

/// The bound of a kernel that touches cells of these types.
pub fn of_kernel(
    product: &'static Product,
    kernel: &Kernel,
    touched: Option<&BTreeSet<ScalarType>>,
) -> Option<Bound> {
    let is_double = touched.is_some_and(|types| types.contains(&ScalarType::F64));
    let (by, flops_per_s) = peak(product, is_double);
    let memory_s =
        kernel.bytes_per_point.compulsory as f64 / product.calibration.copy_bytes_per_s as f64;
    let arithmetic_s = kernel.flops_per_point.executed as f64 / flops_per_s;
    let slowest_s = memory_s.max(arithmetic_s);
    (slowest_s > 0.0).then(|| Bound {
        product: product.name(),
        is_derived: product.calibration.is_derived(),
        by: if memory_s >= arithmetic_s { "memory" } else { by },
        gigapoints_per_s: 1e-9 / slowest_s,
        copy_bytes_per_s: product.calibration.copy_bytes_per_s as f64,
        flops_per_s,
    })
}

/// Operations in a second at most, a fused multiply-add counted as two.
fn peak(product: &Product, is_double: bool) -> (&'static str, f64) {
    let (by, per_clock) = match is_double {
        true => ("f64 arithmetic", product.sheet.fma_per_clock_per_sm.f64),
        false => ("f32 arithmetic", product.sheet.fma_per_clock_per_sm.f32),
    };
    let multiprocessors = f64::from(product.sheet.multiprocessors);
    (by, 2.0 * f64::from(per_clock) * multiprocessors * product.sheet.clock_max_hz as f64)
}

/// For each kernel, the types of the cells that its launches are given.
pub fn touched(manifest: &Manifest) -> BTreeMap<String, BTreeSet<ScalarType>> {
    let mut touched = BTreeMap::new();
    for function in &manifest.functions {
        let mut types = argument_types(function);
        visit(&function.body, &mut types, &mut touched);
    }
    touched
}

fn argument_types(function: &Function) -> BTreeMap<Id, ScalarType> {
    let fields = function.arguments.iter().enumerate().filter_map(|(position, argument)| {
        match &argument.kind {
            ArgumentKind::Field(shape) => Some((Id(position as u32), shape.element)),
            ArgumentKind::Scalar { .. } => None,
        }
    });
    fields.collect()
}

/// A buffer keeps its type through allocations and loops.
fn visit(
    body: &[Statement],
    types: &mut BTreeMap<Id, ScalarType>,
    touched: &mut BTreeMap<String, BTreeSet<ScalarType>>,
) {
    for statement in body {
        match statement {
            Statement::Allocate { result, element, .. } => {
                types.insert(*result, *element);
            }
            Statement::Launch { kernel, arguments } => {
                let found = arguments.iter().filter_map(|id| types.get(id).copied());
                touched.entry(kernel.clone()).or_default().extend(found);
            }
            Statement::For { carried, body, .. } => {
                for slot in carried {
                    if let Some(&element) = types.get(&slot.initial) {
                        types.extend([(slot.argument, element), (slot.result, element)]);
                    }
                }
                visit(body, types, touched);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stencil_runtime::manifest::{BytesPerPoint, FlopsPerPoint};

    fn kernel(flops: u64, bytes: u64) -> Kernel {
        Kernel {
            planes: None,
            copies: Vec::new(),
            name: "k".to_owned(),
            stage: None,
            location: None,
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            parameters: Vec::new(),
            plan: None,
            resources: None,
            points: 32,
            flops_per_point: FlopsPerPoint { written: flops, executed: flops },
            bytes_per_point: BytesPerPoint { compulsory: bytes, predicted: None },
            approximate: false,
        }
    }

    #[test]
    fn few_operations_are_bound_by_memory_and_many_are_not() {
        let double = BTreeSet::from([ScalarType::F64]);
        let h200 = Product::named("NVIDIA H200").unwrap();
        let bound = |flops, bytes, types| of_kernel(h200, &kernel(flops, bytes), types);
        let light = bound(8, 16, Some(&double)).unwrap();
        assert_eq!(light.by, "memory");
        // 4.28 TB/s over 16 bytes.
        assert!((light.gigapoints_per_s - 267.5).abs() < 0.1, "{light:?}");
        assert!((light.copy_bytes_per_s / 1e9 / 16.0 - light.gigapoints_per_s).abs() < 1e-9);
        assert!(light.flops_per_s > 8e9 * light.gigapoints_per_s, "{light:?}");
        assert_eq!(bound(1000, 16, Some(&double)).unwrap().by, "f64 arithmetic");
        assert_eq!(bound(1000, 16, None).unwrap().by, "f32 arithmetic");
        assert_eq!(bound(0, 0, None), None);
    }

    /// 16 operations for 16 bytes: a tenth of what an H200 makes of them, more than an RTX 4090.
    #[test]
    fn chips_for_graphics_are_bound_by_double_precision() {
        let double = BTreeSet::from([ScalarType::F64]);
        let of =
            |chip| of_kernel(Product::told(chip).unwrap(), &kernel(26, 16), Some(&double)).unwrap();
        assert_eq!((of("h200").by, of("h200").is_derived), ("memory", false));
        let geforce = of("rtx4090");
        assert_eq!((geforce.by, geforce.is_derived), ("f64 arithmetic", true));
        // 128 multiprocessors of two fused multiply-adds at 2.52 GHz.
        assert!((geforce.flops_per_s - 2.0 * 128.0 * 2.0 * 2.52e9).abs() < 1.0, "{geforce:?}");
    }
}
