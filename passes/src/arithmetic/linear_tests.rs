//! Forms of sums, by hand.

use super::*;

fn leaf(number: usize) -> Node {
    Node::Leaf(Leaf(number))
}

fn term(factor: f64, node: Node) -> Term {
    Term { factor, node }
}

fn product(left: Node, right: Node) -> Node {
    Node::Product(Box::new(left), Box::new(right))
}

/// Weighted leaves 0, 1, 2 ...
fn weighted(weights: &[f64]) -> Vec<Term> {
    weights.iter().enumerate().map(|(number, weight)| term(*weight, leaf(number))).collect()
}

fn fused() -> Sums {
    Sums::new(Precision::F64, true)
}

fn instructions(sums: &Sums, terms: Vec<Term>) -> usize {
    sums.instructions(&Node::Sum(terms))
}

#[test]
fn a_term_is_an_operation() {
    assert_eq!(instructions(&fused(), weighted(&[5.0, 12.0, 15.0])), 3);
    // Begun with the value that needs no product.
    assert_eq!(instructions(&fused(), weighted(&[5.0, -1.0, 15.0])), 2);
    assert_eq!(instructions(&fused(), weighted(&[1.0, -1.0])), 1);
    let products = vec![term(1.0, product(leaf(0), leaf(1))), term(1.0, product(leaf(2), leaf(3)))];
    assert_eq!(instructions(&fused(), products.clone()), 2);
    let apart = Sums::new(Precision::F64, false);
    assert_eq!(instructions(&apart, weighted(&[5.0, 12.0, 15.0])), 5);
    assert_eq!(instructions(&apart, products), 3);
}

#[test]
fn a_weight_of_the_whole_goes_to_the_weights() {
    let sum = Node::Sum(weighted(&[4.0, 8.0]));
    assert_eq!(fused().cheapest(term(0.25, sum)), [term(1.0, leaf(0)), term(2.0, leaf(1))]);
}

#[test]
fn a_weight_of_plain_values_stays() {
    let whole = term(0.25, Node::Sum(weighted(&[1.0, 1.0, 3.0])));
    assert_eq!(fused().cheapest(whole.clone()), [whole]);
}

#[test]
fn a_sum_in_a_sum_is_dissolved_where_that_saves_its_product() {
    let inner = Node::Sum(weighted(&[2.0, 3.0]));
    let found = fused().cheapest(term(1.0, Node::Sum(vec![term(1.0, leaf(7)), term(-2.0, inner)])));
    assert_eq!(found, [term(1.0, leaf(7)), term(-4.0, leaf(0)), term(-6.0, leaf(1))]);
    let plain = Node::Sum(weighted(&[1.0, 1.0]));
    let kept = Node::Sum(vec![term(1.0, leaf(7)), term(-2.0, plain)]);
    assert_eq!(Node::Sum(fused().cheapest(term(1.0, kept.clone()))), kept);
}

#[test]
fn equal_terms_are_added_unless_nothing_is_left() {
    let twice = vec![term(0.5, leaf(0)), term(1.0, leaf(1)), term(0.25, leaf(0))];
    let found = fused().cheapest(term(1.0, Node::Sum(twice)));
    assert_eq!(found, [term(0.75, leaf(0)), term(1.0, leaf(1))]);
    let nothing = vec![term(0.5, leaf(0)), term(-0.5, leaf(0))];
    assert_eq!(fused().cheapest(term(1.0, Node::Sum(nothing.clone()))), nothing);
}

#[test]
fn common_weights_are_taken_out_where_products_cannot_be_fused() {
    let terms = weighted(&[5.0, 3.0, -5.0]);
    let whole = term(1.0, Node::Sum(terms.clone()));
    assert_eq!(fused().cheapest(whole.clone()), terms);
    let found = Sums::new(Precision::F64, false).cheapest(whole);
    let group = Node::Sum(vec![term(1.0, leaf(0)), term(-1.0, leaf(2))]);
    assert_eq!(found, [term(5.0, group), term(3.0, leaf(1))]);
}

#[test]
fn common_values_are_taken_out() {
    // 2 x a + 3 b x + c = c + x (2 a + 3 b).
    let [x, a, b, c] = [0, 1, 2, 3].map(leaf);
    let terms = vec![
        term(2.0, product(x.clone(), a.clone())),
        term(3.0, product(b.clone(), x.clone())),
        term(1.0, c.clone()),
    ];
    let found = fused().cheapest(term(1.0, Node::Sum(terms)));
    let sum = Node::Sum(vec![term(2.0, a), term(3.0, b)]);
    assert_eq!(found, [term(1.0, product(x, sum)), term(1.0, c)]);
    // 4 instructions were 5.
    assert_eq!(instructions(&fused(), found), 3);
}

#[test]
fn weights_are_rounded_once_in_their_type() {
    let sum = Node::Sum(weighted(&[f64::from(0.1_f32), 3.0]));
    let found = Sums::new(Precision::F32, true).cheapest(term(f64::from(0.3_f32), sum));
    assert_eq!(found[0].factor, f64::from(0.1_f32 * 0.3_f32));
}

#[test]
fn a_weight_that_would_lose_digits_is_kept_apart() {
    let sums = fused();
    let whole = term(1e-200, Node::Sum(weighted(&[1e-200, 3.0])));
    assert_eq!(sums.cheapest(whole.clone()), [whole]);
    assert!(sums.lost_weights());
}

#[test]
fn a_form_that_was_found_is_not_changed_again() {
    let sum = Node::Sum(weighted(&[4.0, 8.0, 0.5, 1.0]));
    let whole = Node::Sum(vec![term(3.0, sum), term(1.0, product(leaf(2), leaf(5)))]);
    let once = fused().cheapest(term(1.0, whole));
    assert_eq!(fused().cheapest(term(1.0, Node::Sum(once.clone()))), once);
}
