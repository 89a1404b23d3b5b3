//! Faults of an order, planted in the text of kernels.

use super::lines::{Op, blocks, renamed};

/// A wrong text, made of a right one.
pub struct Planted {
    pub fault: Fault,
    pub text: String,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    BeforeItsOperand,
    LoadPastAStore,
    StorePastALoad,
    StoresExchanged,
    ConditionalStoresExchanged,
    FenceCrossed,
    ShufflesExchanged,
    LeftOut,
    TwiceInPlaceOfAnother,
    OperandsExchanged,
    LoadOfAnotherCell,
    StoreLeftOut,
    StoreOfAnotherValue,
}

impl Fault {
    pub const ALL: [Fault; 13] = [
        Fault::BeforeItsOperand,
        Fault::LoadPastAStore,
        Fault::StorePastALoad,
        Fault::StoresExchanged,
        Fault::ConditionalStoresExchanged,
        Fault::FenceCrossed,
        Fault::ShufflesExchanged,
        Fault::LeftOut,
        Fault::TwiceInPlaceOfAnother,
        Fault::OperandsExchanged,
        Fault::LoadOfAnotherCell,
        Fault::StoreLeftOut,
        Fault::StoreOfAnotherValue,
    ];

    /// Whether the operations are the same, in a wrong order.
    pub fn is_of_order(self) -> bool {
        use Fault::{
            BeforeItsOperand, ConditionalStoresExchanged, FenceCrossed, LoadPastAStore,
            StorePastALoad, StoresExchanged,
        };
        let of_order = [BeforeItsOperand, LoadPastAStore, StorePastALoad, StoresExchanged];
        of_order.contains(&self) || [ConditionalStoresExchanged, FenceCrossed].contains(&self)
    }
}

/// One fault of each kind for which there is a place, a number says at which.
pub fn planted(text: &str, number: usize) -> Vec<Planted> {
    let mut blocks = blocks(text);
    // Blocks that matter first: those with most arithmetic, and whatever holds a fence.
    blocks.sort_by_key(|block| {
        std::cmp::Reverse(block.iter().filter(|op| op.is_arithmetic()).count())
    });
    let lines: Vec<&str> = text.lines().collect();
    let of_kind = |fault: Fault| {
        let changed = blocks.iter().find_map(|block| {
            let places = places(block, fault);
            let place = places.get(number % places.len().max(1))?;
            Some(place.change(&lines, block))
        });
        changed.map(|text| Planted { fault, text })
    };
    Fault::ALL.into_iter().filter_map(of_kind).collect()
}

/// A change of a block, whose operations are named by their places in it.
enum Change {
    /// The one is after the other.
    Behind(usize, usize),
    /// The one is in front of the other.
    Before(usize, usize),
    /// Both change places.
    Exchange(usize, usize),
    /// It is left out; a value stands for its result.
    LeaveOut(usize, Option<String>),
    /// Its line after the results is another.
    Rest(usize, String),
    /// Of two.
    Rests([(usize, String); 2]),
}

impl Change {
    fn change(&self, lines: &[&str], block: &[Op]) -> String {
        let whole = |at: usize| lines[block[at].lines.clone()].join("\n");
        let mut texts: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let empty = |texts: &mut Vec<String>, at: usize| {
            block[at].lines.clone().for_each(|line| texts[line].clear());
        };
        match self {
            Change::Behind(one, two) => {
                empty(&mut texts, *one);
                texts[block[*two].lines.end - 1] += &format!("\n{}", whole(*one));
            }
            Change::Before(one, two) => {
                empty(&mut texts, *one);
                let first = &mut texts[block[*two].lines.start];
                *first = format!("{}\n{first}", whole(*one));
            }
            Change::Exchange(one, two) => {
                let both = [whole(*one), whole(*two)];
                empty(&mut texts, *one);
                empty(&mut texts, *two);
                texts[block[*one].lines.start].clone_from(&both[1]);
                texts[block[*two].lines.start].clone_from(&both[0]);
            }
            Change::LeaveOut(one, instead) => {
                empty(&mut texts, *one);
                if let (Some(instead), [result]) = (instead, &block[*one].results[..]) {
                    // Values are named anew in the next block beside this one.
                    let end = scope_end(lines, block[*one].lines.start);
                    for text in &mut texts[block[*one].lines.start..end] {
                        *text = renamed(text, result, instead);
                    }
                }
            }
            Change::Rest(one, rest) => put(&mut texts, &block[*one], rest),
            Change::Rests(both) => {
                both.iter().for_each(|(at, rest)| put(&mut texts, &block[*at], rest));
            }
        }
        texts.join("\n")
    }
}

/// The line after which a value of this line is not known.
fn scope_end(lines: &[&str], line: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let behind = (line..lines.len()).find(|at| indent(lines[*at]) < indent(lines[line]));
    behind.unwrap_or(lines.len())
}

/// Another line after the results; the tag stays that of the operation.
fn put(texts: &mut [String], op: &Op, rest: &str) {
    let tag = |text: &str| {
        let (_, behind) = text.split_once("tag = ").expect("every operation has a tag");
        format!("tag = {}", behind.split(' ').next().expect("a number stands there"))
    };
    let rest = rest.replacen(&tag(rest), &tag(&op.rest), 1);
    let line = &mut texts[op.lines.start];
    *line = line.replacen(&op.rest, &rest, 1);
}

