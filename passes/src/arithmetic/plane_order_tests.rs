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

fn ordered(planes: &[Option<i64>], distributes: bool, whole: Term) -> Vec<Term> {
    let sums = Sums::new(Precision::Double, true).in_order();
    PlaneOrder { sums: &sums, planes, distributes }.terms(whole)
}

#[test]
fn terms_come_with_their_planes_and_keep_their_order_in_one() {
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
    let times = |number| Node::Product(leaf(2).into(), leaf(number).into());
    let found = ordered(&[Some(1), Some(0), None], true, term(1.0, product.clone()));
    assert_eq!(found, [term(1.0, times(1)), term(1.0, times(0))]);
    let found = ordered(&[Some(1), Some(0), Some(0)], true, term(1.0, product));
    let kept = Node::Product(leaf(2).into(), sum(&[(1.0, 1), (1.0, 0)]).into());
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

#[test]
fn a_chain_is_what_is_read_back() {
    let pair = |left, right| Term { factor: 1.0, node: Node::Sum(vec![left, right]) };
    let [a, b, c] = [0, 1, 2].map(|number| term(2.0, leaf(number)));
    assert_eq!(chain(&[a.clone(), b.clone(), c.clone()]), pair(pair(a.clone(), b), c));
    assert_eq!(chain(std::slice::from_ref(&a)), a);
}
