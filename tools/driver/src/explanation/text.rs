//! An explanation for people.

use super::{
    Explanation, Note,
    changes::microseconds,
    sites::{Compared, SiteReport, Times},
};
use crate::devices;
use std::{collections::BTreeMap, fmt::Write};

/// Alternatives of a site that are shown unless all are asked for.
const SHOWN: usize = 8;

/// An explanation as text, with all alternatives or the fastest.
pub fn text(explanation: &Explanation, all: bool) -> String {
    let mut out = Lines::default();
    let Explanation { program, target, product, .. } = explanation;
    out.line("program", &format!("{program}, {target}; times are predicted for {}", product.name));
    if let Some(from) = product.derived_from {
        out.line("", &format!("by its data sheet, and by what kernels reach on an {from}"));
    }
    if !product.is_of_target {
        let of = product.architecture;
        out.line("", &format!("the chip is of {of}: limits are {target}'s, times {of}'s"));
    }
    for note in &explanation.decisions {
        out.note("fusion", note, " ");
    }
    for note in &explanation.unfit {
        out.note("no sweep", note, ": ");
    }
    for alike in alike(&explanation.sites) {
        out.0.push('\n');
        of_site(alike[0], all, &mut out);
        if let [_, others @ ..] = &alike[..]
            && !others.is_empty()
        {
            let names = others.iter().map(|site| site.name.as_str()).collect::<Vec<_>>();
            out.line("alike", &names.join(", "));
        }
    }
    for report in &explanation.devices {
        out.0.push('\n');
        for (heading, text) in devices::lines(report) {
            out.line(heading, &text);
        }
    }
    out.0
}

/// Sites, with those behind the first that have the same plan for the same reason.
fn alike(sites: &[SiteReport]) -> Vec<Vec<&SiteReport>> {
    let mut all = Vec::<Vec<&SiteReport>>::new();
    for site in sites {
        let is_alike = |other: &SiteReport| {
            let plan = |of: &SiteReport| of.chosen.plan.as_deref().map(keys).map(|it| it.join(","));
            let is_kernel = site.compared.is_empty() && other.compared.is_empty();
            is_kernel && plan(site) == plan(other) && site.chosen.why == other.chosen.why
        };
        match all.iter_mut().find(|group| is_alike(group[0])) {
            Some(group) => group.push(site),
            None => all.push(vec![site]),
        }
    }
    all
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    /// A line under a heading; lines of one heading are told apart by an empty one.
    fn line(&mut self, heading: &str, text: &str) {
        let _ = writeln!(self.0, "{}", format!("{heading:<9} {text}").trim_end());
    }

    fn note(&mut self, heading: &str, note: &Note, between: &str) {
        let Note { stage, location, text, .. } = note;
        let place = match stage {
            Some(stage) => format!("'{stage}' at {location}"),
            None => location.clone(),
        };
        self.line(heading, &format!("{place}{between}{text}"));
    }
}

fn of_site(site: &SiteReport, all: bool, out: &mut Lines) {
    let extents = site.extents.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
    let SiteReport { name, kind, function, location, chosen, .. } = site;
    out.line(
        kind_heading(kind),
        &format!("{name} in '{function}' at {location}: {extents} points"),
    );
    match &chosen.plan {
        Some(plan) => {
            out.line("chosen", plan);
            out.line("", &chosen.why);
        }
        None => {
            out.line("chosen", "a kernel for each statement");
            out.line("", &chosen.why);
        }
    }
    if let Some(why) = &chosen.unpredicted {
        out.line("", &format!("no time is predicted: {why}"));
    }
    if let Some(limit) = chosen.exceeded {
        let (needed, most) = (limit.needed, limit.most);
        out.line(
            "",
            &format!("it takes {needed} {}, and what is tried by default at most {most}", limit.of),
        );
    }
    if site.compared.is_empty() || site.untold > 0 {
        of_kernel(site, out);
    }
    if !site.compared.is_empty() {
        of_alternatives(site, all, out);
    }
    for (number, change) in site.changes.iter().enumerate() {
        let heading = if number == 0 { "change" } else { "" };
        out.line(heading, &change.text);
        out.line("", &format!("  {}", change.plan));
    }
    if !site.remainder.is_empty() {
        let kernels = site.remainder.join(", ");
        out.line("remainder", &format!("iterations that sweeps leave are made by {kernels}"));
    }
}

