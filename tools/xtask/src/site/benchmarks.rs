//! The page of benchmarks: our results beside every peer, from the files of `tools/bench`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repository::Repository;

/// Files of results of the papers' kernels, of which the fastest line of a kernel and type counts.
const KERNELS: &[&str] =
    &["tools/bench/baselines/h200.jsonl", "tools/bench/baselines/h200-once.jsonl"];
const APPLICATIONS: &str = "tools/bench/baselines/h200-applications.jsonl";
const PEERS: &str = "tools/bench/peers/h200.jsonl";
const SYSTEMS: &str = "tools/bench/peers/systems.jsonl";
/// Of results: CUDA written by hand, which is a peer.
const BY_HAND: &str = "nvcc";

/// A rate in 10^9 points in a second, and the time steps that a kernel makes at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rate {
    gpts: f64,
    steps: Option<u64>,
}

/// Rates by kernel and type.
type Rates = BTreeMap<(String, String), Rate>;

/// All files of results.
pub fn results() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().copied().chain([APPLICATIONS])
}

/// The text of the page.
pub fn page(repository: &Repository) -> Result<String> {
    let systems = lines(&repository.read(SYSTEMS)?)?;
    let peers = lines(&repository.read(PEERS)?)?;
    let mut text = String::from(HEAD);
    text += "\n## Kernels of the papers\n";
    let mut ours = Vec::new();
    for file in KERNELS {
        ours.extend(lines(&repository.read(file)?)?);
    }
    text += &beside_peers(&ours, &peers, &systems)?;
    text += "\n## Applications\n\nWhole programs of several unknowns and statements with default \
             plans; peers have not been measured with them.\n";
    let applications = lines(&repository.read(APPLICATIONS)?)?;
    text += &alone(&applications)?;
    text += "\n## What was compared\n\n";
    let chip = word(ours.first().context("there are results")?, "chip")?;
    let dates = ours.iter().chain(&applications).map(|line| word(line, "date"));
    let dates = dates.collect::<Result<BTreeSet<_>>>()?.into_iter().collect::<Vec<_>>().join(", ");
    text += &format!(
        "All numbers of ours and of the peers are from one chip, an {chip}, ours of {dates}.\n\n"
    );
    text += "| system | what ran | compiler | domain | how it was measured |\n";
    text += "| --- | --- | --- | --- | --- |\n";
    for system in &systems {
        let columns = ["name", "what", "compiler", "domain", "protocol"];
        let cells: Result<Vec<_>> = columns.iter().map(|key| word(system, key)).collect();
        text += &format!("| {} |\n", cells?.join(" | "));
    }
    text += TAIL;
    Ok(text)
}

const HEAD: &str = "# Benchmarks\n\n\
    Rates in 10^9 points in a second (GPt/s): a point is one grid point updated by one time step. \
    `T` is the number of time steps that one kernel makes at once. Every result of ours was \
    compared with plain kernels, bit for bit, in the run that measured it. `ratio` is ours over \
    the best peer; a peer without a number was not run with that kernel, or its result was wrong. \
    The fastest plan that is known counts for the kernels of the papers, the compiler's own for \
    applications. Sums may be reordered and parts of them shared, as the papers' kernels permit; \
    peers that tile in time chose their own domains and numbers of steps.\n";
const TAIL: &str = "\n## Plots\n\n\
    ![bars, f64](benchmarks/bars-nvidia-h200-f64.svg)\n\n\
    ![bars, f32](benchmarks/bars-nvidia-h200-f32.svg)\n\n\
    ![roofline, f64](benchmarks/roofline-nvidia-h200-f64.svg)\n\n\
    ![roofline, f32](benchmarks/roofline-nvidia-h200-f32.svg)\n\n\
    The protocol, and what every column of the full tables means, is in \
    [tools/bench](tools/bench/README.md).\n";

fn lines(text: &str) -> Result<Vec<Value>> {
    text.lines().map(|line| serde_json::from_str(line).context("a line is an object")).collect()
}

fn word(line: &Value, key: &str) -> Result<String> {
    line[key].as_str().map(str::to_owned).with_context(|| format!("a line has no '{key}': {line}"))
}

/// The fastest verified line of each kernel and type.
fn best<'a>(lines: impl Iterator<Item = &'a Value>, steps: &str) -> Result<Rates> {
    let mut found = Rates::new();
    for line in lines {
        let key = (word(line, "kernel")?, word(line, "type")?);
        let gpts = line["gpts"].as_f64().with_context(|| format!("no rate in {line}"))?;
        if line["verified"].as_bool() == Some(false) {
            bail!("a result is not verified: {line}");
        }
        let rate = Rate { gpts, steps: line[steps].as_u64() };
        let kept = found.entry(key).or_insert(rate);
        if kept.gpts < gpts {
            *kept = rate;
        }
    }
    Ok(found)
}