/// The changes that two operations of a block admit, the first in front of the second.
fn of_pairs(block: &[Op], change: impl Fn(usize, usize) -> Option<Change>) -> Vec<Change> {
    let pairs = (0..block.len()).flat_map(|one| (one + 1..block.len()).map(move |two| (one, two)));
    pairs.filter_map(|(one, two)| change(one, two)).collect()
}

/// The changes that one operation admits.
fn of_each(block: &[Op], change: impl Fn(usize) -> Option<Change>) -> Vec<Change> {
    (0..block.len()).filter_map(change).collect()
}

/// The places of a block at which there can be a fault.
fn places(block: &[Op], fault: Fault) -> Vec<Change> {
    let meet = |one: &Op, two: &Op| one.memory().is_some() && one.memory() == two.memory();
    let reads = |user: &Op, op: &Op| op.results.iter().any(|result| user.operands.contains(result));
    // Values are there before they are read, so that the verifier has nothing to say.
    let may_sink =
        |one: usize, two: usize| (one + 1..=two).all(|user| !reads(&block[user], &block[one]));
    let may_change = |one: usize, two: usize| {
        may_sink(one, two) && (one..two).all(|op| !reads(&block[two], &block[op]))
    };
    match fault {
        Fault::BeforeItsOperand => of_pairs(block, |one, two| {
            let fits = block[two].is_arithmetic() && reads(&block[two], &block[one]);
            fits.then_some(Change::Before(two, one))
        }),
        Fault::LoadPastAStore | Fault::StorePastALoad => of_pairs(block, |one, two| {
            let (load, store) = match fault {
                Fault::LoadPastAStore => (one, two),
                _ => (two, one),
            };
            let is_pair = !block[load].is_store() && block[store].is_store();
            let fits = is_pair && meet(&block[load], &block[store]);
            (fits && may_sink(one, two)).then_some(Change::Behind(one, two))
        }),
        Fault::StoresExchanged => of_pairs(block, |one, two| {
            let stores = block[one].is_store() && block[two].is_store();
            let fits = stores && meet(&block[one], &block[two]) && may_change(one, two);
            fits.then_some(Change::Exchange(one, two))
        }),
        Fault::ConditionalStoresExchanged => of_pairs(block, |one, two| {
            let both = [one, two].iter().all(|at| block[*at].name == "scf.if");
            let given = both && block[one].results.is_empty() && block[two].results.is_empty();
            (given && may_change(one, two)).then_some(Change::Exchange(one, two))
        }),
        Fault::FenceCrossed => of_pairs(block, |one, two| {
            let fits = block[one].memory().is_some() && block[two].is_fence();
            (fits && may_sink(one, two)).then_some(Change::Behind(one, two))
        }),
        _ => of_content(block, fault),
    }
}

/// Places of faults after which other operations are there.
fn of_content(block: &[Op], fault: Fault) -> Vec<Change> {
    let alike = |one: usize, two: usize| {
        let (one, two) = (&block[one], &block[two]);
        one.name == two.name && one.r#type == two.r#type && one.operands != two.operands
    };
    match fault {
        Fault::ShufflesExchanged => of_pairs(block, |one, two| {
            let both = block[one].is_shuffle() && block[two].is_shuffle();
            let rests = [(one, block[two].rest.clone()), (two, block[one].rest.clone())];
            (both && alike(one, two)).then_some(Change::Rests(rests))
        }),
        Fault::LeftOut => of_each(block, |one| {
            let op = &block[one];
            // The value that takes its place is of its type.
            let other = ["ext", "trunc", "select"].iter().any(|part| op.name.contains(part));
            let value = op.operands.first().filter(|_| op.is_arithmetic() && !other)?;
            Some(Change::LeaveOut(one, Some(value.clone())))
        }),
        Fault::TwiceInPlaceOfAnother => of_pairs(block, |one, two| {
            let fits = block[one].is_arithmetic() && alike(one, two);
            fits.then(|| Change::Rest(two, block[one].rest.clone()))
        }),
        Fault::OperandsExchanged => of_each(block, |one| {
            let op = &block[one];
            let (from, to) = match op.name.as_str() {
                "arith.subf" | "arith.divf" => (0, 1),
                "math.fma" => (0, 2),
                _ => return None,
            };
            let (from, to) = (&op.operands[from], &op.operands[to]);
            let rest = renamed(&renamed(&op.rest, from, "%exchanged"), to, from);
            (from != to).then(|| Change::Rest(one, renamed(&rest, "%exchanged", to)))
        }),
        Fault::LoadOfAnotherCell => of_pairs(block, |one, two| {
            let loads = [one, two].iter().all(|at| block[*at].name == "memref.load");
            let fits = loads && alike(one, two) && block[one].memory() == block[two].memory();
            fits.then(|| Change::Rest(two, block[one].rest.clone()))
        }),
        Fault::StoreLeftOut => {
            of_each(block, |one| block[one].is_store().then_some(Change::LeaveOut(one, None)))
        }
        Fault::StoreOfAnotherValue => of_pairs(block, |one, two| {
            let (op, store) = (&block[one], &block[two]);
            let is_float = op.is_arithmetic() && store.is_store();
            let fits = is_float && store.r#type.contains(&format!("x{}>", op.r#type));
            let (old, new) = (store.operands.first()?, op.results.first()?);
            (fits && old != new).then(|| Change::Rest(two, store.rest.replacen(old, new, 1)))
        }),
        _ => unreachable!("{fault:?} is a fault of order"),
    }
}
