//! Random codes with random demotions: what is decided may be carried out, computes the same, and
//! leaves as few registers live as it says.
//!
//! The code is run as it is and with the demotion, by a machine that keeps registers no longer than
//! they are counted. Invalid demotions, made from right ones, show that both the check and the run
//! notice.
#![allow(clippy::unwrap_used)]

mod codes;
mod mutations;
mod replay;

use codes::Dice;
use mutations::Mutation;
use stencil_demotion::{
    Code, Demotion, Instruction, Options, Reload, SpillHeuristic, ValueId, demote,
    demotion::kept_until, live,
};

/// Codes of each kind.
const CODES: u64 = 1500;

/// Runs of each code, with other branches and numbers of turns.
const SALTS: u64 = 3;

/// Runs a code with a demotion and without: an error where results differ. Gives the most words
/// in registers.
fn same(code: &Code, demotion: &Demotion) -> Result<u32, String> {
    let mut most = 0;
    for salt in 0..SALTS {
        let expected = replay::run(code, &Demotion::none(), salt).expect("the code is right");
        let found = replay::run(code, demotion, salt)?;
        if found.results != expected.results {
            return Err("other results".to_owned());
        }
        most = most.max(found.most);
    }
    Ok(most)
}

/// What every demotion of every code holds; gives the most words that were in registers.
fn check(code: &Code, options: &Options) -> (Demotion, u32) {
    let demotion = demote(code, options);
    assert_eq!(demotion.check(code), Ok(()), "{options:?}\n{code:?}");
    let before = live::max_live(code, &[]);
    let after = demotion.live(code);
    assert!(after <= before, "{after} words are live for {before}: {options:?}\n{code:?}");
    let most = same(code, &demotion);
    let most = most.unwrap_or_else(|why| panic!("{why}: {options:?}\n{demotion:?}\n{code:?}"));
    assert!(
        most <= after,
        "{most} registers, counted {after}: {options:?}\n{demotion:?}\n{code:?}"
    );
    for words in [1, 2] {
        let needed = slots_needed(code, &demotion, words);
        assert_eq!(demotion.slots_of(words), needed, "{options:?}\n{demotion:?}\n{code:?}");
    }
    (demotion, most)
}

/// The most values of so many words that are in slots at once.
fn slots_needed(code: &Code, demotion: &Demotion, words: u32) -> u32 {
    let until = kept_until(code, &demotion.reloads);
    let spills = demotion.spills.iter().filter(|(_, spill)| spill.slot.words == words);
    let kept = spills.map(|(value, spill)| spill.after..until[value]).collect::<Vec<_>>();
    let at = |position| kept.iter().filter(|kept| kept.contains(&position)).count() as u32;
    (0..code.instructions().len()).map(at).max().unwrap_or(0)
}

#[test]
fn demoted_code_computes_the_same() {
    let mut gained = 0;
    for seed in 0..CODES {
        let mut dice = Dice::new(seed);
        let code = codes::nested(&mut dice);
        let before = live::max_live(&code, &[]);
        let options = codes::options(&mut dice, before);
        let (demotion, _) = check(&code, &options);
        gained += u64::from(demotion.live(&code) < before);
    }
    assert!(3 * gained > CODES, "only {gained} of {CODES} codes have fewer registers live");
}

/// Words that an instruction of straight code needs at once: what it reads before it, what it makes
/// behind it, and what may live in no slot.
fn needed(code: &Code) -> u32 {
    let fixed = |position: usize| {
        let crosses = |value: ValueId| {
            let last = code.users_of(value).last();
            code.definition(value) < position && last.is_some_and(|last| *last >= position)
        };
        let values = code.values().filter(|(_, known)| !known.is_candidate);
        values.map(|(value, _)| value).filter(|value| crosses(*value)).collect::<Vec<_>>()
    };
    let words = |values: &[ValueId], fixed: &[ValueId]| {
        let others = fixed.iter().filter(|value| !values.contains(value));
        values.iter().chain(others).map(|value| code.value(*value).words).sum::<u32>()
    };
    let at = |(position, instruction): (usize, &Instruction)| {
        let before = words(&instruction.reads, &fixed(position));
        before.max(words(&instruction.writes, &fixed(position + 1)))
    };
    code.instructions().iter().enumerate().map(at).max().unwrap_or(0)
}

#[test]
fn straight_code_gets_down_to_what_is_asked() {
    let mut reached = 0;
    for seed in 0..CODES {
        let mut dice = Dice::new(seed);
        let code = codes::straight(&mut dice);
        let before = live::max_live(&code, &[]);
        let options =
            Options { heuristic: SpillHeuristic::FurthestUse, ..codes::options(&mut dice, before) };
        let (demotion, most) = check(&code, &options);
        let least = before.saturating_sub(options.words).max(needed(&code));
        assert!(most <= least, "{most} words for {least}: {options:?}\n{demotion:?}\n{code:?}");
        assert_eq!(demotion.live(&code), most, "{options:?}\n{demotion:?}\n{code:?}");
        reached += u64::from(least < before);
    }
    assert!(3 * reached > CODES, "only {reached} of {CODES} codes have something to give");
}

/// What the check accepts computes the same, and what does not is refused.
#[test]
fn wrong_demotions_are_noticed() {
    for mutation in Mutation::ALL {
        let (mut refused, mut other, mut accepted) = (0, 0, 0);
        for seed in 0..CODES {
            let mut dice = Dice::new(seed);
            let code = codes::nested(&mut dice);
            let before = live::max_live(&code, &[]);
            let demotion = demote(&code, &codes::options(&mut dice, before));
            let Some(mutated) = mutation.of(&demotion, &code, &mut dice) else { continue };
            match (mutated.check(&code), runs_the_same(&code, &mutated)) {
                (Ok(()), same) => {
                    assert!(same, "{mutation:?} is accepted: {mutated:?}\n{code:?}");
                    accepted += 1;
                }
                (Err(_), same) => {
                    refused += 1;
                    other += u64::from(!same);
                }
            }
        }
        let found = format!("{mutation:?}: {refused} refused, {other} of them give other results");
        assert!(20 * refused > CODES, "{found}; {accepted} accepted");
        assert!(4 * other > refused, "{found}; {accepted} accepted");
        assert!(mutation != Mutation::NoStore || accepted == 0, "{found}; {accepted} accepted");
    }
}

/// Whether a demotion that may be wrong gives the results of the code; what cannot be run at all
/// does not.
fn runs_the_same(code: &Code, demotion: &Demotion) -> bool {
    let is_placed = |load: &Reload| load.before > 0 && !load.users.is_empty();
    demotion.reloads.iter().all(is_placed) && same(code, demotion).is_ok()
}
