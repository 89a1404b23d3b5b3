//! What boxes need when neighbouring outputs share parts, and what must not happen.

use super::*;

/// A box of weights by offset, and the cells of its leaves.
struct Kernel {
    cells: Vec<Option<Cell>>,
    planes: Vec<Option<i64>>,
    term: Term,
}

impl Kernel {
    fn new(weights: &[(Vec<i64>, f64)]) -> Self {
        let cell = |(offset, _): &(Vec<i64>, f64)| Some(Cell { field: 0, offset: offset.clone() });
        let term = |(number, (_, factor)): (usize, &(Vec<i64>, f64))| Term {
            factor: *factor,
            node: Node::Leaf(Leaf(number)),
        };
        Self {
            cells: weights.iter().map(cell).collect(),
            planes: weights.iter().map(|(offset, _)| Some(offset[0])).collect(),
            term: Term {
                factor: 1.0,
                node: Node::Sum(weights.iter().enumerate().map(term).collect()),
            },
        }
    }

    /// A square or a cube with weights by the distances along its dimensions.
    fn cube(rank: usize, radius: i64, weight: impl Fn(&[i64]) -> f64) -> Self {
        let side = (2 * radius + 1) as usize;
        let offset = |number: usize| {
            let along =
                |d: usize| (number / side.pow((rank - 1 - d) as u32) % side) as i64 - radius;
            (0..rank).map(along).collect::<Vec<_>>()
        };
        let cells = (0..side.pow(rank as u32)).map(offset);
        let weighted = cells.map(|offset| (offset.clone(), weight(&offset)));
        Self::new(&weighted.filter(|(_, weight)| *weight != 0.0).collect::<Vec<_>>())
    }

    fn with<T>(&self, outputs: usize, run: impl Fn(&SharedSums) -> T) -> T {
        let sums = Sums::new(Precision::F64, true).in_order();
        let (cells, planes) = (&self.cells, &self.planes);
        let bounded = cell::Cell::default();
        run(&SharedSums { sums: &sums, cells, planes, outputs, bounded })
    }

    fn better(&self) -> Option<Vec<Term>> {
        self.with(4, |shared| shared.better(&self.term)).map(|(form, _)| form)
    }

    /// Instructions that one more output costs a thread that has many.
    fn of_a_stream(&self, terms: &[Term]) -> usize {
        let of = |outputs| self.with(outputs, |shared| shared.needs(terms).instructions);
        of(40) - of(39)
    }
}

