//! Real point functions as straight-line code: the statements of a kernel in the repository's
//! STENCILGEN texts, unrolled, with equal loads shared and products fused into sums.

use std::collections::HashMap;
use std::path::Path;

use stencil_code::{ArrayId, Dag, Item, ItemId, Kind};

/// Reads `test/kernels/<name>.idsl` and unrolls it along the last index.
pub fn kernel(name: &str, unroll: i64) -> Dag {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    let text = std::fs::read_to_string(root.join(format!("{name}.idsl"))).unwrap();
    let body: String = text.lines().filter(|line| !line.starts_with("//")).collect();
    let (head, body) = body.split_once("stencil ").unwrap();
    let iterators = head.split_once("iterator ").unwrap().1.split_once(';').unwrap().0;
    let axis = iterators.rsplit(',').next().unwrap().trim().to_owned();
    let body = body.split_once('{').unwrap().1;
    let body = body.split_once('}').unwrap().0;
    let mut builder = Builder { axis, ..Builder::default() };
    for copy in 0..unroll {
        builder.names.clear();
        for statement in without_comments(body).split(';') {
            let Some((target, value)) = statement.split_once('=') else { continue };
            let plus = target.trim_end().ends_with('+');
            let target = target.trim().trim_end_matches('+').trim();
            let tokens = tokens(value);
            let mut parser = Parser { tokens: &tokens, at: 0, builder: &mut builder, copy };
            let mut value = parser.sum();
            assert_eq!(parser.at, tokens.len(), "{statement}");
            if plus {
                let old = builder.load(target, copy);
                value = builder.add("+", old, value);
            }
            builder.assign(target, value);
        }
    }
    builder.code()
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        out += before;
        rest = behind.split_once("*/").unwrap().1;
    }
    out + rest
}

fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        at += 1;
        if c.is_whitespace() {
            continue;
        }
        if c.is_alphanumeric() || c == '_' || c == '.' {
            while at < chars.len() && (chars[at].is_alphanumeric() || "_.".contains(chars[at])) {
                at += 1;
            }
            while at < chars.len() && chars[at] == '[' {
                while chars[at] != ']' {
                    at += 1;
                }
                at += 1;
            }
        }
        out.push(chars[start..at].iter().filter(|c| !c.is_whitespace()).collect());
    }
    out
}

struct Parser<'a> {
    tokens: &'a [String],
    at: usize,
    builder: &'a mut Builder,
    copy: i64,
}

impl Parser<'_> {
    fn next_is(&self, wanted: &[&str]) -> Option<String> {
        let token = self.tokens.get(self.at)?;
        wanted.contains(&token.as_str()).then(|| token.clone())
    }

    fn sum(&mut self) -> usize {
        let mut left = self.product();
        while let Some(sign) = self.next_is(&["+", "-"]) {
            self.at += 1;
            let right = self.product();
            left = self.builder.add(&sign, left, right);
        }
        left
    }

    fn product(&mut self) -> usize {
        let mut left = self.factor();
        while let Some(sign) = self.next_is(&["*", "/"]) {
            self.at += 1;
            let right = self.factor();
            left = self.builder.operation(&sign, left, right);
        }
        left
    }

    fn factor(&mut self) -> usize {
        let token = self.tokens[self.at].clone();
        self.at += 1;
        match token.as_str() {
            "(" => {
                let value = self.sum();
                assert_eq!(self.tokens[self.at], ")");
                self.at += 1;
                value
            }
            "-" => {
                let value = self.factor();
                self.builder.operation("neg", value, value)
            }
            _ if token.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                self.builder.constant(&token)
            }
            _ if token.contains('[') => self.builder.load(&token, self.copy),
            _ => self.builder.names[&token],
        }
    }
}

/// Values before products are fused: an operation by its name and operands.
#[derive(Default)]
struct Builder {
    /// The iterator that is unrolled.
    axis: String,
    values: Vec<(String, Vec<usize>)>,
    known: HashMap<(String, Vec<usize>), usize>,
    names: HashMap<String, usize>,
    stores: Vec<(String, usize)>,
}

