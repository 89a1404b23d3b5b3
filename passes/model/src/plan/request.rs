//! Keys that kernels of any rank are to have: what `--plan` says.
//!
//! `points=8,max_registers=128,threads=4x64`: names and ranges are those of the
//! [schema](super::schema), entries of a list are separated by `x`. A list may have another length
//! than a domain has dimensions: points count from the slowest, threads from the fastest.
//!
//! `max_registers=128,step:points=2,vector=1`: keys behind a name with a colon, up to the next
//! name, are for the kernels of that name only; those before the first name are for every kernel.
//!
//! `demote=fit` is an auto value: the number of registers with which the program is predicted to be
//! fastest. The driver tries numbers with the assembler and writes the best one in its place; a
//! plan itself holds numbers only.

use super::{
    PlanError, PlanValue, error,
    schema::{self, Key, Kind, Short},
};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// The key that takes an auto value, and the word for it.
const AUTO: (&str, &str) = ("demote", "fit");

/// Keys with their values, as they are written.
pub type Keys = BTreeMap<String, PlanValue>;

/// Keys with values, for kernels of any rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// For every kernel.
    every: Keys,
    /// For kernels of a name, beside those for every kernel.
    named: BTreeMap<String, Keys>,
}

impl Request {
    /// Keys for the kernels of one name.
    pub fn of_kernel(name: &str, keys: Keys) -> Request {
        Request { every: Keys::new(), named: BTreeMap::from([(name.to_owned(), keys)]) }
    }

    /// Both; of two values for the same kernels the other request's holds.
    #[must_use]
    pub fn with(mut self, other: Request) -> Request {
        self.every.extend(other.every);
        for (name, keys) in other.named {
            self.named.entry(name).or_default().extend(keys);
        }
        self
    }

    /// The same for the kernels of one function of several: every name is that of a kernel, and
    /// keys for every kernel are for the function.
    pub fn of_function(&self, function: &str) -> Request {
        let prefix = kernel_name(function, "");
        let of = |name: &String| match name.starts_with(&prefix) {
            true => name.clone(),
            false => kernel_name(function, name),
        };
        let kernels = self.named.iter().map(|(name, keys)| (of(name), keys.clone()));
        let mut named = kernels.collect::<BTreeMap<_, _>>();
        if !self.every.is_empty() {
            named.insert(function.to_owned(), self.every.clone());
        }
        Request { every: Keys::new(), named }
    }

    /// The keys for one name, without those for every kernel.
    pub fn keys_of(&self, name: &str) -> Option<&Keys> {
        self.named.get(name)
    }

    /// The same without what is for every kernel.
    pub fn named(&self) -> Request {
        Request { every: Keys::new(), named: self.named.clone() }
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.every.is_empty() && self.named.values().all(Keys::is_empty)
    }

    /// The names of kernels that something is asked for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// The word or number that is asked for, of every kernel or else of the first that is named, as
    /// it is written; none where the key is left open.
    pub fn value(&self, key: &str) -> Option<String> {
        self.all().find_map(|keys| keys.get(key)).map(written)
    }

    /// Whether some kernel is asked to have this word as a key's value.
    pub fn asks(&self, key: &str, word: &str) -> bool {
        let is_it = |value: &PlanValue| matches!(value, PlanValue::Text(text) if text == word);
        self.all().any(|keys| keys.get(key).is_some_and(is_it))
    }

    /// Whether the number of demoted registers is to be found.
    pub fn fits_demotion(&self) -> bool {
        self.asks(AUTO.0, AUTO.1)
    }

    /// The same, with so many registers demoted wherever that was to be found; with none the keys
    /// of demotion are removed there.
    ///
    /// # Errors
    /// If no plan can say as many.
    pub fn demoting(&self, registers: u32) -> Result<Request, PlanError> {
        let answer = |keys: &Keys| match keys.iter().any(|(name, value)| is_auto(name, value)) {
            false => Ok(keys.clone()),
            true if registers == 0 => Ok(without(keys, AUTO.0)),
            true => with(keys, AUTO.0, registers),
        };
        self.try_map(answer)
    }

    /// The same, with a cap of registers for every kernel.
    ///
    /// # Errors
    /// If no plan can say it.
    pub fn capped(&self, registers: u32) -> Result<Request, PlanError> {
        Ok(Request { every: with(&self.every, "max_registers", registers)?, ..self.clone() })
    }

