//! `test-print-fusion`: print which stages of each block could become kernels, and why.
//!
//! Before: applies with bounds.
//! After:  the same; printed to standard error for each block with applies: the stages with the
//!         planes that each keeps, their dependences, the log of the greedy fusion with its
//!         kernels, and the partition of least cost, with the gap between both.
//!
//! Why: the decisions can be read and tested apart from what carries them out. Planes are kept in
//! registers or shared memory by the rules of [Rawat et al., Domain-Specific Optimization and
//! Generation of High-Performance GPU Code for Stencil Computations, Proc. IEEE 2018]. The cost is
//! bytes moved, times `operations-per-byte`, and operations of f32. Limits are options, and without
//! them there are none. With `retimed` stages are in scatter form where they read one array off its
//! plane, as if all their sums could be re-ordered.
//! Requires bounds, names of stages, and loads in place. Refuses options that are no numbers or
//! rules. Does not change anything, and does not know a machine.

use super::{
    fusion_graph::{self, Stream},
    stages,
};
use crate::framework::{
    Anchor, OptionError, OptionValues, PassContext, PassInfo, PassResult, flag, integer, integers,
    refuse, text,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::fmt::Write;
use stencil_dialects::{attributes, ods::func, walk};
use stencil_fusion::{
    Effort, Graph, Limits, Options, ResourceMap, StageSet, Traffic,
    greedy::{self, parse_rules},
    optimal::Gap,
};

/// The table entry.
pub const FUSION: PassInfo = PassInfo {
    argument: "test-print-fusion",
    summary: "print which stages of each block could become kernels, and why",
    source: include_str!("fusion.rs"),
    anchor: Anchor::Module,
    options: &[
        integer("axis", "the dimension that is streamed", "0"),
        flag("retimed", "stages in scatter form where they can be", false),
        integer("plane-cells", "cells of a plane that a block keeps", "1"),
        integer("shared-bytes", "most shared memory of a block; -1 for no limit", "-1"),
        integer("register-bytes", "most bytes a thread keeps in registers; -1 for no limit", "-1"),
        integer("order", "highest order that stages may grow to; -1 for no limit", "-1"),
        text("rules", "rules of the greedy fusion by their letters", "abcdefg"),
        integers("tile", "points of a tile along each axis of the plane", ""),
        integer("operations-per-byte", "operations that take as long as a byte", "4"),
        integer("downsets", "downsets up to which the partition is exact", "16384"),
    ],
    statistics: &[],
    dialects: &[],
    run: print_fusion,
};

/// The options, read.
struct Settings {
    stream: Stream,
    fusion: Options,
    tile: Vec<u64>,
    operations_per_byte: u64,
    effort: Effort,
}

fn print_fusion(module: OperationRef, options: &OptionValues, _: &mut PassContext) -> PassResult {
    let settings = Settings::of(options);
    let settings = settings.map_err(|why| refuse(&module, why, "see the pass's options"))?;
    let mut page = String::new();
    let functions = walk::nested(module).into_iter();
    for function in functions.filter(|operation| walk::name(operation) == func::FUNC) {
        let name = function.attribute("sym_name").ok().and_then(attributes::string);
        for block in stages::blocks(function) {
            let rank = block.applies.iter().map(|apply| apply.rank()).max();
            if let Some(rank) = rank.filter(|rank| settings.stream.axis >= *rank) {
                let what =
                    format!("is of rank {rank}, and option 'axis' is the number of a dimension");
                return Err(refuse(&function, what, "see the pass's options"));
            }
            let _ = writeln!(page, "fusion in @{}:", name.as_deref().unwrap_or_default());
            match fusion_graph::of_block(&block, settings.stream) {
                Some(graph) => settings.print(&graph, &mut page),
                None => page.push_str("  too many stages\n"),
            }
        }
    }
    #[allow(clippy::print_stderr, reason = "it is what the pass is for")]
    {
        eprint!("{page}");
    }
    Ok(())
}

impl Settings {
    fn of(options: &OptionValues) -> Result<Self, String> {
        let number = |name: &str| options.integer(name).map_err(|why: OptionError| why.to_string());
        let limit = |name: &str| Ok::<_, String>(u64::try_from(number(name)?).ok());
        let least = |name: &str, least: u64| {
            let value = limit(name)?.filter(|value| *value >= least);
            value.ok_or_else(|| format!("option '{name}' is less than {least}"))
        };
        let limits = Limits {
            plane_cells: least("plane-cells", 1)?,
            shared_bytes_max: limit("shared-bytes")?,
            register_bytes_max: limit("register-bytes")?,
            order_max: limit("order")?,
        };
        let rules = parse_rules(options.text("rules"));
        let rules = rules.map_err(|why| format!("option 'rules': {why}"))?;
        let tile = options.integers("tile").map_err(|why| why.to_string())?;
        let tile = tile.into_iter().map(|extent| u64::try_from(extent).ok().filter(|it| *it > 0));
        let tile = tile.collect::<Option<_>>().ok_or("option 'tile' has an extent less than 1")?;
        let axis = least("axis", 0)? as usize;
        let effort = Effort { downsets_max: least("downsets", 0)? as usize, ..Effort::default() };
        Ok(Self {
            stream: Stream { axis, is_retimed: options.flag("retimed") },
            fusion: Options { rules, ..Options::new(limits) },
            tile,
            operations_per_byte: least("operations-per-byte", 1)?,
            effort,
        })
    }

    fn print(&self, graph: &Graph, page: &mut String) {
        for (number, stage) in graph.stages().iter().enumerate() {
            let (points, operations) = (stage.points, stage.operations);
            let order = graph.order(StageSet::single(number));
            let _ = writeln!(
                page,
                "  stage {}: {points} points, {operations} operations, order {order}",
                stage.name
            );
            let kept = ResourceMap::of_stage(graph, number).text(graph);
            let _ = writeln!(page, "    keeps {kept}");
        }
        print_dependences(graph, page);
        let fusion = greedy::fuse(graph, &self.fusion);
        for line in fusion.display(graph).to_string().lines() {
            let _ = writeln!(page, "  {line}");
        }
        for kernel in &fusion.kernels {
            let kept = kernel.map.text(graph);
            let _ = writeln!(page, "  greedy kernel {}: keeps {kept}", graph.names(kernel.stages));
        }
        let mut tile = self.tile.clone();
        tile.truncate(graph.plane_axes());
        let cost = Traffic {
            graph,
            limits: self.fusion.limits,
            tile,
            operations_per_byte: self.operations_per_byte,
        };
        let Some(gap) = Gap::of(graph, &fusion.groups(), &cost, self.effort) else { return };
        for group in &gap.best.groups {
            let (bytes, operations) = (cost.bytes(*group), cost.operations(*group));
            let name = graph.names(*group);
            let _ = writeln!(page, "  best kernel {name}: {bytes} bytes, {operations} operations");
        }
        let _ = writeln!(page, "  cost of greedy fusion: {gap}");
    }
}

fn print_dependences(graph: &Graph, page: &mut String) {
    for found in graph.dependences() {
        let [source, sink] = [found.source, found.sink].map(|it| &graph.stages()[it].name);
        let array = &graph.arrays()[found.array].name;
        let _ = write!(page, "  {} {source} to {sink}: {array}", found.kind);
        let _ = match found.kind.orders() {
            true => writeln!(page, ", {} planes", found.distance),
            false => writeln!(page),
        };
    }
    for apart in graph.apart() {
        let [one, two] = apart.stages.map(|stage| &graph.stages()[stage].name);
        let _ = writeln!(page, "  apart {one} and {two}: {}", apart.why);
    }
}
