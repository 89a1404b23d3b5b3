//! A set of items that are done, which grows at one end and shrinks at the same, and the registers
//! live after it.
//!
//! The registers live after a set depend on the set alone, not on the order that led to it. So
//! the same bookkeeping serves a search from the first item (which pushes), one from the last
//! (which pulls), and both when they take a step back.

use stencil_code::{Dag, Item, Kind, Lists};

/// The items of a code as sets of neighbours, each neighbour once.
#[derive(Debug)]
pub struct Graph {
    /// What each item reads; constants, which take no register, are left out.
    pub operands: Lists,
    /// The items that read each.
    pub users: Lists,
    /// What must precede each item: operands and constraints, inputs and constants left out.
    pub before: Lists,
    /// What each item must precede.
    pub behind: Lists,
    /// Registers of each result.
    pub registers: Vec<u32>,
    /// Whether the result is live at the end.
    pub live_out: Vec<bool>,
    /// Inputs and constants: there before the first item that has a place in an order.
    pub given: Vec<bool>,
    /// Loads whose addresses need no other load, and what is computed of inputs alone: they are
    /// done on demand only.
    pub leaf: Vec<bool>,
    /// What each item adds to the registers live after it, if anything reads it.
    pub lasting: Vec<u32>,
}

impl Graph {
    /// The neighbours of every item of a code.
    pub fn of(dag: &Dag) -> Self {
        let items = dag.items();
        let count = items.len();
        let given: Vec<bool> = items
            .iter()
            .map(|item| match item.kind {
                Kind::Input => true,
                Kind::Constant => item.operands.is_empty() && item.after.is_empty(),
                _ => false,
            })
            .collect();
        let registers: Vec<u32> = items.iter().map(|item| item.registers).collect();
        let distinct = |ids: &mut dyn Iterator<Item = usize>| {
            let mut ids: Vec<u32> = ids.map(|id| id as u32).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let takes_register = |id: &usize| !(given[*id] && registers[*id] == 0);
        let read = |item: &Item| {
            let operands = item.operands.iter().map(|operand| operand.index());
            distinct(&mut operands.filter(takes_register))
        };
        let before = |item: &Item| {
            let others = item.operands.iter().chain(&item.after).map(|other| other.index());
            distinct(&mut others.filter(|&other| !given[other]))
        };
        let operands: Lists = items.iter().map(read).collect();
        let before: Lists = items.iter().map(before).collect();
        let mut graph = Self {
            users: operands.reversed(count),
            behind: before.reversed(count),
            operands,
            before,
            registers,
            live_out: items.iter().map(|item| item.live_out).collect(),
            given,
            leaf: vec![false; count],
            lasting: Vec::new(),
        };
        graph.note_lasting();
        graph.mark_leaves(dag);
        graph
    }

    /// Leaves: loads and computations that no load precedes, in a chain of such.
    fn mark_leaves(&mut self, dag: &Dag) {
        let mut needs_load = vec![false; self.leaf.len()];
        for (id, item) in dag.items().iter().enumerate() {
            let before = |marks: &[bool]| self.before[id].iter().any(|&b| marks[b as usize]);
            let load = item.kind == Kind::Load;
            let mute = self.users[id].is_empty() || item.live_out;
            self.leaf[id] = !before(&needs_load) && item.kind != Kind::Store && !mute;
            needs_load[id] = load || before(&needs_load);
        }
    }

    /// How many items there are, given ones included.
    pub fn len(&self) -> usize {
        self.leaf.len()
    }

    /// Finds [`Graph::lasting`] from the users.
    pub fn note_lasting(&mut self) {
        let read = |id: usize| self.live_out[id] || !self.users[id].is_empty();
        let lasting = (0..self.registers.len()).map(|id| match read(id) {
            true => self.registers[id],
            false => 0,
        });
        self.lasting = lasting.collect();
    }
}

/// Items that are done, downward closed, and the registers live after them.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    /// The neighbours.
    pub graph: &'a Graph,
    /// Whether an item is done.
    pub done: Vec<bool>,
    /// Registers live after the items that are done.
    pub live: u32,
    /// Readers of each value that are not done; the code after the end counts as one.
    readers: Vec<u32>,
    /// How many items must still be done before this one.
    missing: Vec<u32>,
    /// How many of the items that follow this one are done.
    followers: Vec<u32>,
}