    /// The same, where a number that is asked for is no larger.
    pub fn limited(&self, key: &str, most: u32) -> Request {
        let limit = |keys: &Keys| {
            let limited = |(name, value): (&String, &PlanValue)| match value {
                PlanValue::Integer(number) if name == key => {
                    (name.clone(), PlanValue::Integer((*number).min(most.into())))
                }
                _ => (name.clone(), value.clone()),
            };
            keys.iter().map(limited).collect()
        };
        let named = self.named.iter().map(|(name, keys)| (name.clone(), limit(keys)));
        Request { every: limit(&self.every), named: named.collect() }
    }

    /// What is said of a kernel that has these names, for a domain of this rank: keys for every
    /// kernel, over them those that the kernel says itself, over both those for its names.
    ///
    /// # Errors
    /// If an auto value is left.
    pub fn said_of(&self, names: &[&str], own: &Keys, rank: usize) -> Result<Keys, PlanError> {
        let mut said = self.every.clone();
        said.extend(own.clone());
        for name in names {
            said.extend(self.named.get(*name).cloned().unwrap_or_default());
        }
        for (name, value) in &mut said {
            if is_auto(name, value) {
                return Err(PlanError::Auto);
            }
            if own.get(name) != Some(value) {
                *value = of_rank(schema::key(name)?, value, rank);
            }
        }
        Ok(said)
    }

    /// Keys for every kernel, then those for kernels by name.
    fn all(&self) -> impl Iterator<Item = &Keys> {
        std::iter::once(&self.every).chain(self.named.values())
    }

    fn try_map(
        &self,
        change: impl Fn(&Keys) -> Result<Keys, PlanError>,
    ) -> Result<Request, PlanError> {
        let named = self.named.iter();
        let named = named.map(|(name, keys)| Ok((name.clone(), change(keys)?)));
        Ok(Request { every: change(&self.every)?, named: named.collect::<Result<_, _>>()? })
    }
}

fn with(keys: &Keys, key: &str, number: u32) -> Result<Keys, PlanError> {
    let (key, value) = (schema::key(key)?, PlanValue::Integer(number.into()));
    key.admit(&value)?;
    let mut keys = keys.clone();
    keys.insert(key.name.to_owned(), value);
    Ok(keys)
}

/// The keys whose names do not begin so.
fn without(keys: &Keys, prefix: &str) -> Keys {
    let others = keys.iter().filter(|(name, _)| !name.starts_with(prefix));
    others.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl FromStr for Request {
    type Err = PlanError;

    /// Reads keys with values, separated by commas; hyphens in a key are as good as underscores.
    /// Everything that is wrong is said at once.
    fn from_str(text: &str) -> Result<Request, PlanError> {
        let mut request = Request::default();
        let mut kernel = None;
        let mut wrong = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let assignment = match part.split_once(':') {
                None => part,
                Some((name, rest)) => {
                    kernel = Some(name.trim().to_owned());
                    rest
                }
            };
            match entry(assignment) {
                Ok((key, value)) => {
                    let keys = match &kernel {
                        None => &mut request.every,
                        Some(name) => request.named.entry(name.clone()).or_default(),
                    };
                    let second = written(&value);
                    if let Some(first) = keys.insert(key.to_owned(), value) {
                        let first = written(&first);
                        wrong.push(PlanError::Twice { key, first, second });
                    }
                }
                Err(error) => wrong.push(error),
            }
        }
        error::all_of(wrong).map(|()| request)
    }
}

fn entry(text: &str) -> Result<(&'static str, PlanValue), PlanError> {
    let no_assignment = || PlanError::NoAssignment(text.to_owned());
    let (name, value) = text.split_once('=').ok_or_else(no_assignment)?;
    let key = schema::key(&name.trim().replace('-', "_"))?;
    let word = PlanValue::Text(value.trim().to_owned());
    let value = match is_auto(key.name, &word) {
        true => word,
        false => parse(key, value.trim())?,
    };
    Ok((key.name, value))
}

impl fmt::Display for Request {
    /// As `from_str` reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let named = self.named.iter().map(|(name, keys)| (format!("{name}:"), keys));
        for (name, keys) in std::iter::once((String::new(), &self.every)).chain(named) {
            for (index, (key, value)) in keys.iter().enumerate() {
                let name = if index == 0 { name.as_str() } else { "" };
                write!(f, "{separator}{name}{key}={}", written(value))?;
                separator = ",";
            }
        }
        Ok(())
    }
}

