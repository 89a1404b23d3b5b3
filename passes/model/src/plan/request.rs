//! Keys that kernels of any rank are to have where their own plans leave them open.
//!
//! `points=8,max_registers=128,threads=4x64`: names and ranges are those of the
//! [schema](super::schema), entries of a list are separated by `x`. A list may have another length
//! than a domain has dimensions: points count from the slowest, threads from the fastest.
//!
//! `demote=fit` is a question: how many registers are to move, so that the program is fastest? Only
//! the assembler knows what becomes of a number. Who compiles asks it, and puts the number in its
//! place; a plan has no words for what is not decided.

use super::{
    Plan, PlanError, Value,
    schema::{self, Key, Kind, Short},
};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// The key that may be a question, and the word for it.
const QUESTION: (&str, &str) = ("demote", "fit");

/// Keys with values, for kernels of any rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request(BTreeMap<String, Value>);

impl Request {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a key is asked for.
    pub fn says(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// The word or number that is asked for, as it is written; none where the key is left open.
    pub fn value(&self, key: &str) -> Option<String> {
        self.0.get(key).map(written)
    }

    /// Whether the number of demoted registers is left to who can ask the assembler.
    pub fn fits_demotion(&self) -> bool {
        self.0.iter().any(|(name, value)| is_question(name, value))
    }

    /// The same, with so many registers demoted; with none nothing is said of demotion.
    ///
    /// # Errors
    /// If no plan can say as many.
    pub fn demoting(&self, registers: u32) -> Result<Request, PlanError> {
        match registers {
            0 => Ok(self.without("demote")),
            _ => self.with("demote", registers),
        }
    }

    /// The same, with a cap of registers.
    ///
    /// # Errors
    /// If no plan can say it.
    pub fn capped(&self, registers: u32) -> Result<Request, PlanError> {
        self.with("max_registers", registers)
    }

    fn with(&self, key: &str, number: u32) -> Result<Request, PlanError> {
        let (key, value) = (schema::key(key)?, Value::Integer(number.into()));
        key.admit(&value)?;
        let mut keys = self.0.clone();
        keys.insert(key.name.to_owned(), value);
        Ok(Request(keys))
    }

    /// The same without the keys whose names begin so.
    #[must_use]
    pub fn without(&self, prefix: &str) -> Request {
        let others = self.0.iter().filter(|(name, _)| !name.starts_with(prefix));
        Request(others.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// A plan for a domain of this rank with the keys that it leaves open.
    pub fn complete(&self, plan: &Plan, rank: usize) -> Result<Plan, PlanError> {
        let mut tree = plan.to_tree();
        for (name, value) in &self.0 {
            if !tree.contains_key(name) {
                if is_question(name, value) {
                    return Err(PlanError::Question);
                }
                tree.insert(name.clone(), of_rank(schema::key(name)?, value, rank));
            }
        }
        Plan::from_tree(&tree)
    }
}

impl FromStr for Request {
    type Err = PlanError;

    /// Reads keys with values, separated by commas; hyphens in a key are as good as underscores.
    fn from_str(text: &str) -> Result<Request, PlanError> {
        let mut tree = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let no_assignment = || PlanError::NoAssignment(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(no_assignment)?;
            let key = schema::key(&name.trim().replace('-', "_"))?;
            let word = Value::Text(value.trim().to_owned());
            let value = match is_question(key.name, &word) {
                true => word,
                false => parse(key, value.trim())?,
            };
            tree.insert(key.name.to_owned(), value);
        }
        Ok(Request(tree))
    }
}

impl fmt::Display for Request {
    /// As `from_str` reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{name}={}", written(value))?;
        }
        Ok(())
    }
}

/// Whether a value waits for who can ask the assembler.
pub(super) fn is_question(name: &str, value: &Value) -> bool {
    name == QUESTION.0 && matches!(value, Value::Text(word) if word == QUESTION.1)
}

/// A value as `from_str` reads it.
fn written(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(word) => word.clone(),
        Value::Integers(list) => list.iter().map(i64::to_string).collect::<Vec<_>>().join("x"),
    }
}