fn beside_peers(ours: &[Value], peers: &[Value], systems: &[Value]) -> Result<String> {
    let own = best(ours.iter().filter(|line| line["version"] != BY_HAND), "fused")?;
    let mut columns = Vec::new();
    for system in systems {
        let of_system = peers.iter().filter(|line| line["system"] == system["system"]);
        columns.push((word(system, "name")?, best(of_system, "steps")?));
    }
    let mut text = String::new();
    for element in ["f64", "f32"] {
        let names = columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        text +=
            &format!("\n### {element}\n\n| kernel | ours | T | {} | ratio |\n", names.join(" | "));
        text += &format!("| --- | ---: | ---: | {}---: |\n", "---: | ".repeat(names.len()));
        for kernel in in_order(ours, element)? {
            let key = (kernel.clone(), element.to_owned());
            let Some(rate) = own.get(&key) else { continue };
            // The peers measured one of the two programs that papers call hypterm.
            let theirs = kernel.strip_suffix("-ppopp").unwrap_or(&kernel).to_owned();
            let peer_key = (theirs, element.to_owned());
            let others = columns.iter().map(|(_, rates)| rates.get(&peer_key).copied());
            let fastest = others.clone().flatten().map(|it| it.gpts).fold(0.0, f64::max);
            let cells = others.map(|it| it.map_or("-".to_owned(), |it| number(it.gpts)));
            let cells = cells.collect::<Vec<_>>().join(" | ");
            let ratio =
                if fastest > 0.0 { format!("{:.2}", rate.gpts / fastest) } else { "-".into() };
            let steps = rate.steps.map_or("-".to_owned(), |it| it.to_string());
            text +=
                &format!("| {kernel} | {} | {steps} | {cells} | {ratio} |\n", number(rate.gpts));
        }
    }
    Ok(text)
}

fn alone(ours: &[Value]) -> Result<String> {
    let own = best(ours.iter().filter(|line| line["version"] != BY_HAND), "fused")?;
    let mut text =
        "\n| program | f64 | T | f32 | T |\n| --- | ---: | ---: | ---: | ---: |\n".to_owned();
    for kernel in in_order(ours, "f64")? {
        let cells = ["f64", "f32"].map(|element| {
            let rate = own.get(&(kernel.clone(), element.to_owned()));
            let steps = rate.and_then(|it| it.steps).map_or("-".to_owned(), |it| it.to_string());
            format!("{} | {steps}", rate.map_or("-".to_owned(), |it| number(it.gpts)))
        });
        text += &format!("| {kernel} | {} |\n", cells.join(" | "));
    }
    Ok(text)
}

/// Kernels in the order of the file.
fn in_order(lines: &[Value], element: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for line in lines.iter().filter(|line| line["type"] == element) {
        let kernel = word(line, "kernel")?;
        if !found.contains(&kernel) {
            found.push(kernel);
        }
    }
    Ok(found)
}

/// Three digits.
fn number(gpts: f64) -> String {
    match gpts {
        _ if gpts >= 99.95 => format!("{gpts:.0}"),
        _ if gpts >= 9.995 => format!("{gpts:.1}"),
        _ => format!("{gpts:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_of_ours_stands_beside_every_peer() {
        let ours = lines(
            "{\"kernel\":\"k\",\"type\":\"f64\",\"version\":\"plain\",\"gpts\":50,\"fused\":1}\n\
             {\"kernel\":\"k\",\"type\":\"f64\",\"version\":\"plain\",\"gpts\":200,\"fused\":4}\n\
             {\"kernel\":\"k\",\"type\":\"f64\",\"version\":\"nvcc\",\"gpts\":900,\"fused\":1}",
        );
        let peers =
            lines("{\"kernel\":\"k\",\"type\":\"f64\",\"system\":\"a\",\"gpts\":80.0,\"steps\":2}");
        let systems = lines("{\"system\":\"a\",\"name\":\"A\"}\n{\"system\":\"b\",\"name\":\"B\"}");
        let text = beside_peers(&ours.unwrap(), &peers.unwrap(), &systems.unwrap()).unwrap();
        assert!(text.contains("| kernel | ours | T | A | B | ratio |"), "{text}");
        assert!(text.contains("| k | 200 | 4 | 80.0 | - | 2.50 |"), "{text}");
    }

    #[test]
    fn a_result_that_is_not_verified_is_refused() {
        let line =
            lines("{\"kernel\":\"k\",\"type\":\"f64\",\"gpts\":1,\"verified\":false}").unwrap();
        assert!(best(line.iter(), "fused").is_err());
    }

    #[test]
    fn the_page_of_the_repository_has_every_peer() {
        let text = page(&Repository::find().unwrap()).unwrap();
        for wanted in ["STENCILGEN", "EBISU", "AN5D", "j3d27pt", "gray-scott3d", "NVIDIA H200"] {
            assert!(text.contains(wanted), "{wanted}");
        }
        let line = text.lines().find(|line| line.starts_with("| hypterm-ppopp |")).unwrap();
        assert!(!line.ends_with("| - |"), "{line}");
    }
}