/// The name of the kernel of a stage of a function, valid in PTX.
pub fn kernel_name(function: &str, stage: &str) -> String {
    let clean = |text: &str| {
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect::<String>()
    };
    // A word of PTX does not begin with a digit.
    let first = if function.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    format!("{first}{}_{}", clean(function), clean(stage))
}

/// Whether a name of kernels can be written in front of keys.
pub fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ['_', '-', '.', '$'].contains(&c);
    !text.is_empty() && text.chars().all(fits)
}

/// Whether a value is to be found.
pub(super) fn is_auto(name: &str, value: &PlanValue) -> bool {
    name == AUTO.0 && matches!(value, PlanValue::Text(word) if word == AUTO.1)
}

/// A value as `from_str` reads it.
fn written(value: &PlanValue) -> String {
    match value {
        PlanValue::Integer(number) => number.to_string(),
        PlanValue::Text(word) | PlanValue::Other(word) => word.clone(),
        PlanValue::Integers(list) => list.iter().map(i64::to_string).collect::<Vec<_>>().join("x"),
    }
}

fn parse(key: &'static Key, text: &str) -> Result<PlanValue, PlanError> {
    let number = |part: &str| {
        part.trim().parse().map_err(|_| PlanError::NoNumber {
            key: key.name,
            value: text.to_owned(),
            expected: match key.kind {
                Kind::PerDimension { .. } => format!("{}; lists are written as 4x64", key.kind),
                _ if key.name == AUTO.0 => format!("{}, and not \"{}\"", key.kind, AUTO.1),
                _ => key.kind.to_string(),
            },
        })
    };
    let value = match key.kind {
        Kind::Word(_) => PlanValue::Text(text.to_owned()),
        Kind::Integer { .. } => PlanValue::Integer(number(text)?),
        Kind::PerDimension { .. } => {
            PlanValue::Integers(text.split('x').map(number).collect::<Result<_, _>>()?)
        }
    };
    key.admit(&value)?;
    Ok(value)
}