fn kind_heading(kind: &'static str) -> &'static str {
    match kind {
        "time loop" => "loop",
        other => other,
    }
}

/// What is known of a kernel: no estimate compares its plans.
fn of_kernel(site: &SiteReport, out: &mut Lines) {
    if let (Some(by_itself), false) = (site.by_itself_us, site.weighed.is_empty()) {
        let of = |(steps, us): &(u32, f64)| format!("{steps} steps {}", microseconds(us * 1e3));
        let swept = site.weighed.iter().map(of).collect::<Vec<_>>().join(", ");
        let by_itself = microseconds(by_itself * 1e3);
        out.line("compared", &format!("a step of a sweep of {swept}; by itself {by_itself}"));
    }
    let Times { us, memory_us, issue_us, arithmetic_us, launch_us, busiest, .. } = site.apart;
    let [us, memory, issue, arithmetic, launch] =
        [us, memory_us, issue_us, arithmetic_us, launch_us].map(|it| microseconds(it * 1e3));
    let issue = match is_of_pipes(&site.apart) {
        true => format!("{issue}, arithmetic {arithmetic}"),
        false => issue,
    };
    let terms = format!("memory {memory}, issue {issue}, launch {launch}");
    let what =
        format!("{us} with mapping thread, whatever the plan: {terms}; it waits for {busiest}");
    out.line("estimate", &what);
    let tried = match site.untold {
        0 => String::new(),
        count => format!("; {count} could be measured"),
    };
    let which = if site.compared.is_empty() { "its" } else { "these" };
    out.line("", &format!("no estimate tells {which} plans apart{tried}"));
}

/// The table of what was compared, and what does not fit.
fn of_alternatives(site: &SiteReport, all: bool, out: &mut Lines) {
    let (fitting, others): (Vec<_>, Vec<_>) =
        site.compared.iter().partition(|row| row.predicted.is_some());
    let count = site.compared.len();
    match site.is_compared {
        true => out.line("compared", &format!("{count} plans, of which {} fit", fitting.len())),
        false if all => out.line("possible", &format!("{count} plans, which were not compared")),
        false => {
            let what = "plans, which were not compared: --all shows what is predicted of them";
            out.line("possible", &format!("{count} {what}"));
            return;
        }
    }
    let short = Short::of(&site.compared);
    if !short.common.is_empty() {
        out.line("", &format!("all sweeps have {}", short.common.join(",")));
    }
    let is_shown = |(place, row): &(usize, &&Compared)| all || *place < SHOWN || row.is_chosen;
    let shown = fitting.iter().enumerate().filter(is_shown).map(|(_, row)| *row);
    let shown = shown.collect::<Vec<_>>();
    out.0.push_str(&table(&shown, &short));
    let hidden = fitting.len() - shown.len();
    if hidden > 0 {
        let slower = fitting.last().and_then(|row| row.slower_percent);
        let slower = slower.map_or(String::new(), |most| format!(", up to {most:.0} % slower"));
        out.line("", &format!("and {hidden} more{slower}: --all"));
    }
    let groups = misfits(&others);
    for (number, (text, plans)) in groups.into_iter().enumerate() {
        out.line(if number == 0 { "excluded" } else { "" }, &text);
        for row in plans.into_iter().filter(|_| all) {
            let exceeded = row.exceeded.map_or(String::new(), |it| format!(": {}", it.needed));
            out.line("", &format!("  {}{exceeded}", short.of_plan(row)));
        }
    }
}

/// Plans as they are told apart.
#[derive(Default)]
struct Short {
    /// Keys that all sweeps have.
    common: Vec<String>,
    /// Whether sweeps differ in their steps, of which one is a default.
    has_steps: bool,
}

impl Short {
    fn of(rows: &[Compared]) -> Self {
        let sweeps = rows.iter().filter(|row| row.is_candidate && !is_thread(row));
        let mut sweeps = sweeps.map(|row| keys(&row.plan));
        let Some(first) = sweeps.next() else { return Self::default() };
        let rest = sweeps.collect::<Vec<_>>();
        let in_all = |key: &&str| !rest.is_empty() && rest.iter().all(|keys| keys.contains(key));
        let common = first.iter().filter(|key| in_all(key)).map(|key| (*key).to_owned());
        let has_steps = rows.iter().any(|row| row.plan.contains("steps="));
        Self { common: common.collect(), has_steps }
    }

    fn of_plan(&self, row: &Compared) -> String {
        if !row.is_candidate {
            return "as given".to_owned();
        }
        if is_thread(row) {
            return "mapping=thread: a kernel for each statement".to_owned();
        }
        let keys = keys(&row.plan);
        let own = keys.into_iter().filter(|key| !self.common.iter().any(|it| it == key));
        let mut own = own.collect::<Vec<_>>();
        if self.has_steps && !row.plan.contains("steps=") {
            own.push("steps=1");
            own.sort_unstable();
        }
        own.join(",")
    }
}

/// The keys of a plan for one name.
fn keys(plan: &str) -> Vec<&str> {
    plan.split_once(':').map_or(plan, |(_, keys)| keys).split(',').collect()
}

fn is_thread(row: &Compared) -> bool {
    keys(&row.plan) == ["mapping=thread"]
}

const HEADS: [&str; 11] = [
    "us",
    "memory",
    "issue",
    "arithmetic",
    "exchange",
    "redundancy",
    "fill",
    "launch",
    "busiest",
    "",
    "plan",
];
/// The column that is shown only where pipes are busier than issue.
const ARITHMETIC: usize = 3;
/// Columns of words, which begin below each other.
const WORDS: [usize; 3] = [8, 9, 10];

/// Whether the pipes for floating-point numbers are busier than the issue of instructions.
fn is_of_pipes(times: &Times) -> bool {
    times.arithmetic_us > times.issue_us
}

fn table(rows: &[&Compared], short: &Short) -> String {
    let cells = rows.iter().map(|row| {
        let times = row.predicted.expect("rows with times are shown");
        let number = |us: f64| match us {
            _ if us < 9.995 => format!("{us:.2}"),
            _ => format!("{us:.1}"),
        };
        [
            number(times.us),
            number(times.memory_us),
            number(times.issue_us),
            number(times.arithmetic_us),
            format!("{:.0} %", times.exchange_percent),
            format!("{:.2}", times.redundancy),
            format!("{:.2}", times.fill),
            number(times.launch_us),
            times.busiest.to_owned(),
            row.why_not.clone(),
            short.of_plan(row),
        ]
    });
    let heads = HEADS.map(str::to_owned);
    let lines = std::iter::once(heads).chain(cells).collect::<Vec<_>>();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let is_shown = |column: &usize| {
        let is_of_pipes = |row: &&Compared| row.predicted.is_some_and(|it| is_of_pipes(&it));
        *column != ARITHMETIC || rows.iter().any(is_of_pipes)
    };
    let widths: [usize; 11] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for line in &lines {
        let shown = (0..HEADS.len()).filter(is_shown);
        let cells = shown.map(|column| {
            let (cell, width) = (&line[column], widths[column]);
            match WORDS.contains(&column) {
                true => format!("  {cell:<width$}"),
                false => format!("  {cell:>width$}"),
            }
        });
        let _ = writeln!(text, "        {}", cells.collect::<String>().trim_end());
    }
    text
}

/// What does not fit, by the reason, with the range of what is needed.
fn misfits<'r>(rows: &[&'r Compared]) -> Vec<(String, Vec<&'r Compared>)> {
    let mut groups = BTreeMap::<(&str, i64), Vec<&Compared>>::new();
    for row in rows {
        let key = row.exceeded.map_or((row.why_not.as_str(), 0), |limit| (limit.of, limit.most));
        groups.entry(key).or_default().push(row);
    }
    let group = |((of, most), plans): ((&str, i64), Vec<&'r Compared>)| {
        let count = match plans.len() {
            1 => "1 plan".to_owned(),
            many => format!("{many} plans"),
        };
        let needed = plans.iter().filter_map(|row| Some(row.exceeded?.needed));
        let text = match (needed.clone().min(), needed.max()) {
            (Some(least), Some(largest)) if least == largest => {
                format!("{count}: {least} {of}, at most {most}")
            }
            (Some(least), Some(largest)) => {
                format!("{count}: {least} to {largest} {of}, at most {most}")
            }
            _ => format!("{count}: {of}"),
        };
        (text, plans)
    };
    groups.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::sites::{Chosen, Limit},
        *,
    };
    use stencil_passes::strategy::space::LoopSide;

    fn times(us: f64) -> Times {
        Times {
            us,
            sweep_us: us,
            memory_us: us,
            issue_us: 1.0,
            arithmetic_us: 0.5,
            exchange_percent: 25.0,
            redundancy: 1.5,
            fill: 1.0,
            launch_us: 1.05,
            busiest: "memory",
        }
    }

    fn row(plan: &str, us: Option<f64>, needed: Option<i64>) -> Compared {
        let limit = |needed| Limit { of: "registers per thread for planes", needed, most: 65 };
        Compared {
            plan: plan.to_owned(),
            is_chosen: false,
            is_candidate: true,
            predicted: us.map(times),
            slower_percent: us.map(|us| us - 100.0),
            why_not: "why".to_owned(),
            exceeded: needed.map(limit),
        }
    }

    fn site(compared: Vec<Compared>) -> SiteReport {
        SiteReport {
            name: "loop".to_owned(),
            kind: "time loop",
            side: LoopSide::Within,
            function: "f".to_owned(),
            location: "f.mlir:1:2".to_owned(),
            extents: vec![64, 32],
            chosen: Chosen {
                plan: Some("loop:mapping=block".to_owned()),
                why: "fastest".to_owned(),
                predicted: None,
                unpredicted: None,
                exceeded: None,
            },
            apart: times(5.0),
            compared,
            is_compared: true,
            weighed: Vec::new(),
            by_itself_us: None,
            untold: 0,
            changes: Vec::new(),
            remainder: Vec::new(),
        }
    }

    #[test]
    fn plans_are_told_apart_by_the_keys_that_differ() {
        let rows = [
            row("loop:mapping=thread", Some(1.0), None),
            row("loop:mapping=block,points=1x2x1,reads=queue", Some(1.0), None),
            row("loop:mapping=block,points=1x2x2,reads=queue,steps=2", Some(1.0), None),
        ];
        let short = Short::of(&rows);
        assert_eq!(short.common, ["mapping=block", "reads=queue"]);
        let plans = rows.each_ref().map(|row| short.of_plan(row));
        let apart = "mapping=thread: a kernel for each statement";
        assert_eq!(plans, [apart, "points=1x2x1,steps=1", "points=1x2x2,steps=2"]);
        // A group makes one step, and its plans do not say so.
        let short = Short::of(&rows[..2]);
        assert_eq!(short.of_plan(&rows[1]), "mapping=block,points=1x2x1,reads=queue");
    }

    #[test]
    fn the_fastest_are_shown_and_the_rest_is_counted() {
        let rows =
            (0..12).map(|at| row(&format!("loop:steps={at}"), Some(100.0 + at as f64), None));
        let mut site = site(rows.collect());
        site.compared[10].is_chosen = true;
        let shown = |all| {
            let mut out = Lines::default();
            of_site(&site, all, &mut out);
            out.0
        };
        let text = shown(false);
        assert!(text.contains("and 3 more, up to 11 % slower: --all\n"), "{text}");
        assert!(text.contains("steps=7\n") && !text.contains("steps=8\n"), "{text}");
        // The chosen one is shown wherever it is.
        assert!(text.contains("steps=10\n") && !text.contains("steps=11\n"), "{text}");
        assert!(shown(true).contains("steps=11\n") && !shown(true).contains("more"));
    }

    #[test]
    fn what_exceeds_a_limit_is_counted_with_both_numbers() {
        let rows = [row("a", None, Some(70)), row("b", None, Some(90)), row("c", None, None)];
        let groups = misfits(&rows.iter().collect::<Vec<_>>());
        let texts = groups.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>();
        let planes = "2 plans: 70 to 90 registers per thread for planes, at most 65";
        assert_eq!(texts, [planes, "1 plan: why"]);
    }

    #[test]
    fn kernels_with_the_same_plan_for_the_same_reason_are_one() {
        let kernel = |name: &str, plan: &str| {
            let mut kernel = site(Vec::new());
            kernel.name = name.to_owned();
            kernel.chosen.plan = Some(format!("{name}:{plan}"));
            kernel
        };
        let sites = [kernel("a", "points=4"), kernel("b", "points=1"), kernel("c", "points=4")];
        let names = alike(&sites)
            .into_iter()
            .map(|group| group.iter().map(|site| site.name.clone()).collect::<Vec<_>>().join(" "));
        assert_eq!(names.collect::<Vec<_>>(), ["a c", "b"]);
        // Loops are shown each by itself.
        let loops = [site(vec![row("a", None, None)]), site(vec![row("a", None, None)])];
        assert_eq!(alike(&loops).len(), 2);
    }
}