impl Builder {
    fn value(&mut self, name: String, operands: Vec<usize>) -> usize {
        let key = (name, operands);
        if let Some(&at) = self.known.get(&key) {
            return at;
        }
        self.values.push(key.clone());
        self.known.insert(key, self.values.len() - 1);
        self.values.len() - 1
    }

    fn constant(&mut self, text: &str) -> usize {
        self.value(format!("constant {text}"), vec![])
    }

    fn load(&mut self, text: &str, copy: i64) -> usize {
        let (head, last) = text.rsplit_once('[').unwrap();
        let last = last.trim_end_matches(']');
        let split = last.find(['+', '-']).unwrap_or(last.len());
        let offset: i64 = last[split..].trim_start_matches('+').parse().unwrap_or(0);
        let axis = &last[..split];
        let shift = if axis == self.axis { copy } else { 0 };
        self.value(format!("load {head} {axis} {}", offset + shift), vec![])
    }

    fn operation(&mut self, name: &str, left: usize, right: usize) -> usize {
        let mut operands = if left == right { vec![left] } else { vec![left, right] };
        if name == "*" {
            operands.sort_unstable();
        }
        self.value(name.to_owned(), operands)
    }

    fn add(&mut self, sign: &str, left: usize, right: usize) -> usize {
        self.operation(sign, left, right)
    }

    fn assign(&mut self, target: &str, value: usize) {
        if target.contains('[') {
            let array = target.split('[').next().unwrap();
            self.stores.push((array.to_owned(), value));
        } else {
            self.names.insert(target.split_whitespace().last().unwrap().to_owned(), value);
        }
    }

    /// Fuses products that one sum reads and gives everything its registers.
    fn code(&self) -> Dag {
        let mut uses = vec![0; self.values.len()];
        let mut wanted = vec![false; self.values.len()];
        for (_, value) in &self.stores {
            uses[*value] += 1;
            wanted[*value] = true;
        }
        for (at, (_, operands)) in self.values.iter().enumerate().rev() {
            if !wanted[at] {
                continue;
            }
            for &operand in operands {
                uses[operand] += 1;
                wanted[operand] = true;
            }
        }
        let mut arrays = HashMap::new();
        let mut items = Vec::new();
        let mut place = vec![usize::MAX; self.values.len()];
        let is = |at: usize, name: &str| self.values[at].0 == name && uses[at] == 1;
        let fused: Vec<Option<usize>> = self
            .values
            .iter()
            .map(|(name, operands)| {
                let sum = name == "+" || name == "-";
                if !sum { None } else { operands.iter().rev().copied().find(|&o| is(o, "*")) }
            })
            .collect();
        let products: Vec<usize> =
            (0..fused.len()).filter(|&at| wanted[at]).filter_map(|at| fused[at]).collect();
        for (at, (name, operands)) in self.values.iter().enumerate() {
            if !wanted[at] || products.contains(&at) {
                continue;
            }
            let id = |at: usize| ItemId::new(place[at]);
            let mut item = if name.starts_with("constant") {
                Item::new(Kind::Constant, vec![], 0)
            } else if name.starts_with("load") {
                Item::new(Kind::Load, vec![], 2)
            } else if let Some(product) = fused[at] {
                let mut read: Vec<ItemId> = self.values[product].1.iter().map(|&o| id(o)).collect();
                let other = operands.iter().copied().find(|&o| o != product);
                read.push(id(other.unwrap_or(product)));
                let accumulator = read.len() - 1;
                Item::new(Kind::Accumulate(accumulator), read, 2)
            } else {
                Item::new(Kind::Operation, operands.iter().map(|&o| id(o)).collect(), 2)
            };
            if let Some(array) = name.strip_prefix("load ") {
                let array = array.split('[').next().unwrap().to_owned();
                let count = arrays.len() as u32;
                item.array = Some(ArrayId(*arrays.entry(array).or_insert(count)));
            }
            place[at] = items.len();
            items.push(item);
            for _ in self.stores.iter().filter(|(_, value)| *value == at) {
                let stored = ItemId::new(place[at]);
                items.push(Item::new(Kind::Store, vec![stored], 0));
            }
        }
        Dag::new(items)
    }
}
