//! Prints a random program, which is in today's spelling, in older ones.
//!
//! The generator prints one op a line, and each clause in one way: lines are changed by their
//! pieces, without the reader's own tokens.

/// The clauses of releases 0.19 to 0.21 of xDSL.
pub fn xdsl(text: &str) -> String {
    lines(text, |line| {
        let line = match operation(line) {
            "stencil.store" => corners(line, "(<[", "]>)", "([", "])"),
            "stencil.index" | "stencil.dyn_access" => without_angles(line),
            "stencil.return" => without_angles(line),
            "stencil.buffer" if !line.contains("attributes") => first_type(line),
            _ => line.to_owned(),
        };
        line.replace("#stencil.index<[", "#stencil.index<").replace("]> }", "> }")
    })
}

fn lines(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

/// The name of the op of a line.
fn operation(line: &str) -> &str {
    let line = line.trim_start();
    let op = line.split_once(" = ").map_or(line, |(_, op)| op);
    op.split([' ', '(']).next().unwrap_or_default()
}

/// `(<[0], [4]>)` as `([0] : [4])`.
fn corners(line: &str, open: &str, close: &str, old_open: &str, old_close: &str) -> String {
    let Some((before, rest)) = line.split_once(open) else { return line.to_owned() };
    let Some((bounds, after)) = rest.split_once(close) else { return line.to_owned() };
    let bounds = bounds.replace("], [", "] : [");
    format!("{before} {old_open}{bounds}{old_close}{after}")
}

/// `<[0, 1]>` as `[0, 1]`.
fn without_angles(line: &str) -> String {
    line.replace("<[", "[").replace("]>", "]")
}

/// `: T -> T` as `: T`.
fn first_type(line: &str) -> String {
    line.split_once(" -> ").map_or(line, |(before, _)| before).to_owned()
}

/// A program of the Open Earth Compiler, and the same one in today's spelling: with fields that are
/// cast. The first dimension is the fastest in memory, and so the last one of today.
pub fn oec(text: &str) -> (String, String) {
    let today = lines(text, cast_parameters);
    let old = lines(&today, |line| old_line(&reversed_types(line)));
    (today, old)
}

/// Function parameters that are fields become dynamic, and are cast in the next lines.
fn cast_parameters(line: &str) -> String {
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut parts = line.split("!stencil.field<[");
    let (Some(mut head), true) = (parts.next().map(str::to_owned), line.contains("func.func"))
    else {
        return line.to_owned();
    };
    let mut casts = String::new();
    for part in parts {
        let (bounds, after) = part.split_once('>').unwrap();
        let (_, element) = bounds.rsplit_once('x').unwrap();
        let dynamic = format!("{}{element}", "?x".repeat(bounds.matches(',').count()));
        let (rest, name) = head.rsplit_once('%').unwrap();
        let name = name.trim_end_matches([' ', ':']).to_owned();
        casts += &format!(
            "\n{indent}  %{name} = stencil.cast %dynamic_{name} : !stencil.field<{dynamic}> -> \
             !stencil.field<[{bounds}>"
        );
        head = format!("{rest}%dynamic_{name}: !stencil.field<{dynamic}>{after}");
    }
    head + &casts
}

/// `!stencil.field<[a,b]x[c,d]xf64>` as `!stencil.field<NxMxf64>` with the last dimension first.
fn reversed_types(line: &str) -> String {
    let mut parts = line.split("!stencil.field<[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (bounds, after) = part.split_once('>').unwrap();
        let (pairs, element) = bounds.rsplit_once("]x").unwrap();
        let cells = pairs.split("]x[").map(|pair| {
            let [lower, upper] = numbers(pair)[..] else { panic!("'{pair}' is no pair") };
            (upper - lower).to_string()
        });
        let cells: Vec<String> = cells.collect();
        let cells = cells.into_iter().rev().collect::<Vec<_>>().join("x");
        text += &format!("!stencil.field<{cells}x{element}>{after}");
    }
    // What a cast says about its result is in a clause.
    if operation(line) != "stencil.cast" {
        return text;
    }
    let bounds = line.rsplit_once("!stencil.field<").unwrap().1;
    let pairs: Vec<Vec<i64>> =
        bounds.split("]x").filter(|p| p.starts_with('[')).map(numbers).collect();
    let [lower, upper] = [0, 1].map(|end| {
        let corner: Vec<String> = pairs.iter().rev().map(|pair| pair[end].to_string()).collect();
        corner.join(", ")
    });
    text.replacen(" : ", &format!("([{lower}] : [{upper}]) : "), 1)
}

fn numbers(list: &str) -> Vec<i64> {
    let list = list.trim_matches(['[', ']']);
    list.split(',').map(|number| number.trim().parse().unwrap()).collect()
}

/// The order of a list, `[1, 2]`, the other way round.
fn reversed(line: &str, open: &str, close: &str) -> String {
    let (before, rest) = line.split_once(open).unwrap();
    let (list, after) = rest.split_once(close).unwrap();
    let list: Vec<&str> = list.split(", ").collect();
    let list: Vec<&str> = list.into_iter().rev().collect();
    format!("{before}[{}]{after}", list.join(", "))
}

/// `: A -> B` as `: (A) -> B`.
fn in_parentheses(line: &str) -> String {
    let (before, types) = line.rsplit_once(" : ").unwrap();
    let (from, to) = types.split_once(" -> ").unwrap();
    format!("{before} : ({from}) -> {to}")
}

fn element(of: &str) -> &str {
    of.trim_end_matches('>').rsplit(['x', '<']).next().unwrap()
}

fn old_line(line: &str) -> String {
    match operation(line) {
        "stencil.cast" | "stencil.load" | "stencil.buffer" => in_parentheses(line),
        "stencil.access" => {
            let line = reversed(line, "[", "]");
            let (before, of) = line.rsplit_once(" : ").unwrap();
            format!("{before} : ({of}) -> {}", element(of))
        }
        "stencil.index" => {
            let line = reversed(line, "<[", "]>");
            let rank = line.matches(',').count() + 1;
            let (before, rest) = line.split_once("stencil.index ").unwrap();
            let (dim, offset) = rest.split_once(' ').unwrap();
            let dim = rank - 1 - dim.parse::<usize>().unwrap();
            format!("{before}stencil.index {dim} {offset} : index")
        }
        "stencil.store" => {
            let (before, rest) = line.split_once("(<[").unwrap();
            let (bounds, after) = rest.split_once("]>)").unwrap();
            let corners: Vec<Vec<i64>> = bounds.split("], [").map(numbers).collect();
            let [lower, upper] = [0, 1].map(|end| {
                let corner: Vec<String> = corners[end].iter().rev().map(i64::to_string).collect();
                corner.join(", ")
            });
            format!("{before}([{lower}] : [{upper}]){after}")
        }
        "stencil.store_result" => {
            let (before, of) = line.rsplit_once(" : ").unwrap();
            let from = if before.ends_with("store_result") { "" } else { element(of) };
            format!("{before} : ({from}) -> {of}")
        }
        "stencil.combine" => combine(line),
        "stencil.apply" => match line.rsplit_once("-> (") {
            Some((before, results)) if !results.contains(',') => {
                format!("{before}-> {}", results.replacen(')', "", 1))
            }
            _ => line.to_owned(),
        },
        "arith.cmpf" | "arith.cmpi" => {
            let (before, rest) = line.split_once("arith.").unwrap();
            let (op, rest) = rest.split_once(' ').unwrap();
            let (predicate, rest) = rest.split_once(',').unwrap();
            format!("{before}{op} \"{predicate}\",{rest}")
        }
        "func.func" => line.replacen("func.func", "func", 1),
        "func.call" => line.replacen("func.call", "call", 1),
        "func.return" => line.replacen("func.return", "return", 1),
        op => match OPS.iter().find(|(new, _)| *new == op) {
            Some((new, old)) => line.replacen(new, old, 1),
            None => line.to_owned(),
        },
    }
}

fn combine(line: &str) -> String {
    let rank = line.split("!stencil.temp<").nth(1).unwrap().matches("?x").count();
    let (before, rest) = line.split_once("stencil.combine ").unwrap();
    let (dim, rest) = rest.split_once(' ').unwrap();
    let dim = rank - 1 - dim.parse::<usize>().unwrap();
    let (sides, results) = rest.rsplit_once(" : ").unwrap();
    let (sides, upper) = match sides.split_once(" upperext = ") {
        Some((sides, upper)) => (sides, format!(" upperext = ({upper})")),
        None => (sides, String::new()),
    };
    let (sides, lower) = match sides.split_once(" lowerext = ") {
        Some((sides, lower)) => (sides, format!(" lowerext = ({lower})")),
        None => (sides, String::new()),
    };
    format!("{before}stencil.combine {dim} {sides}{lower}{upper} : {results}")
}

/// Some ops of the standard dialect; the others are printed as today, which is read as well.
const OPS: [(&str, &str); 13] = [
    ("arith.constant", "constant"),
    ("arith.addf", "addf"),
    ("arith.subf", "subf"),
    ("arith.mulf", "mulf"),
    ("arith.divf", "divf"),
    ("arith.negf", "negf"),
    ("arith.select", "select"),
    ("arith.addi", "addi"),
    ("arith.index_cast", "index_cast"),
    ("arith.sitofp", "sitofp"),
    ("arith.extf", "fpext"),
    ("math.sqrt", "sqrt"),
    ("math.absf", "absf"),
];
