//! The text of scalar code.

use super::{Printer, list};
use crate::point::{Block, Coordinate, DynamicIndex, Kind, Literal, Op, Reduction};
use crate::program::{Apply, Value};
use crate::types::{Binary, FastMath, Scalar, conversion};

impl Printer<'_> {
    /// The body of an apply, once for each point that one run computes, and its return.
    pub(super) fn apply_body(&mut self, apply: &Apply) {
        let rank = self.program.type_of(apply.first_output()).rank();
        let unroll = apply.unroll.clone().unwrap_or_else(|| vec![1; rank]);
        let mut returned = vec![vec![]; apply.arity()];
        let mut types = vec![vec![]; apply.arity()];
        for copy in copies(&unroll) {
            let shifted = shift(&apply.body, &copy);
            shifted.ops.iter().for_each(|op| self.op(op));
            for (n, value) in shifted.yields.iter().enumerate() {
                returned[n].push(self.name(*value));
                types[n].push(self.ty(*value));
            }
        }
        // All points of the first result, then all of the second.
        let (returned, types) = (returned.concat().join(", "), types.concat().join(", "));
        let unrolled = match &apply.unroll {
            Some(factors) => format!(" unroll <[{}]>", list(factors)),
            None => String::new(),
        };
        self.line(&format!("stencil.return {returned}{unrolled} : {types}"));
    }

    /// One operation, with the constants and clamps that it needs.
    pub(super) fn op(&mut self, op: &Op) {
        match &op.kind {
            Kind::If { condition, then, otherwise } => {
                let (names, types) = (self.define_all(&op.results), self.type_list(&op.results));
                let condition = self.name(*condition);
                self.open(&format!("{names} = scf.if {condition} -> ({types}) {{"));
                self.region(then);
                self.close("} else {");
                self.depth += 1;
                self.region(otherwise);
                self.close("}");
            }
            Kind::For(reduction) => self.reduction(op, reduction),
            _ => {
                let text = self.expression(op);
                let result = self.define(op.results[0]);
                self.line(&format!("{result} = {text}"));
            }
        }
    }

    /// The operations of a nested block and its yield.
    fn region(&mut self, block: &Block) {
        block.ops.iter().for_each(|op| self.op(op));
        let (values, types) = (self.name_list(&block.yields), self.type_list(&block.yields));
        self.line(&format!("scf.yield {values} : {types}"));
    }

    fn reduction(&mut self, op: &Op, reduction: &Reduction) {
        let [lower, upper, step] =
            [reduction.lower, reduction.upper, reduction.step].map(|n| self.index_constant(n));
        let inits: Vec<Value> = reduction.carried.iter().map(|(init, _)| *init).collect();
        let inits: Vec<String> = inits.into_iter().map(|init| self.name(init)).collect();
        let (names, types) = (self.define_all(&op.results), self.type_list(&op.results));
        let induction = self.define(reduction.induction);
        let carried = reduction.carried.iter().zip(inits);
        let carried = carried.map(|((_, arg), init)| format!("{} = {init}", self.define(*arg)));
        let carried = carried.collect::<Vec<_>>().join(", ");
        self.open(&format!(
            "{names} = scf.for {induction} = {lower} to {upper} step {step} \
             iter_args({carried}) -> ({types}) {{"
        ));
        self.region(&reduction.body);
        self.close("}");
    }

    /// The text after the `=`; what it needs is emitted before.
    fn expression(&mut self, op: &Op) -> String {
        let of = self.ty(op.results[0]);
        match &op.kind {
            Kind::Constant(literal) => {
                constant(*literal, self.program.type_of(op.results[0]).element())
            }
            Kind::Access { operand, offset } => {
                let text = |o: &Option<i64>| o.map_or("_".to_string(), |n| n.to_string());
                let offset = offset.iter().map(text).collect::<Vec<_>>().join(", ");
                let (name, ty) = (self.name(*operand), self.ty(*operand));
                format!("stencil.access {name}[{offset}] : {ty}")
            }
            Kind::DynamicAccess { operand, indices, lower, upper } => {
                let indices = indices.iter().enumerate();
                let indices = indices.map(|(d, index)| self.coordinate(d, *index, lower, upper));
                let indices = indices.collect::<Vec<_>>().join(", ");
                let (lower, upper, attributes) = (list(lower), list(upper), self.attributes());
                let (name, ty) = (self.name(*operand), self.ty(*operand));
                format!(
                    "stencil.dyn_access {name}[{indices}] in <[{lower}]> : \
                     <[{upper}]>{attributes} : {ty}"
                )
            }
            Kind::AbsoluteAccess { operand, indices, lower, upper } => {
                let indices = indices.iter().enumerate();
                let indices = indices.map(|(d, index)| {
                    let mut constant =
                        |n: i64| self.constant_line(Literal::Integer(n), Scalar::Index);
                    match *index {
                        Coordinate::Constant(n) => constant(n),
                        Coordinate::Clamped(value) => {
                            let (least, most) = (constant(lower[d]), constant(upper[d]));
                            self.clamped(value, &least, &most)
                        }
                    }
                });
                let indices = indices.collect::<Vec<_>>().join(", ");
                let (lower, upper) = (list(lower), list(upper));
                let (name, ty) = (self.name(*operand), self.ty(*operand));
                format!(
                    "stencil.dyn_access {name}[{indices}] in <[{lower}]> : \
                     <[{upper}]> attributes {{absolute}} : {ty}"
                )
            }
            Kind::Index { dim, offset } => {
                format!("stencil.index {dim} <[{}]>{}", list(offset), self.attributes())
            }
            Kind::Convert(value) => self.conversion(*value, op.results[0]),
            Kind::ToInteger { value, limit } => self.float_to_integer(*value, *limit, &of),
            Kind::Call { function, arguments } => {
                let name = &self.program.functions[function].name;
                let (values, types) = (self.name_list(arguments), self.type_list(arguments));
                format!("func.call @{name}({values}) : ({types}) -> {of}")
            }
            Kind::StoreResult(value) => {
                let value = value.map_or(String::new(), |v| format!(" {}", self.name(v)));
                format!("stencil.store_result{value}{} : {of}", self.attributes())
            }
            _ => self.arithmetic(op),
        }
    }

    /// Operations of `arith` and `math` on numbers of one type.
    fn arithmetic(&mut self, op: &Op) -> String {
        let of = self.ty(op.results[0]);
        let flags = flags(op.flags);
        match &op.kind {
            Kind::Unary(name, value) => {
                format!("{} {}{flags} : {of}", name.name(), self.name(*value))
            }
            Kind::Binary(Binary::CopySign, [size, sign]) => {
                let sign = self.without_nan(*sign);
                let name = Binary::CopySign.name();
                format!("{name} {}, {sign}{flags} : {of}", self.name(*size))
            }
            Kind::Binary(name, values) => {
                format!("{} {}{flags} : {of}", name.name(), self.name_list(values))
            }
            Kind::Fma(values) => format!("math.fma {}{flags} : {of}", self.name_list(values)),
            Kind::Power { base, exponent, wide } => {
                let integer = if *wide { Scalar::I64 } else { Scalar::I32 };
                let exponent = self.constant_line(Literal::Integer(*exponent), integer);
                let base = self.name(*base);
                format!("math.fpowi {base}, {exponent}{flags} : {of}, {}", integer.name())
            }
            Kind::Integer(name, values) => {
                format!("{} {} : {of}", name.name(), self.name_list(values))
            }
            Kind::ByConstant { op: name, value, constant } => {
                let ty = self.program.type_of(op.results[0]).element();
                let constant = self.constant_line(Literal::Integer(*constant), ty);
                format!("{} {}, {constant} : {of}", name.name(), self.name(*value))
            }
            Kind::CompareFloat(predicate, values) => {
                let (text, of) = (self.name_list(values), self.ty(values[0]));
                format!("arith.cmpf {}, {text} : {of}", predicate.name())
            }
            Kind::CompareInteger(predicate, values) => {
                let (text, of) = (self.name_list(values), self.ty(values[0]));
                format!("arith.cmpi {}, {text} : {of}", predicate.name())
            }
            Kind::Select(values) => format!("arith.select {} : {of}", self.name_list(values)),
            _ => unreachable!("`expression` and `op` print all that is not arithmetic"),
        }
    }

    /// A conversion; an integer that may not fit a narrow floating-point type is reduced before.
    fn conversion(&mut self, value: Value, result: Value) -> String {
        let [from, to] = [value, result].map(|v| self.program.type_of(v).element());
        let name = conversion(from, to).expect("conversions are checked");
        let mut text = self.name(value);
        if from.is_integer() && to.is_float() && to.bits() == Some(16) {
            let limit = self.constant_line(Literal::Integer(1000), from);
            let small = self.fresh("p");
            self.line(&format!("{small} = arith.remsi {text}, {limit} : {}", from.name()));
            text = small;
        }
        format!("{name} {text} : {} to {}", from.name(), to.name())
    }

    fn constant_line(&mut self, literal: Literal, of: Scalar) -> String {
        let name = self.fresh("k");
        self.line(&format!("{name} = {}", constant(literal, of)));
        name
    }

    /// A coordinate of a dynamic access, clamped where the model says so.
    fn coordinate(
        &mut self,
        dim: usize,
        index: DynamicIndex,
        lower: &[i64],
        upper: &[i64],
    ) -> String {
        let mut here = |offset: i64| {
            let mut offsets = vec![0; lower.len()];
            offsets[dim] = offset;
            let name = self.fresh("p");
            self.line(&format!("{name} = stencil.index {dim} <[{}]>", list(&offsets)));
            name
        };
        match index {
            DynamicIndex::Shifted(offset) => here(offset),
            DynamicIndex::Clamped(value) => {
                let (least, most) = (here(lower[dim]), here(upper[dim]));
                self.clamped(value, &least, &most)
            }
        }
    }

    /// An index clamped to a range.
    fn clamped(&mut self, value: Value, least: &str, most: &str) -> String {
        let (raised, clamped) = (self.fresh("p"), self.fresh("p"));
        let value = self.name(value);
        self.line(&format!("{raised} = arith.maxsi {value}, {least} : index"));
        self.line(&format!("{clamped} = arith.minsi {raised}, {most} : index"));
        clamped
    }

    /// The number, or a negative one if it is NaN, whose sign is unspecified.
    fn without_nan(&mut self, value: Value) -> String {
        let of = self.program.type_of(value).element();
        // Large and of the same sign as what it replaces; inexact in every type, but finite in all.
        let least = self.constant_line(Literal::Float(-60000.0), of);
        let (name, value) = (self.fresh("p"), self.name(value));
        self.line(&format!("{name} = arith.maxnumf {value}, {least} : {}", of.name()));
        name
    }

    /// Conversion of a clamped number to an integer; NaN becomes a limit.
    fn float_to_integer(&mut self, value: Value, limit: i64, to: &str) -> String {
        let (from, text) = (self.program.type_of(value).element(), self.name(value));
        let bound = Literal::Float(limit as f64);
        let most = self.constant_line(bound, from);
        let least = self.constant_line(Literal::Float(-(limit as f64)), from);
        let (raised, clamped, from) = (self.fresh("p"), self.fresh("p"), from.name());
        self.line(&format!("{raised} = arith.maxnumf {text}, {least} : {from}"));
        self.line(&format!("{clamped} = arith.minnumf {raised}, {most} : {from}"));
        format!("arith.fptosi {clamped} : {from} to {to}")
    }
}

