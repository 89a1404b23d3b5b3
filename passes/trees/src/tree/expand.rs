//! A tree in an order of evaluation, as straight-line code: what the recount counts.

use super::{Labels, Node, NodeId, Tree};
use stencil_code::{Dag, Item, ItemId, Kind};

/// The code of a tree whose children are evaluated in the order that `order` gives for each node.
/// What is live before the tree is an input, what is live after it is live-out, and so is the root.
///
/// # Panics
/// If an order does not name the children of its node.
#[must_use]
pub fn expand(
    tree: &Tree,
    order: &dyn Fn(NodeId) -> Vec<NodeId>,
    live_in: &Labels,
    live_out: &Labels,
) -> Dag {
    let mut items = Vec::new();
    let mut loaded = std::collections::HashMap::new();
    for label in live_in.iter() {
        loaded.insert(label, ItemId::new(items.len()));
        items.push(Item::new(Kind::Input, vec![], tree.width(label)));
    }
    let mut results: Vec<Option<ItemId>> = vec![None; tree.nodes().len()];
    // A node is entered with no child done; it is finished when all are.
    let mut stack = vec![(tree.root(), order(tree.root()), 0)];
    while let Some((node, children, done)) = stack.pop() {
        let add = |items: &mut Vec<Item>, kind: Kind, operands: Vec<ItemId>, registers: u32| {
            items.push(Item::new(kind, operands, registers));
            ItemId::new(items.len() - 1)
        };
        match tree.get(node) {
            Node::Leaf(label) => {
                let item = *loaded
                    .entry(*label)
                    .or_insert_with(|| add(&mut items, Kind::Load, vec![], tree.width(*label)));
                results[node.index()] = Some(item);
                continue;
            }
            Node::Constant => continue,
            Node::Accumulation { registers, .. } if done > 1 => {
                // The sum so far stands where the result of the first child stood.
                let (first, added) = (children[0], children[done - 1]);
                let operands = [first, added].map(|node| results[node.index()]);
                let operands = operands.into_iter().flatten().collect();
                let sum = add(&mut items, Kind::Operation, operands, *registers);
                results[first.index()] = Some(sum);
            }
            _ => {}
        }
        if done < children.len() {
            let child = children[done];
            stack.push((node, children, done + 1));
            stack.push((child, order(child), 0));
            continue;
        }
        results[node.index()] = match tree.get(node) {
            Node::Accumulation { .. } => results[children[0].index()],
            _ => {
                let operands = children.iter().filter_map(|child| results[child.index()]).collect();
                Some(add(&mut items, Kind::Operation, operands, tree.get(node).registers()))
            }
        };
    }
    for label in live_out.iter() {
        let item = loaded.get(&label).expect("what is live behind is live before or a leaf");
        items[item.index()].live_out = true;
    }
    if let Some(root) = results[tree.root().index()] {
        items[root.index()].live_out = true;
    }
    Dag::new(items)
}