impl<'a> Walk<'a> {
    /// Nothing is done but what is given.
    pub fn at_start(graph: &'a Graph) -> Self {
        let readers: Vec<u32> = (0..graph.len())
            .map(|id| graph.users[id].len() as u32 + u32::from(graph.live_out[id]))
            .collect();
        let given = (0..graph.len()).filter(|&id| graph.given[id]);
        Self {
            graph,
            done: graph.given.clone(),
            live: given.map(|id| graph.lasting[id]).sum(),
            readers,
            missing: (0..graph.len()).map(|id| graph.before[id].len() as u32).collect(),
            followers: vec![0; graph.len()],
        }
    }

    /// Everything is done.
    pub fn at_end(graph: &'a Graph) -> Self {
        let kept = (0..graph.len()).filter(|&id| graph.live_out[id]);
        Self {
            graph,
            done: vec![true; graph.len()],
            live: kept.map(|id| graph.registers[id]).sum(),
            readers: graph.live_out.iter().map(|&live_out| u32::from(live_out)).collect(),
            missing: vec![0; graph.len()],
            followers: (0..graph.len()).map(|id| graph.behind[id].len() as u32).collect(),
        }
    }

    /// Whether an item can be done next.
    pub fn can_push(&self, item: u32) -> bool {
        !self.done[item as usize] && self.missing[item as usize] == 0
    }

    /// Whether an item can be taken back: nothing that follows it is done.
    pub fn can_pull(&self, item: u32) -> bool {
        let id = item as usize;
        self.done[id] && self.followers[id] == 0 && !self.graph.given[id]
    }

    /// By how much an item that can be done changes the registers live.
    pub fn push_changes(&self, item: u32) -> i64 {
        let graph = self.graph;
        let last = |&&operand: &&u32| self.readers[operand as usize] == 1;
        let freed = graph.operands[item as usize].iter().filter(last);
        let freed: u32 = freed.map(|&operand| graph.registers[operand as usize]).sum();
        i64::from(graph.lasting[item as usize]) - i64::from(freed)
    }

    /// By how much an item that can be taken back changes the registers live.
    pub fn pull_changes(&self, item: u32) -> i64 {
        let graph = self.graph;
        let dead = |&&operand: &&u32| self.readers[operand as usize] == 0;
        let revived = graph.operands[item as usize].iter().filter(dead);
        let revived: u32 = revived.map(|&operand| graph.registers[operand as usize]).sum();
        i64::from(revived) - i64::from(graph.lasting[item as usize])
    }

    /// Does an item; the result is the most registers live around it.
    pub fn push(&mut self, item: u32) -> u32 {
        debug_assert!(self.can_push(item), "an item is done when all before it are");
        let graph = self.graph;
        let (id, before) = (item as usize, self.live);
        for &operand in &graph.operands[id] {
            let readers = &mut self.readers[operand as usize];
            *readers -= 1;
            if *readers == 0 {
                self.live -= graph.registers[operand as usize];
            }
        }
        let at = self.live + graph.registers[id];
        self.live += graph.lasting[id];
        self.done[id] = true;
        for &other in &graph.before[id] {
            self.followers[other as usize] += 1;
        }
        for &other in &graph.behind[id] {
            self.missing[other as usize] -= 1;
        }
        before.max(at)
    }

    /// Takes an item back; the result is the most registers live around it.
    pub fn pull(&mut self, item: u32) -> u32 {
        debug_assert!(
            self.can_pull(item),
            "an item is taken back when none that follows it is done"
        );
        let graph = self.graph;
        let id = item as usize;
        for &other in &graph.behind[id] {
            self.missing[other as usize] += 1;
        }
        for &other in &graph.before[id] {
            self.followers[other as usize] -= 1;
        }
        self.done[id] = false;
        self.live -= graph.lasting[id];
        let at = self.live + graph.registers[id];
        for &operand in &graph.operands[id] {
            let readers = &mut self.readers[operand as usize];
            if *readers == 0 {
                self.live += graph.registers[operand as usize];
            }
            *readers += 1;
        }
        self.live.max(at)
    }

    /// How many items that are not done read a value; the code after the end counts as one.
    pub fn readers(&self, item: u32) -> u32 {
        self.readers[item as usize]
    }
}
