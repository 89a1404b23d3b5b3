//! Orders of sums, by hand.

use super::*;
use crate::arithmetic::linear::{Leaf, Precision};

fn leaf(number: usize) -> Node {
    Node::Leaf(Leaf(number))
}

fn term(factor: f64, node: Node) -> Term {
    Term { factor, node }
}

fn sum(terms: &[(f64, usize)]) -> Node {
    Node::Sum(weighted(terms))
}

fn weighted(terms: &[(f64, usize)]) -> Vec<Term> {
    terms.iter().map(|(factor, number)| term(*factor, leaf(*number))).collect()
}

/// Leaves have the ranks of their numbers.
fn form(
    planes: &[Option<i64>],
    (sequence, distribution): (Sequence, Distribution),
    whole: Term,
) -> Vec<Term> {
    let sums = Sums::new(Precision::F64, true).in_order();
    let ranks = (0..planes.len()).collect::<Vec<_>>();
    let order = TermOrder { ranks: &ranks };
    SumForm { sums: &sums, planes, order, sequence, distribution }.terms(whole)
}

fn ordered(planes: &[Option<i64>], distributes: bool, whole: Term) -> Vec<Term> {
    let distribution = if distributes { Distribution::AcrossPlanes } else { Distribution::Savings };
    form(planes, (Sequence::Planes, distribution), whole)
}

#[test]
fn terms_come_with_their_planes_and_by_rank_in_one() {
    let planes = [Some(1), Some(0), None, Some(0), Some(-1)];
    let whole = term(1.0, sum(&[(2.0, 0), (3.0, 1), (4.0, 2), (5.0, 3), (6.0, 4)]));
    let expected = weighted(&[(4.0, 2), (6.0, 4), (3.0, 1), (5.0, 3), (2.0, 0)]);
    assert_eq!(ordered(&planes, true, whole), expected);
}

#[test]
fn a_sum_begins_with_a_plain_term_of_its_first_plane_only() {
    let whole = term(1.0, sum(&[(2.0, 0), (1.0, 1), (1.0, 2)]));
    let expected = weighted(&[(1.0, 1), (2.0, 0), (1.0, 2)]);
    assert_eq!(ordered(&[Some(-1), Some(-1), Some(0)], true, whole.clone()), expected);
    let expected = weighted(&[(2.0, 0), (1.0, 1), (1.0, 2)]);
    assert_eq!(ordered(&[Some(-1), Some(0), Some(0)], true, whole), expected);
}

#[test]
fn a_weight_of_one_plane_stays_and_one_of_several_is_multiplied_out() {
    let whole = term(0.5, sum(&[(1.0, 0), (1.0, 1)]));
    let expected = weighted(&[(0.5, 1), (0.5, 0)]);
    assert_eq!(ordered(&[Some(1), Some(0)], true, whole.clone()), expected);
    let found = ordered(&[Some(0), Some(0)], true, whole.clone());
    assert_eq!(found, std::slice::from_ref(&whole));
    let kept = term(0.5, sum(&[(1.0, 1), (1.0, 0)]));
    assert_eq!(ordered(&[Some(1), Some(0)], false, whole), [kept]);
}

#[test]
fn a_weight_of_weighted_terms_is_absorbed_in_any_case() {
    let whole = term(0.5, sum(&[(4.0, 0), (6.0, 1)]));
    let expected = weighted(&[(2.0, 0), (3.0, 1)]);
    assert_eq!(ordered(&[Some(0), Some(0)], false, whole), expected);
}

#[test]
fn a_number_from_outside_is_multiplied_out_but_a_cell_is_not() {
    let product = Node::Product(leaf(2).into(), sum(&[(1.0, 0), (1.0, 1)]).into());
    let times = |number| Node::Product(leaf(number).into(), leaf(2).into());
    let found = ordered(&[Some(1), Some(0), None], true, term(1.0, product.clone()));
    assert_eq!(found, [term(1.0, times(1)), term(1.0, times(0))]);
    let found = ordered(&[Some(1), Some(0), Some(0)], true, term(1.0, product));
    let kept = Node::Product(sum(&[(1.0, 1), (1.0, 0)]).into(), leaf(2).into());
    assert_eq!(found, [term(1.0, kept)]);
}

