//! Changes of programs as text.

/// The first number after a word, which is the name of a constant, with this name.
pub fn constant_after<'t>(text: &'t str, word: &str) -> Option<(&'t str, i64)> {
    let (_, rest) = text.split_once(&format!(" {word} "))?;
    let (name, _) = rest.split_once(' ')?;
    let (_, rest) = text.split_once(&format!(" {name} = arith.constant "))?;
    Some((name, rest.split(' ').next()?.parse().ok()?))
}

/// A program whose time loop makes more iterations, if their number is a constant.
pub fn longer(text: &str, more: i64) -> String {
    let Some((name, end)) = constant_after(text, "to") else { return text.to_owned() };
    let definition = |end: i64| format!(" {name} = arith.constant {end} ");
    text.replacen(&definition(end), &definition(end + more), 1)
}

/// A program whose time loop is followed by copies of its fields to the memory in which the loop
/// began with them, as programs end whose fields have to be in their places after any number of
/// steps. One without such a loop stays as it is.
pub fn returned(text: &str) -> String {
    added(text).unwrap_or_else(|| text.to_owned())
}

fn added(text: &str) -> Option<String> {
    let (before, rest) = text.split_once(" iter_args(")?;
    let (carried, rest) = rest.split_once(')')?;
    let (types, body) = rest.split_once("-> (")?.1.split_once(") {\n")?;
    let head = &before[before.rfind('\n')? + 1..];
    let results = head.trim_start().split(" = ").next()?;
    let indent = &head[..head.len() - head.trim_start().len()];
    let end = format!("\n{indent}}}\n");
    let fields = carried.split(", ").zip(types.split(", ")).enumerate();
    let fields = fields.filter_map(|(slot, (names, r#type))| {
        let (_, initial) = names.split_once(" = ")?;
        let result = match results.split_once(':') {
            Some((name, _)) => format!("{name}#{slot}"),
            None => results.split(", ").nth(slot)?.to_owned(),
        };
        let (temp, bounds) = of_field(text, r#type)?;
        let load = format!("{indent}%back{slot} = stencil.load {result} : {type} -> {temp}\n");
        let to = format!("{initial}({bounds}) : {temp} to {type}");
        Some((load, format!("{indent}stencil.store %back{slot} to {to}\n")))
    });
    let (loads, stores): (String, String) = fields.unzip();
    let at = text.len() - body.len() + body.find(&end)? + end.len();
    Some(format!("{}{loads}{stores}{}", &text[..at], &text[at..]))
}

/// The type of temps of a field, and its bounds as a store writes them; none of other types.
fn of_field(text: &str, r#type: &str) -> Option<(String, String)> {
    let alias = format!("{type} = ");
    let defined = text.lines().find_map(|line| line.strip_prefix(&alias)).unwrap_or(r#type);
    let dimensions = defined.strip_prefix("!stencil.field<")?.strip_suffix('>')?;
    let (ranges, element) = dimensions.rsplit_once('x')?;
    let ranges =
        ranges.split('x').map(|range| range.strip_prefix('[')?.strip_suffix(']')?.split_once(','));
    let ranges = ranges.collect::<Option<Vec<_>>>()?;
    let list =
        |of: fn(&(&str, &str)) -> String| ranges.iter().map(of).collect::<Vec<_>>().join(", ");
    let (lower, upper) = (list(|it| it.0.to_owned()), list(|it| it.1.to_owned()));
    let temp = format!("!stencil.temp<{}{element}>", "?x".repeat(ranges.len()));
    Some((temp, format!("<[{lower}], [{upper}]>")))
}
