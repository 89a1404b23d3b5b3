//! The greedy fusion again, slowly: everything is found anew at each step, from the accesses alone.

use std::collections::{BTreeMap, BTreeSet};
use stencil_fusion::{Graph, Limits, Rule, Stage};

#[derive(Clone, Debug, PartialEq)]
enum Place {
    Written,
    Waits,
    Value(Vec<i64>),
    Shared,
}

type Map = BTreeMap<(usize, i64), Place>;

#[derive(Clone, Debug)]
pub struct Node {
    /// Stages, each with its shift.
    members: BTreeMap<usize, i64>,
    map: Map,
}

/// D_m, T_reg, T_shm, S_reg, S_shm.
type Measured = [i64; 5];
type Stages = BTreeSet<usize>;
/// Lowest and highest cell along the stream, and across.
type Ends = [[i64; 2]; 2];

pub struct Limited<'a> {
    pub graph: &'a Graph,
    pub limits: Limits,
    pub rules: &'a [Rule],
    pub dependence_min: i64,
}

impl Limited<'_> {
    /// The stages of each kernel, and the pairs that were fused with what was measured.
    pub fn fuse(&self) -> (BTreeSet<Stages>, Vec<([Stages; 2], Measured)>) {
        let stages = 0..self.graph.stages().len();
        let mut nodes = stages.map(|stage| self.single(stage)).collect::<Vec<_>>();
        let mut steps = Vec::new();
        loop {
            let mut best = None::<((Vec<i64>, usize, usize), [usize; 2], Measured, Node)>;
            for one in 0..nodes.len() {
                for two in 0..nodes.len() {
                    let first = |node: usize| *nodes[node].members.keys().next().unwrap();
                    if first(one) >= first(two) || self.has_path(&nodes, one, two) {
                        continue;
                    }
                    let both = self.fused(&nodes[one], &nodes[two]);
                    let measured = self.measure(&nodes[one], &nodes[two], &both);
                    if measured[0] < self.dependence_min || !self.is_possible(&both) {
                        continue;
                    }
                    let rank = (self.rank(measured), first(one), first(two));
                    let is_better = best.as_ref().is_none_or(|(other, ..)| rank < *other);
                    if is_better {
                        best = Some((rank, [one, two], measured, both));
                    }
                }
            }
            let Some((_, pair, measured, both)) = best else { break };
            let set = |node: usize| nodes[node].members.keys().copied().collect::<Stages>();
            steps.push((pair.map(set), measured));
            nodes[pair[0]] = both;
            nodes.remove(pair[1]);
        }
        let kernels = nodes.iter().map(|node| node.members.keys().copied().collect());
        (kernels.collect(), steps)
    }

    /// Smaller is better, rule by rule.
    fn rank(&self, [dm, treg, tshm, sreg, sshm]: Measured) -> Vec<i64> {
        let key = |rule: &Rule| match rule {
            Rule::Dependence => -dm,
            Rule::Total => treg + tshm,
            Rule::TotalShared => tshm,
            Rule::TotalRegisters => treg,
            Rule::Saved => -(sreg + sshm),
            Rule::SavedShared => -sshm,
            Rule::SavedRegisters => -sreg,
        };
        self.rules.iter().map(key).collect()
    }

    fn stage(&self, number: usize) -> &Stage {
        &self.graph.stages()[number]
    }

    fn single(&self, number: usize) -> Node {
        let stage = self.stage(number);
        let mut map = Map::new();
        for read in &stage.reads {
            for (plane, window) in &read.planes {
                let place = match window.lower == window.upper {
                    true => Place::Value(window.lower.clone()),
                    false => Place::Shared,
                };
                put(&mut map, (read.array, *plane), place);
            }
        }
        for write in &stage.writes {
            let count = self.graph.stages().len();
            let is_last = (number + 1..count).all(|it| self.stage(it).write(write.array).is_none());
            let is_out = self.graph.arrays()[write.array].is_live_out && is_last;
            for plane in write.lowest..=write.highest {
                let place = match is_out && write.lowest == write.highest {
                    true => Place::Written,
                    false => Place::Value(vec![0; self.graph.plane_axes()]),
                };
                put(&mut map, (write.array, plane), place);
            }
        }
        Node { members: BTreeMap::from([(number, 0)]), map: waiting(map) }
    }

    /// Accesses of two stages to an array whose order matters, with their planes.
    fn conflicts(&self, one: usize, two: usize) -> Vec<[(usize, Vec<i64>); 2]> {
        let reads = |stage: usize| {
            let all = self.stage(stage).reads.iter();
            all.map(|it| (it.array, it.planes.keys().copied().collect())).collect::<Vec<_>>()
        };
        let writes = |stage: usize| {
            let all = self.stage(stage).writes.iter();
            all.map(|it| (it.array, (it.lowest..=it.highest).collect())).collect::<Vec<_>>()
        };
        let mut found = Vec::new();
        for (earlier, later) in
            [(writes(one), reads(two)), (reads(one), writes(two)), (writes(one), writes(two))]
        {
            for first in &earlier {
                for second in later.iter().filter(|second| second.0 == first.0) {
                    found.push([first.clone(), second.clone()]);
                }
            }
        }
        found
    }

    fn is_before(&self, one: &Node, two: &Node) -> bool {
        one.members.keys().any(|first| {
            let mut later = two.members.keys().filter(|second| *second > first);
            later.any(|second| !self.conflicts(*first, *second).is_empty())
        })
    }

    /// Whether one depends on the other through a third.
    fn has_path(&self, nodes: &[Node], one: usize, two: usize) -> bool {
        let leads = |from: usize, to: usize| {
            let mut seen = BTreeSet::new();
            let next = |node: usize| {
                (0..nodes.len())
                    .filter(move |it| *it != node && self.is_before(&nodes[node], &nodes[*it]))
            };
            let mut open = next(from).filter(|third| *third != to).collect::<Vec<_>>();
            while let Some(node) = open.pop() {
                if node == to {
                    return true;
                }
                if seen.insert(node) {
                    open.extend(next(node));
                }
            }
            false
        };
        leads(one, two) || leads(two, one)
    }

    fn fused(&self, one: &Node, two: &Node) -> Node {
        let (source, sink) = if self.is_before(two, one) { (two, one) } else { (one, two) };
        let is_enough = |by: i64| {
            source.members.iter().all(|(first, first_shift)| {
                let later = sink.members.iter().filter(|(second, _)| *second > first);
                later.into_iter().all(|(second, second_shift)| {
                    self.conflicts(*first, *second).iter().all(|[(_, early), (_, late)]| {
                        let early = if early.is_empty() { &vec![0] } else { early };
                        let late = if late.is_empty() { &vec![0] } else { late };
                        // Iterations in which plane 0 is accessed.
                        let last = early.iter().map(|plane| first_shift - plane).max().unwrap();
                        let first = late.iter().map(|plane| second_shift + by - plane).min();
                        last <= first.unwrap()
                    })
                })
            })
        };
        let by = (0..).find(|by| is_enough(*by)).unwrap();
        let mut both = source.clone();
        both.members.extend(sink.members.iter().map(|(stage, shift)| (*stage, shift + by)));
        for ((array, plane), place) in &sink.map {
            let by = if self.graph.arrays()[*array].streams { by } else { 0 };
            put(&mut both.map, (*array, plane - by), place.clone());
        }
        both.map = waiting(both.map);
        both
    }

    fn measure(&self, one: &Node, two: &Node, both: &Node) -> Measured {
        let mut dependence = 0;
        for array in 0..self.graph.arrays().len() {
            let reads = |stage: usize| self.stage(stage).read(array).is_some();
            let writes = |stage: usize| self.stage(stage).write(array).is_some();
            let pairs =
                one.members.keys().flat_map(|one| two.members.keys().map(move |two| (*one, *two)));
            let pairs = pairs.map(|(one, two)| (one.min(two), one.max(two))).collect::<Vec<_>>();
            let has = |rule: &dyn Fn(usize, usize) -> bool| pairs.iter().any(|(a, b)| rule(*a, *b));
            if has(&|early, late| writes(early) && reads(late)) {
                dependence += 2;
            } else if has(&|early, late| {
                writes(early) && writes(late) || reads(early) && reads(late)
            }) {
                dependence += 1;
            }
        }
        let [kept, first, second] = [both, one, two].map(|node| count(&node.map));
        let saved = |kind: usize| first[kind] + second[kind] - kept[kind];
        [dependence, kept[0], kept[1], saved(0), saved(1)]
    }

    fn is_possible(&self, node: &Node) -> bool {
        let has = |stage: usize| node.members.contains_key(&stage);
        let bytes = |wanted: &dyn Fn(&Place) -> bool| {
            let kept = node.map.iter().filter(|(_, place)| wanted(place));
            kept.map(|((array, _), _)| u64::from(self.graph.arrays()[*array].element_bytes))
                .sum::<u64>()
        };
        let shared = bytes(&|place| *place == Place::Shared) * self.limits.plane_cells;
        let registers = bytes(&|place| matches!(place, Place::Waits | Place::Value(_)));
        let fits = |needed: u64, most: Option<u64>| most.is_none_or(|most| needed <= most);
        let reach = node.members.keys().map(|stage| self.grown(node, *stage)).max().unwrap();
        !self.graph.apart().iter().any(|it| it.stages.iter().all(|stage| has(*stage)))
            && fits(shared, self.limits.shared_bytes_max)
            && fits(registers, self.limits.register_bytes_max)
            && fits(reach, self.limits.order_max)
    }

    /// How far a stage reads for others of its kernel: along every chain of readers. 0 if none
    /// reads it beside the point.
    fn grown(&self, node: &Node, stage: usize) -> u64 {
        let mut halos = Vec::new();
        self.chains(node, stage, &mut halos);
        // Ends of the halo, along the stream and across.
        let hull = |halos: &[Ends]| {
            halos.iter().fold([[0_i64; 2]; 2], |all, one| {
                let axis =
                    |axis: usize| [all[axis][0].min(one[axis][0]), all[axis][1].max(one[axis][1])];
                [axis(0), axis(1)]
            })
        };
        let order = |halo: Ends| halo.iter().flatten().map(|end| end.unsigned_abs()).max().unwrap();
        let halo = hull(&halos);
        if order(halo) == 0 {
            return 0;
        }
        let reads =
            self.stage(stage).reads.iter().map(|read| order(self.needs(stage, read.array, &halo)));
        reads.chain([order(halo)]).max().unwrap()
    }

    /// The halos of an array that a stage needs for its own halo.
    fn needs(&self, stage: usize, array: usize, halo: &Ends) -> Ends {
        let read = self.stage(stage).read(array).unwrap();
        let mut needs = *halo;
        for (plane, window) in &read.planes {
            for write in &self.stage(stage).writes {
                for result in write.lowest..=write.highest {
                    needs[0][0] = needs[0][0].min(halo[0][0] + plane - result);
                    needs[0][1] = needs[0][1].max(halo[0][1] + plane - result);
                }
            }
            needs[1][0] = needs[1][0].min(halo[1][0] + window.lower[0]);
            needs[1][1] = needs[1][1].max(halo[1][1] + window.upper[0]);
        }
        needs
    }

    /// The halos of a stage, one for each chain of readers.
    fn chains(&self, node: &Node, stage: usize, found: &mut Vec<Ends>) {
        for write in &self.stage(stage).writes {
            for reader in node.members.keys().filter(|reader| **reader > stage) {
                if self.stage(*reader).read(write.array).is_some() {
                    let mut further = vec![[[0; 2]; 2]];
                    self.chains(node, *reader, &mut further);
                    found.extend(further.iter().map(|halo| self.needs(*reader, write.array, halo)));
                }
            }
        }
    }
}

