//! The bins that a large number of programs must fill.

use crate::features::{Category, Features};
use crate::types::{Binary, ByConstant, Integer, Scalar, Unary};

/// Bins other than those of [`Category::Operation`], [`Category::Radius`] and
/// [`Category::Element`], which follow from tables.
const BINS: &[(Category, &[&str])] = &[
    (Category::Rank, &["1", "2", "3"]),
    (Category::Operand, &["field", "scalar", "dynamic access", "absolute access"]),
    (Category::Operand, &["1 in 1", "1 in 2", "2 in 2", "1 in 3", "2 in 3", "3 in 3"]),
    (Category::Operand, &["absolute access of another rank"]),
    (Category::Operand, &["dynamic access in a region", "temp of a temp", "temp used twice"]),
    (Category::Results, &["1", "2", "3", "4 or more"]),
    (Category::Radius, &["5 or more", "another on each side"]),
    (Category::Combine, &["in 1 dimension", "in 2 dimensions", "in 3 dimensions", "of several"]),
    (Category::Combine, &["lower only", "upper only", "stored", "read", "of one apply"]),
    (Category::Combine, &["several of one apply on both sides", "of a combine"]),
    (
        Category::Loop,
        &["0 trips", "1 trip", "2 trips", "3 trips", "5 trips", "no field", "1 field"],
    ),
    (Category::Loop, &["odd trips", "even trips"]),
    (
        Category::Loop,
        &["2 fields kept", "2 fields swapped", "3 fields kept", "3 fields, 2 swapped"],
    ),
    (Category::Loop, &["3 fields cycled", "nested", "argument as bound", "counter read"]),
    (Category::Loop, &["step above 1", "result read"]),
    (Category::Store, &["in place", "parts", "overlapping", "one temp twice", "copy", "whole"]),
    (Category::Store, &["skipped points", "part of the domain"]),
    (Category::Store, &["in place, neighbours read", "in place, otherwise"]),
    (Category::Grid, &["extent 1", "extent 2", "extent 3..4", "extent 5..8", "extent 9..16"]),
    (Category::Grid, &["extent 17..", "odd extent", "even extent", "extent within 2 radii"]),
    (Category::Grid, &["extent within 1 radius"]),
    (Category::Grid, &["negative origin", "positive origin", "tight field", "loose field"]),
    (Category::Form, &["unknown bounds", "exact bounds", "buffer form", "unroll", "bounds clause"]),
    (Category::Form, &["fast-math", "stencil call", "scalar call", "idle load", "host scalar"]),
    (Category::Form, &["several element types"]),
];

/// Operations that occur under one spelling each, beside those of the tables.
const OPERATIONS: &[&str] = &[
    "stencil.load",
    "stencil.store",
    "stencil.apply",
    "stencil.access",
    "stencil.dyn_access",
    "stencil.index",
    "stencil.return",
    "stencil.store_result",
    "stencil.combine",
    "stencil.buffer",
    "stencil.alloc",
    "stencil.cast",
    "math.fma",
    "math.fpowi",
    "arith.cmpf",
    "arith.cmpi",
    "arith.select",
    "arith.constant",
    "arith.extf",
    "arith.truncf",
    "arith.sitofp",
    "arith.fptosi",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "arith.index_cast",
    "scf.if",
    "scf.for",
    "scf.yield",
    "func.func",
    "func.call",
    "func.return",
];

impl Features {
    /// Every bin that a large number of programs must fill.
    pub fn expected() -> Vec<(Category, String)> {
        let tables = Unary::ALL.iter().map(|op| op.name());
        let tables = tables.chain(Binary::ALL.iter().map(|op| op.name()));
        let tables = tables.chain(Integer::ALL.iter().map(|op| op.name()));
        let tables = tables.chain(ByConstant::ALL.iter().map(|op| op.name()));
        let operations = tables.chain(OPERATIONS.iter().copied());
        let mut bins: Vec<_> =
            operations.map(|name| (Category::Operation, name.to_string())).collect();
        let elements = Scalar::FLOATS.into_iter().chain([Scalar::I32, Scalar::I64]);
        bins.extend(elements.map(|of| (Category::Element, of.name().to_string())));
        for dim in 0..3 {
            for side in ["below", "above"] {
                for radius in 0..=4 {
                    bins.push((Category::Radius, format!("dim {dim} {side}: {radius}")));
                }
            }
        }
        for (category, names) in BINS {
            bins.extend(names.iter().map(|name| (*category, (*name).to_string())));
        }
        bins
    }
}