/// The offsets of the points that one run of an unrolled body computes, the last dimension fastest.
fn copies(unroll: &[i64]) -> Vec<Vec<i64>> {
    let mut copies = vec![vec![]];
    for factor in unroll {
        let longer = |copy: Vec<i64>| {
            (0..*factor).map(move |o| copy.iter().copied().chain([o]).collect::<Vec<_>>())
        };
        copies = copies.into_iter().flat_map(longer).collect();
    }
    copies
}

/// The body as it computes the point at an offset.
fn shift(body: &Block, copy: &[i64]) -> Block {
    let add = |list: &mut Vec<i64>| list.iter_mut().zip(copy).for_each(|(o, c)| *o += c);
    let mut body = body.clone();
    body.walk_mut(&mut |op| match &mut op.kind {
        Kind::Access { offset, .. } => {
            for (offset, c) in offset.iter_mut().zip(copy) {
                *offset = offset.map(|o| o + c);
            }
        }
        Kind::DynamicAccess { indices, lower, upper, .. } => {
            add(lower);
            add(upper);
            for (index, c) in indices.iter_mut().zip(copy) {
                if let DynamicIndex::Shifted(offset) = index {
                    *offset += c;
                }
            }
        }
        Kind::Index { offset, .. } => add(offset),
        _ => {}
    });
    body
}

fn flags(flags: FastMath) -> String {
    if flags.any() { format!(" fastmath<{}>", flags.names().join(",")) } else { String::new() }
}

/// A constant operation.
fn constant(literal: Literal, of: Scalar) -> String {
    match (literal, of) {
        (Literal::Integer(n), Scalar::I1) => {
            format!("arith.constant {}", if n == 0 { "false" } else { "true" })
        }
        (Literal::Integer(n), _) => format!("arith.constant {n} : {}", of.name()),
        (Literal::Float(x), _) => format!("arith.constant {} : {}", float(x), of.name()),
    }
}

/// A floating-point literal, which must have a point even before an exponent.
fn float(x: f64) -> String {
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_a_point() {
        assert_eq!(float(1.0), "1.0");
        assert_eq!(float(1e-310), "1.0e-310");
        assert_eq!(float(-2.5e-40), "-2.5e-40");
        assert_eq!(float(-0.0), "-0.0");
    }

    #[test]
    fn last_dimension_of_an_unrolled_body_is_fastest() {
        let expected = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]].map(|c| c.to_vec());
        assert_eq!(copies(&[2, 3]), expected);
        assert_eq!(copies(&[1]), [[0]]);
    }
}