fn put(map: &mut Map, plane: (usize, i64), place: Place) {
    let joined = match (map.get(&plane), place) {
        (None | Some(Place::Written), place) => place,
        (Some(known), Place::Written) => known.clone(),
        (Some(Place::Waits), place) => place,
        (Some(known), Place::Waits) => known.clone(),
        (Some(known), place) if *known == place => place,
        _ => Place::Shared,
    };
    map.insert(plane, joined);
}

/// With the planes that values pass between their first and their last access.
fn waiting(mut map: Map) -> Map {
    let arrays = map.keys().map(|(array, _)| *array).collect::<BTreeSet<_>>();
    for array in arrays {
        let planes = map.iter().filter(|((it, _), _)| *it == array);
        let planes = planes.map(|((_, plane), place)| (*plane, place.clone())).collect::<Vec<_>>();
        let read = planes.iter().filter(|(_, place)| *place != Place::Written).map(|it| it.0).min();
        let Some(lowest) = read else { continue };
        let highest = planes.iter().map(|it| it.0).max().unwrap();
        (lowest..=highest).for_each(|plane| put(&mut map, (array, plane), Place::Waits));
    }
    map
}

/// Values in registers, planes in shared memory.
fn count(map: &Map) -> [i64; 2] {
    let registers = map.values().filter(|it| matches!(it, Place::Waits | Place::Value(_))).count();
    let shared = map.values().filter(|it| **it == Place::Shared).count();
    [registers as i64, shared as i64]
}