/// A list with an entry for each dimension.
fn of_rank(key: &Key, value: &PlanValue, rank: usize) -> PlanValue {
    let (Kind::PerDimension { short, .. }, PlanValue::Integers(list)) = (key.kind, value) else {
        return value.clone();
    };
    let at = |dimension: usize| match short {
        Short::Slowest => list.get(dimension),
        Short::Fastest => (dimension + list.len()).checked_sub(rank).map(|index| &list[index]),
    };
    PlanValue::Integers((0..rank).map(|dimension| at(dimension).copied().unwrap_or(1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PlanKeys;

    fn request(text: &str) -> Request {
        text.parse().unwrap()
    }

    /// The plan of a kernel 'step' with its own keys.
    fn plan(text: &str, own: &str, rank: usize) -> PlanKeys {
        let own = request(own).every;
        PlanKeys::from_tree(&request(text).said_of(&["step"], &own, rank).unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_limited_wherever_they_are_asked_for() {
        let limited = |text: &str| request(text).limited("chunks", 3).to_string();
        assert_eq!(
            limited("chunks=8,a:chunks=2,edge_chunks=9"),
            "chunks=3,a:chunks=2,edge_chunks=9"
        );
        assert_eq!(limited("points=8"), "points=8");
    }

    #[test]
    fn text_comes_back() {
        let text = "max_registers=128,points=8,threads=4x64";
        assert_eq!(request(text).to_string(), text);
        assert_eq!(request("threads=4x64, points=8,max-registers=128,").to_string(), text);
        assert!(request("").is_empty() && !request("step:points=2").is_empty());
        let named = "points=8,left:points=4,step:max_registers=64,points=2";
        assert_eq!(request(named).to_string(), named);
        assert_eq!(request("step: points=2, max_registers=64,left:points=4").names().count(), 2);
    }

    #[test]
    fn a_key_is_written_once_for_the_same_kernels() {
        let said = |text: &str| text.parse::<Request>().unwrap_err().to_string();
        assert_eq!(
            said("points=8,vector=2,points=4x2"),
            "plan key 'points' is written twice, as 8 and as 4x2; leave one"
        );
        assert!(said("step:max-registers=64,step:max_registers=64").contains("twice"));
        let both = request("points=8,step:vector=2").with(request("step:vector=4,points=2"));
        assert_eq!(both.to_string(), "points=8,step:points=2,vector=4");
        assert_eq!(request("points=8,step:points=4").names().count(), 1);
    }

    #[test]
    fn keys_of_a_program_of_one_function_are_for_that_function_of_several() {
        let of = |text: &str| request(text).of_function("heat").to_string();
        assert_eq!(of("points=8,loop:steps=2"), "heat:points=8,heat_loop:steps=2");
        assert_eq!(of("heat_step:ring=3"), "heat_step:ring=3");
        assert_eq!(request("a:ring=3,b:points=8").keys_of("b"), Some(&request("points=8").every));
    }

    #[test]
    fn lists_fit_any_rank() {
        let at = |rank| plan("points=8,threads=4x64", "", rank);
        assert_eq!((at(2).points, at(2).threads), (vec![8, 1], vec![4, 64]));
        assert_eq!((at(1).points, at(1).threads), (vec![8], vec![64]));
        assert_eq!((at(3).points, at(3).threads), (vec![8, 1, 1], vec![1, 4, 64]));
    }

    #[test]
    fn a_kernel_s_own_keys_are_between_those_for_all_and_those_for_its_name() {
        let of = |text| plan(text, "points=2x1,vector=1", 2);
        let own = of("points=8,max_registers=64,vector=2");
        assert_eq!((own.points, own.max_registers, own.vector), (vec![2, 1], Some(64), 1));
        let named = of("max_registers=64,other:points=4,step:points=8");
        assert_eq!((named.points, named.max_registers), (vec![8, 1], Some(64)));
    }

    #[test]
    fn registers_that_fit_are_an_auto_value() {
        let asked = request("points=8, demote=fit,demote-heuristic=accesses");
        assert!(asked.fits_demotion() && !request("demote=8").fits_demotion());
        assert_eq!(asked.to_string(), "demote=fit,demote_heuristic=accesses,points=8");
        assert_eq!(asked.said_of(&[], &Keys::new(), 2), Err(PlanError::Auto));
        let answered = asked.demoting(24).unwrap();
        assert_eq!(answered, request("points=8,demote=24,demote_heuristic=accesses"));
        assert_eq!(asked.demoting(0).unwrap().capped(64), Ok(request("points=8,max_registers=64")));
        let refused = |it: Result<Request, PlanError>| it.unwrap_err().to_string();
        assert_eq!(refused(asked.demoting(256)), "plan key 'demote' is 256, outside 0..=255");
        assert_eq!(refused(asked.capped(8)), "plan key 'max_registers' is 8, outside 16..=255");
        let named = request("points=8,step:demote=fit");
        assert_eq!(named.demoting(24).unwrap(), request("points=8,step:demote=24"));
        assert_eq!(named.demoting(0).unwrap().to_string(), "points=8");
        // What a kernel's own plan says is not asked.
        let own = request("demote=16").every;
        assert_eq!(asked.said_of(&[], &own, 2).unwrap()["demote"], PlanValue::Integer(16));
        let word = PlanValue::Text("fit".to_owned());
        let written = BTreeMap::from([("demote".to_owned(), word)]);
        assert_eq!(PlanKeys::from_tree(&written), Err(PlanError::Auto));
        for (text, reason) in [
            ("demote=some", "plan key 'demote' is 'some', which is not an integer in 0..=255"),
            ("points=fit", "plan key 'points' is 'fit', which is not a list of integers in "),
        ] {
            let said = refused(text.parse());
            assert!(said.starts_with(reason), "{said}");
        }
    }

    #[test]
    fn wrong_keys_and_values_are_refused() {
        let refusal = |text: &str| text.parse::<Request>().unwrap_err().to_string();
        assert!(refusal("points").starts_with("'points' is no plan key with a value"));
        assert!(refusal("point=8").contains("'point' is unknown"));
        assert!(refusal("points=4,8").starts_with("'8' is no plan key with a value"));
        assert!(refusal("points=four").contains("is 'four', which is not a list of integers"));
        assert!(refusal("max_registers=8").contains("outside 16..=255"));
        assert!(refusal("step:").starts_with("'' is no plan key with a value"));
        assert_eq!(
            refusal("max_registers=8,step:ring=1"),
            "the plan is wrong for 2 reasons: (1) plan key 'max_registers' is 8, outside 16..=255; \
             (2) plan key 'ring' is 1, outside 2..=16"
        );
    }
}
