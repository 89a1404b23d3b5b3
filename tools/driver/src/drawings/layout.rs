//! Places for the nodes of expressions: levels from the top, and trees packed beside each other.
//!
//! A node is on the level below its lowest reader, which is its parent here; other readers are
//! reached by longer lines. So the nodes are a forest in which a child is one level below its
//! parent, and each tree is packed as in Reingold and Tilford, Tidier Drawings of Trees, IEEE
//! Transactions on Software Engineering 1981: subtrees as near to each other as their outlines
//! allow, a parent in the middle above its children.

/// Where the nodes are; distances are 1 between neighbours on a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The level of each node; what has no reader is on level 0.
    pub level: Vec<usize>,
    /// The place of each node on its level, from 0.
    pub place: Vec<f64>,
}

/// A subtree around its node: the leftmost and the rightmost place of each level.
type Outline = Vec<(f64, f64)>;

impl Layout {
    /// Places for nodes that read others, which come before them.
    ///
    /// # Panics
    /// If a node reads one that does not come before it.
    pub fn of(read: &[Vec<usize>]) -> Self {
        let (level, children) = forest(read);
        let mut shift = vec![0.0; read.len()];
        let mut outlines: Vec<Outline> = Vec::with_capacity(read.len());
        for below in &children {
            let mut outline = vec![(0.0, 0.0)];
            let packed = pack(below, &mut outlines, &mut shift);
            if let (Some(first), Some(last)) = (below.first(), below.last()) {
                let middle = (shift[*first] + shift[*last]) / 2.0;
                below.iter().for_each(|child| shift[*child] -= middle);
                outline.extend(packed.iter().map(|(left, right)| (left - middle, right - middle)));
            }
            outlines.push(outline);
        }
        let roots: Vec<usize> = (0..read.len()).filter(|node| level[*node] == 0).collect();
        let all = pack(&roots, &mut outlines, &mut shift);
        let leftmost = all.iter().map(|(left, _)| *left).fold(f64::INFINITY, f64::min);
        for root in roots {
            shift[root] -= leftmost;
        }
        // Parents come after their children: from the last node on, each is where it belongs.
        let mut place = shift;
        for node in (0..children.len()).rev() {
            for child in &children[node] {
                place[*child] += place[node];
            }
        }
        Self { level, place }
    }

    /// How many levels there are.
    pub fn levels(&self) -> usize {
        self.level.iter().max().map_or(0, |deepest| deepest + 1)
    }

    /// The rightmost place.
    pub fn width(&self) -> f64 {
        self.place.iter().copied().fold(0.0, f64::max)
    }
}

/// The level of each node, and its children one level below.
fn forest(read: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut level = vec![0; read.len()];
    for (node, operands) in read.iter().enumerate().rev() {
        for operand in operands {
            assert!(*operand < node, "what is read comes before its reader");
            level[*operand] = level[*operand].max(level[node] + 1);
        }
    }
    let mut has_parent = vec![false; read.len()];
    let mut children = vec![Vec::new(); read.len()];
    for (node, operands) in read.iter().enumerate() {
        for operand in operands {
            if level[*operand] == level[node] + 1 && !has_parent[*operand] {
                has_parent[*operand] = true;
                children[node].push(*operand);
            }
        }
    }
    (level, children)
}

/// Puts subtrees beside each other from left to right; gives the outline of all. The outlines of
/// the subtrees are used up.
fn pack(nodes: &[usize], outlines: &mut [Outline], shift: &mut [f64]) -> Outline {
    let mut all = Outline::new();
    for node in nodes {
        let outline = std::mem::take(&mut outlines[*node]);
        let needed = all.iter().zip(&outline).map(|((_, right), (left, _))| right + 1.0 - left);
        let by = needed.fold(f64::NEG_INFINITY, f64::max);
        let by = if by.is_finite() { by } else { 0.0 };
        shift[*node] = by;
        for (depth, (left, right)) in outline.into_iter().enumerate() {
            match all.get_mut(depth) {
                Some(level) => level.1 = right + by,
                None => all.push((left + by, right + by)),
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_above_the_middle_of_its_children() {
        let layout = Layout::of(&[vec![], vec![], vec![0, 1], vec![2]]);
        assert_eq!(layout.level, [2, 2, 1, 0]);
        assert_eq!(layout.place, [0.0, 1.0, 0.5, 0.5]);
        assert_eq!((layout.levels(), layout.width()), (3, 1.0));
    }

    #[test]
    fn what_is_shared_stands_once_below_its_lowest_reader() {
        // 0 is read by 2 and, further up, by 3.
        let layout = Layout::of(&[vec![], vec![], vec![0, 1], vec![0, 2]]);
        assert_eq!(layout.level, [2, 2, 1, 0]);
    }

    #[test]
    fn no_two_nodes_are_nearer_than_one() {
        // Chains of different lengths below sums, with leaves that two of them share.
        let mut read: Vec<Vec<usize>> = vec![vec![]; 12];
        for chain in 0..4 {
            let mut last = chain;
            for step in 1..=chain + 2 {
                read.push(vec![last, (chain * 3 + step) % 12]);
                last = read.len() - 1;
            }
            read.push(vec![last]);
        }
        let layout = Layout::of(&read);
        for one in 0..read.len() {
            for other in 0..one {
                let apart = (layout.place[one] - layout.place[other]).abs();
                assert!(layout.level[one] != layout.level[other] || apart >= 1.0, "{one} {other}");
            }
        }
        assert!(layout.place.iter().all(|place| *place >= 0.0));
        for (node, operands) in read.iter().enumerate() {
            assert!(operands.iter().all(|operand| layout.level[*operand] > layout.level[node]));
        }
    }

    #[test]
    fn nothing_has_a_layout_too() {
        assert_eq!(Layout::of(&[]).levels(), 0);
    }
}