fn by_class<const N: usize>(weights: [(&'static [i64], f64); N]) -> impl Fn(&[i64]) -> f64 {
    move |offset| {
        let mut class = offset.iter().map(|along| along.abs()).collect::<Vec<_>>();
        class.sort_unstable_by(|one, other| other.cmp(one));
        weights.iter().find(|(key, _)| *key == class).map_or(0.0, |(_, weight)| *weight)
    }
}

/// 3d125pt of [Rawat et al., PPoPP 2018].
fn cube_of_125() -> Kernel {
    Kernel::cube(3, 2, |offset| {
        let [z, y, x] = [0, 1, 2].map(|d| offset[d].abs());
        match (z, y, x) {
            (2, 2, 2) | (1, 1, 1) | (0, 1, 0) | (0, 0, 1) => 0.75,
            (2, 2, 1) | (2, 1, 2) | (2, 0, 0) | (1, 2, 2) | (0, 2, 0) | (0, 0, 2) => 1.132,
            (2, 2, 0) | (2, 0, 2) | (1, 1, 0) | (1, 0, 1) | (0, 2, 2) => 0.217,
            (2, 1, 0) | (2, 0, 1) | (1, 2, 0) | (1, 0, 2) => 2.13,
            (0, 2, 1) | (0, 1, 2) | (0, 0, 0) => 2.13,
            _ => 0.331,
        }
    })
}

#[test]
fn boxes_need_few_operations_in_a_stream() {
    let faces = by_class([
        (&[0, 0, 0], 0.125),
        (&[1, 0, 0], 1.14),
        (&[1, 1, 0], 1.031),
        (&[1, 1, 1], 0.75),
    ]);
    let gaussian = by_class([
        (&[0, 0], 15.0),
        (&[1, 0], 12.0),
        (&[1, 1], 9.0),
        (&[2, 0], 5.0),
        (&[2, 1], 4.0),
        (&[2, 2], 2.0),
    ]);
    let falling = |offset: &[i64]| {
        f64::from(23 - 10 * offset[0].abs() as i32 - offset[1].abs() as i32) / 10.0
    };
    let planes = |offset: &[i64]| {
        let square = [[0.5, 0.7, 0.9], [1.2, 1.5, 1.2], [0.9, 0.7, 0.5]];
        square[(offset[1] + 1) as usize][(offset[2] + 1) as usize] + 0.01 * (offset[0] + 1) as f64
    };
    let kernels = [
        (Kernel::cube(3, 1, faces), 27, 13),
        (Kernel::cube(2, 2, gaussian), 25, 12),
        (Kernel::cube(2, 2, falling), 25, 13),
        (Kernel::cube(3, 1, planes), 27, 19),
        (cube_of_125(), 125, 37),
    ];
    for (kernel, plain, shared) in kernels {
        let form = kernel.better().unwrap();
        assert_eq!(kernel.of_a_stream(std::slice::from_ref(&kernel.term)), plain);
        assert_eq!(kernel.of_a_stream(&form), shared, "of {plain}");
    }
}

#[test]
fn a_form_is_kept_when_it_is_met_again() {
    let kernel = cube_of_125();
    let form = kernel.better().unwrap();
    let again = Term { factor: 1.0, node: Node::Sum(form) };
    assert!(kernel.with(4, |shared| shared.better(&again)).is_none());
}

#[test]
fn stars_stay_as_they_are() {
    let star = by_class([(&[0, 0, 0], -1.67), (&[1, 0, 0], 0.162)]);
    assert!(Kernel::cube(3, 1, star).better().is_none());
    let line = Kernel::new(&[(vec![-1], 1.0), (vec![0], 2.0), (vec![1], 1.0)]);
    assert!(line.better().is_none());
}

#[test]
fn no_cell_is_read_that_the_sum_does_not_have() {
    // All rows are multiples of one but for a cell that the last lacks.
    let mut weights = Vec::new();
    for row in 0..4 {
        for column in 0..3 {
            weights.push((vec![row, column], (row + 2) as f64 * [1.5, 2.5, 3.5][column as usize]));
        }
    }
    weights.pop();
    let kernel = Kernel::new(&weights);
    let form = kernel.better().unwrap();
    let kernel_of = |node: &Node| {
        let mut found = Vec::new();
        leaves(node, &mut found);
        found.sort_unstable();
        found
    };
    assert_eq!(kernel_of(&Node::Sum(form)), (0..11).collect::<Vec<_>>());
}

fn leaves(node: &Node, found: &mut Vec<usize>) {
    match node {
        Node::Leaf(leaf) => found.push(leaf.0),
        Node::Product(one, other) => [one, other].iter().for_each(|node| leaves(node, found)),
        Node::Sum(terms) => terms.iter().for_each(|term| leaves(&term.node, found)),
    }
}

#[test]
fn weights_move_by_roundings_only() {
    // The digits that are printed make no rank of one: 2.8472 * 0.0254 is not 0.0723189.
    let kernel = Kernel::new(&[
        (vec![0, 0], 8.10655),
        (vec![0, 1], -4.55552),
        (vec![0, 2], -0.0723189),
        (vec![1, 0], -4.55552),
        (vec![1, 1], 2.56),
        (vec![1, 2], 0.04064),
    ]);
    let mut weights = Weights::default();
    let Node::Sum(terms) = &kernel.term.node else { unreachable!() };
    for (term, cell) in terms.iter().zip(&kernel.cells) {
        let Node::Leaf(leaf) = term.node else { unreachable!() };
        weights.insert(&cell.as_ref().unwrap().offset, leaf, term.factor);
    }
    if let Some(form) = kernel.better() {
        assert!(weights.moved(&form) <= MOVED_MOST * Precision::F64.unit());
    }
    let mut moved = weights.plain();
    moved[2].factor *= 1.0 + 16.0 * f64::EPSILON;
    assert!(weights.moved(&moved) > MOVED_MOST * Precision::F64.unit());
    moved.pop();
    assert!(weights.moved(&moved) >= 1.0);
}

#[test]
fn what_is_left_out_for_the_sake_of_time_is_told() {
    let bounded = |kernel: &Kernel| {
        kernel.with(1, |shared| {
            shared.better(&kernel.term);
            shared.bounded.get()
        })
    };
    // A star: few cells in many planes and places.
    let star = |radius: i64| {
        let along =
            |d: usize| (-radius..=radius).map(move |at| if d == 0 { [at, 0] } else { [0, at] });
        let cells = along(0).chain(along(1).filter(|offset| offset[1] != 0));
        let weight = |offset: &[i64; 2]| 1.0 / (1 + offset[0].abs() + offset[1].abs()) as f64;
        Kernel::new(&cells.map(|offset| (offset.to_vec(), weight(&offset))).collect::<Vec<_>>())
    };
    // 49 * 49 * 98 and 51 * 51 * 102.
    assert!(!bounded(&star(24)).is_large && bounded(&star(25)).is_large);
    // Rank two: rows and their differences are multiples of different rows.
    let rows = |count: i64| {
        let cells = (0..count).flat_map(|row| (0..3).map(move |column| [row, column]));
        let weight =
            |[row, column]: [i64; 2]| (row * row * row + 1) as f64 + (row * column) as f64 / 8.0;
        let weights = cells.map(|offset| (offset.to_vec(), weight(offset)));
        Kernel::new(&weights.collect::<Vec<_>>())
    };
    assert!(!bounded(&rows(10)).are_rows_left && bounded(&rows(12)).are_rows_left);
}
