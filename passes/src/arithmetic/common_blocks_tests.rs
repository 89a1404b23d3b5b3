//! Common blocks of small matrices, by hand.

use super::*;

const DOUBLE: Rounding = Rounding { unit: f64::EPSILON / 2.0 };

/// Columns in a line: close is better.
struct Line;

impl Placed for Line {
    fn distance(&self, one: &[usize], other: &[usize]) -> Vec<i64> {
        vec![one[0].abs_diff(other[0]) as i64]
    }
}

fn forms(matrix: &[Vec<f64>]) -> Forms {
    CommonBlocks::forms(matrix, &Line, DOUBLE)
}

/// Additions and fused multiply-adds of all sums and of what they are formed of.
fn operations(forms: &Forms) -> usize {
    let formed = forms.columns.iter().map(|column| match column {
        Column::Given => 0,
        Column::Formed(sum) => {
            sum.len() - usize::from(sum.iter().any(|(_, weight)| *weight == 1.0))
        }
    });
    formed.sum::<usize>() + forms.sums.iter().map(Vec::len).sum::<usize>()
}

/// What the sums are of the given values.
fn values(forms: &Forms, given: &[f64]) -> Vec<f64> {
    let mut columns: Vec<f64> = Vec::new();
    let sum = |sum: &[(usize, f64)], columns: &[f64]| {
        sum.iter().map(|(column, weight)| columns[*column] * weight).sum::<f64>()
    };
    for (number, column) in forms.columns.iter().enumerate() {
        let value = match column {
            Column::Given => given[number],
            Column::Formed(parts) => sum(parts, &columns),
        };
        columns.push(value);
    }
    forms.sums.iter().map(|terms| sum(terms, &columns)).collect()
}

fn assert_same(matrix: &[Vec<f64>], forms: &Forms) {
    let given = (0..matrix[0].len()).map(|at| 0.3 + at as f64 * 1.7).collect::<Vec<_>>();
    for (row, found) in matrix.iter().zip(values(forms, &given)) {
        let expected = row.iter().zip(&given).map(|(weight, value)| weight * value).sum::<f64>();
        assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{found} for {expected}");
    }
}

#[test]
fn nothing_in_common_stays_as_it_is() {
    let matrix = vec![vec![1.0, 2.0], vec![3.0, 5.0]];
    let found = forms(&matrix);
    assert_eq!(found.columns, [Column::Given, Column::Given]);
    assert_eq!(found.sums, [vec![(0, 1.0), (1, 2.0)], vec![(0, 3.0), (1, 5.0)]]);
}

#[test]
fn equal_weights_are_a_class() {
    let matrix = vec![vec![2.0, 3.0, 2.0], vec![5.0, 7.0, 5.0]];
    let found = forms(&matrix);
    assert_eq!(found.columns[3], Column::Formed(vec![(0, 1.0), (2, 1.0)]));
    assert_eq!(operations(&found), 5);
    assert_same(&matrix, &found);
}

#[test]
fn opposite_weights_are_a_difference() {
    let matrix = vec![vec![-2.0, 2.0], vec![5.0, -5.0]];
    let found = forms(&matrix);
    assert_eq!(found.columns[2], Column::Formed(vec![(0, 1.0), (1, -1.0)]));
    assert_same(&matrix, &found);
}

#[test]
fn rank_one_is_one_value_and_a_multiple_for_each_row() {
    let [a, b] = [[1.5, -2.0, 0.25, 3.0], [1.0, 0.5, -0.7, 0.1]];
    let matrix = a.iter().map(|a| b.iter().map(|b| a * b).collect()).collect::<Vec<Vec<f64>>>();
    let found = forms(&matrix);
    assert_eq!(operations(&found), 3 + 4);
    assert_same(&matrix, &found);
    // One weight that does not fit costs its column in its row.
    let mut corner = matrix;
    corner[3][3] += 1.0;
    let found = forms(&corner);
    assert_eq!(operations(&found), 3 + 5);
    assert_same(&corner, &found);
}

#[test]
fn planes_that_mirror_each_other_are_one_sum() {
    // Three rows without a common factor: centre, distance one, distance two.
    let rows = [[5.0, 4.0, 2.0], [12.0, 9.0, 4.0], [15.0, 13.0, 7.0]];
    let matrix = [0, 1, 2, 1, 0].map(|row| rows[row].to_vec());
    let found = forms(&matrix);
    // Two for each of two pairs and one more for each use; three for the row in the middle.
    assert_eq!(operations(&found), 2 * (2 + 2) + 3);
    assert_same(&matrix, &found);
}

#[test]
fn rows_that_differ_by_a_simple_vector_are_written_in_it() {
    let matrix = vec![vec![0.5, 0.7, 0.9], vec![0.51, 0.71, 0.91], vec![0.52, 0.72, 0.92]];
    let (ways, are_all) = DOUBLE.by_two(&matrix);
    assert!(are_all);
    let simple = ways.iter().find(|way| way.two.contains(&vec![1.0; 3])).unwrap();
    for (row, taken) in matrix.iter().zip(&simple.taken) {
        for (column, weight) in row.iter().enumerate() {
            let made = taken[0] * simple.two[0][column] + taken[1] * simple.two[1][column];
            assert!(DOUBLE.same(made, *weight), "{made} for {weight}");
        }
    }
}

#[test]
fn a_matrix_of_rank_three_is_not_written_in_two_rows() {
    let matrix = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    assert!(DOUBLE.by_two(&matrix).0.is_empty());
}

#[test]
fn random_matrices_keep_their_sums() {
    let mut state = 1_u64;
    let mut next = |most: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for _ in 0..500 {
        let (rows, columns) = (1 + next(6) as usize, 1 + next(9) as usize);
        // Few different weights: much in common.
        let weight = |number: u64| [0.0, 1.0, -1.0, 0.3, 2.5, -0.75][number as usize];
        let matrix = (0..rows).map(|_| (0..columns).map(|_| weight(next(6))).collect::<Vec<_>>());
        let matrix = matrix.collect::<Vec<_>>();
        let found = forms(&matrix);
        let given = (0..columns).map(|at| 0.5 + at as f64).collect::<Vec<_>>();
        for (row, made) in matrix.iter().zip(values(&found, &given)) {
            let expected = row.iter().zip(&given).map(|(weight, value)| weight * value);
            assert!((made - expected.sum::<f64>()).abs() <= 1e-12, "{matrix:?}");
        }
        let plain = matrix.iter().flatten().filter(|weight| **weight != 0.0).count();
        assert!(operations(&found) <= plain, "{matrix:?}");
    }
}
