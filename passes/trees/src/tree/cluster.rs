//! Children that must be looked at together, because they share labels that do not pass through.

use std::cmp::Reverse;
use std::collections::HashMap;

use petgraph::unionfind::UnionFind;

use super::{Label, Labels, NodeId, Tree};
use crate::schedule::Partition;

/// The maximal clusters of some children between two sets of labels: two children belong together
/// when they share a label that is not live before and behind the node, and so do all that are
/// tied by such pairs.
pub fn clusters(
    tree: &Tree,
    children: &[NodeId],
    live_in: &Labels,
    live_out: &Labels,
) -> Vec<Vec<NodeId>> {
    let through = live_in.intersection(live_out);
    let mut together = UnionFind::new(children.len());
    let mut first: HashMap<Label, usize> = HashMap::new();
    for (at, &child) in children.iter().enumerate() {
        for label in tree.uses(child).without(&through).iter() {
            together.union(at, *first.entry(label).or_insert(at));
        }
    }
    let mut out: Vec<Vec<NodeId>> = Vec::new();
    let mut place: HashMap<usize, usize> = HashMap::new();
    for (at, &child) in children.iter().enumerate() {
        let at = *place.entry(together.find(at)).or_insert(out.len());
        if at == out.len() {
            out.push(Vec::new());
        }
        out[at].push(child);
    }
    out
}

/// What decides the place of a cluster: registers before it, at most within it, behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hill {
    /// Registers live before the cluster.
    pub before: u32,
    /// The most that are live within.
    pub peak: u32,
    /// Registers live behind.
    pub behind: u32,
}

/// The key by which clusters ascend in the best order: those that free registers first, by what
/// they need (theorems 3.2 and 3.3); then the others, by how far they fall from their peak (3.1).
pub fn place(hill: Hill) -> (bool, i64) {
    if hill.before > hill.behind {
        (false, i64::from(hill.peak))
    } else {
        (true, i64::from(hill.behind) - i64::from(hill.peak))
    }
}

/// Divides a large cluster into parts of at most `size` members.
pub fn parts(
    tree: &Tree,
    members: &[NodeId],
    live_in: &Labels,
    partition: Partition,
    size: usize,
) -> Vec<Vec<NodeId>> {
    let size = size.max(1);
    if partition == Partition::Release {
        // Labels that are live and that no other member wants die with their member.
        let last_uses = |&member: &NodeId| {
            let others = members.iter().filter(|&&other| other != member);
            let wanted = others.fold(Labels::default(), |set, &other| set.union(tree.uses(other)));
            let dying = tree.uses(member).intersection(live_in).without(&wanted);
            Reverse(tree.weight(&dying))
        };
        let mut eager = members.to_vec();
        eager.sort_by_cached_key(last_uses);
        return eager.chunks(size).map(<[NodeId]>::to_vec).collect();
    }
    let mut left = members.to_vec();
    let mut out = Vec::new();
    while !left.is_empty() {
        let mut part = vec![left.remove(0)];
        let mut labels = tree.uses(part[0]).clone();
        while part.len() < size && !left.is_empty() {
            let shared = |at: &usize| labels.intersection(tree.uses(left[*at])).len();
            let nearest = (0..left.len()).max_by_key(|at| (shared(at), Reverse(*at)));
            let member = left.remove(nearest.expect("somebody is left"));
            labels = labels.union(tree.uses(member));
            part.push(member);
        }
        out.push(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of pairs of labels.
    fn pairs(of: &[(u32, u32)]) -> (Tree, Vec<NodeId>) {
        let mut tree = Tree::new();
        let nodes = of.iter().map(|&(one, other)| {
            let leaves = [one, other].map(|label| tree.leaf(Label(label), 1));
            tree.operation(&leaves, 1)
        });
        let nodes = nodes.collect();
        (tree, nodes)
    }

    #[test]
    fn a_cluster_is_closed_under_sharing_and_no_larger() {
        // t1, t2 share l1 and t2, t3 share l2; t4 shares nothing but l9, which passes through.
        let (tree, t) = pairs(&[(1, 9), (1, 2), (2, 9), (3, 9)]);
        let nine = Labels::of(&[Label(9)]);
        let found = clusters(&tree, &t, &nine, &nine);
        assert_eq!(found, [vec![t[0], t[1], t[2]], vec![t[3]]]);
        let all = clusters(&tree, &t, &nine, &Labels::default());
        assert_eq!(all, [t], "where l9 dies, it ties all");
    }

    #[test]
    fn what_frees_registers_comes_first() {
        let hill = |before, peak, behind| Hill { before, peak, behind };
        let mut hills = [hill(3, 6, 5), hill(3, 9, 1), hill(3, 4, 3), hill(3, 5, 2), hill(3, 9, 3)];
        hills.sort_by_key(|&hill| place(hill));
        let sorted = [hill(3, 5, 2), hill(3, 9, 1), hill(3, 9, 3), hill(3, 6, 5), hill(3, 4, 3)];
        assert_eq!(hills, sorted);
    }

    #[test]
    fn parts_stay_together_by_labels_or_by_last_uses() {
        let (tree, t) = pairs(&[(1, 2), (3, 4), (2, 5), (4, 6)]);
        let affine = parts(&tree, &t, &Labels::default(), Partition::Affinity, 2);
        assert_eq!(affine, [vec![t[0], t[2]], vec![t[1], t[3]]]);
        let live = Labels::of(&[Label(5), Label(6), Label(2)]);
        let eager = parts(&tree, &t, &live, Partition::Release, 2);
        assert_eq!(eager, [vec![t[2], t[3]], vec![t[0], t[1]]]);
    }
}