fn parse(key: &'static Key, text: &str) -> Result<Value, PlanError> {
    let number = |part: &str| {
        part.trim().parse().map_err(|_| PlanError::NoNumber {
            key: key.name,
            value: text.to_owned(),
            expected: key.kind.to_string(),
        })
    };
    let value = match key.kind {
        Kind::Word(_) => Value::Text(text.to_owned()),
        Kind::Integer { .. } => Value::Integer(number(text)?),
        Kind::PerDimension { .. } => {
            Value::Integers(text.split('x').map(number).collect::<Result<_, _>>()?)
        }
    };
    key.admit(&value)?;
    Ok(value)
}

/// A list with an entry for each dimension.
fn of_rank(key: &Key, value: &Value, rank: usize) -> Value {
    let (Kind::PerDimension { short, .. }, Value::Integers(list)) = (key.kind, value) else {
        return value.clone();
    };
    let at = |dimension: usize| match short {
        Short::Slowest => list.get(dimension),
        Short::Fastest => (dimension + list.len()).checked_sub(rank).map(|index| &list[index]),
    };
    Value::Integers((0..rank).map(|dimension| at(dimension).copied().unwrap_or(1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Request {
        text.parse().unwrap()
    }

    #[test]
    fn text_comes_back() {
        let text = "max_registers=128,points=8,threads=4x64";
        assert_eq!(request(text).to_string(), text);
        assert_eq!(request("threads=4x64, points=8,max-registers=128,").to_string(), text);
        assert!(request("").is_empty());
    }

    #[test]
    fn lists_fit_any_rank() {
        let at = |rank| request("points=8,threads=4x64").complete(&Plan::default(), rank).unwrap();
        assert_eq!((at(2).points, at(2).threads), (vec![8, 1], vec![4, 64]));
        assert_eq!((at(1).points, at(1).threads), (vec![8], vec![64]));
        assert_eq!((at(3).points, at(3).threads), (vec![8, 1, 1], vec![1, 4, 64]));
    }

    #[test]
    fn what_a_plan_says_stays() {
        let own = Plan { points: vec![2, 1], ..Plan::default() };
        let plan = request("points=8,max_registers=64").complete(&own, 2).unwrap();
        assert_eq!(plan, Plan { max_registers: Some(64), ..own });
    }

    #[test]
    fn how_many_registers_fit_is_a_question() {
        let asked = request("points=8, demote=fit,demote-order=accesses");
        assert!(asked.fits_demotion() && !request("demote=8").fits_demotion());
        assert_eq!(asked.to_string(), "demote=fit,demote_order=accesses,points=8");
        assert_eq!(asked.complete(&Plan::default(), 2), Err(PlanError::Question));
        let answered = asked.demoting(24).unwrap();
        assert_eq!(answered, request("points=8,demote=24,demote_order=accesses"));
        assert_eq!(asked.demoting(0).unwrap().capped(64), Ok(request("points=8,max_registers=64")));
        assert!(asked.demoting(256).is_err() && asked.capped(8).is_err());
        // What a kernel's own plan says is asked of nobody.
        let own = Plan::from_tree(&request("demote=16").0).unwrap();
        assert_eq!(asked.complete(&own, 2).unwrap().demotion.registers, 16);
        let word = Value::Text("fit".to_owned());
        let written = BTreeMap::from([("demote".to_owned(), word)]);
        assert_eq!(Plan::from_tree(&written), Err(PlanError::Question));
        assert!(
            "demote=some".parse::<Request>().is_err() && "points=fit".parse::<Request>().is_err()
        );
    }

    #[test]
    fn wrong_keys_and_values_are_refused() {
        let refusal = |text: &str| text.parse::<Request>().unwrap_err().to_string();
        assert!(refusal("points").starts_with("'points' is no plan key with a value"));
        assert!(refusal("point=8").contains("'point' is unknown"));
        assert!(refusal("points=4,8").starts_with("'8' is no plan key with a value"));
        assert!(refusal("points=four").contains("is 'four', which is not a list of integers"));
        assert!(refusal("max_registers=8").contains("outside 16..=255"));
    }
}