#[test]
fn what_would_cost_more_is_not_multiplied_out() {
    // (b + a a) / 2 is two operations, b / 2 + (a a) / 2 three.
    let square = Node::Product(leaf(0).into(), leaf(0).into());
    let inner = Node::Sum(vec![term(1.0, square.clone()), term(1.0, leaf(1))]);
    let found = ordered(&[Some(1), Some(0)], true, term(0.5, inner));
    let kept = Node::Sum(vec![term(1.0, leaf(1)), term(1.0, square)]);
    assert_eq!(found, [term(0.5, kept)]);
}

/// A value times a sum, in every nesting and order of its terms.
#[test]
fn the_form_does_not_depend_on_the_program() {
    let planes = [Some(1), Some(0), None, Some(0), Some(-1)];
    let one = |number: usize| term([2.0, 3.0, 1.0, -1.0, 0.5][number], leaf(number));
    let square = |factor| term(factor, Node::Product(leaf(3).into(), leaf(4).into()));
    let turned = |factor| term(factor, Node::Product(leaf(4).into(), leaf(3).into()));
    let nest = |terms: Vec<Term>| term(1.0, Node::Sum(terms));
    let times = |terms: Vec<Term>| term(7.0, Node::Sum(terms));
    let texts = [
        nest(vec![one(0), one(1), one(2), square(4.0), times(vec![one(3), one(4)])]),
        nest(vec![times(vec![one(4), one(3)]), turned(4.0), one(2), one(1), one(0)]),
        nest(vec![
            nest(vec![one(1), nest(vec![turned(4.0), one(2)])]),
            nest(vec![times(vec![nest(vec![one(3), one(4)])]), one(0)]),
        ]),
    ];
    use Distribution::{AcrossPlanes, Everything, Nothing, Savings};
    for sequence in [Sequence::Planes, Sequence::PlainFirst] {
        for distribution in [Nothing, Savings, AcrossPlanes, Everything] {
            let forms = texts.clone().map(|text| form(&planes, (sequence, distribution), text));
            assert_eq!(forms[0], forms[1], "{sequence:?}, {distribution:?}");
            assert_eq!(forms[0], forms[2], "{sequence:?}, {distribution:?}");
        }
    }
}

#[test]
fn a_sum_begins_with_a_plain_term_of_any_plane_if_that_is_wanted() {
    let whole = term(1.0, sum(&[(2.0, 0), (3.0, 1), (-1.0, 2), (1.0, 3)]));
    let planes = [Some(0), Some(-1), Some(0), Some(1)];
    let found = form(&planes, (Sequence::PlainFirst, Distribution::Nothing), whole);
    assert_eq!(found, weighted(&[(1.0, 3), (3.0, 1), (2.0, 0), (-1.0, 2)]));
}

#[test]
fn a_cell_is_multiplied_out_where_everything_is() {
    let product = Node::Product(leaf(2).into(), sum(&[(1.0, 1), (1.0, 0)]).into());
    let planes = [Some(0), Some(0), Some(0)];
    let times = |number| Node::Product(leaf(2).into(), leaf(number).into());
    let everything = (Sequence::Text, Distribution::Everything);
    let found = form(&planes, everything, term(1.0, product));
    assert_eq!(found, [term(1.0, times(1)), term(1.0, times(0))]);
    // x (b + 2 a) is two operations, x b + 2 (x a) three.
    let product = Node::Product(leaf(2).into(), sum(&[(1.0, 0), (2.0, 1)]).into());
    let kept = term(1.0, product);
    assert_eq!(form(&planes, everything, kept.clone()), [kept]);
}
