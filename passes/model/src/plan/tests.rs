//! Plans in and out of trees, and legality on both sides of every limit.

use super::schema::{Kind, SCHEMA};
use super::*;
use crate::target::Architecture;
use std::collections::BTreeMap;

fn tree(entries: &[(&str, PlanValue)]) -> BTreeMap<String, PlanValue> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn refused(key: &str, value: PlanValue) -> String {
    PlanKeys::from_tree(&tree(&[(key, value)])).unwrap_err().to_string()
}

fn word(text: &str) -> PlanValue {
    PlanValue::Text(text.to_owned())
}

fn legal(plan: &PlanKeys, domain: &[u64]) -> Result<(), String> {
    let target = Architecture::parse("sm_90a").unwrap();
    plan.check(target, domain).map(|_| ()).map_err(|error| error.to_string())
}

fn with_threads(threads: &[u32]) -> PlanKeys {
    PlanKeys { threads: threads.to_vec(), ..PlanKeys::default() }
}

#[test]
fn the_empty_tree_is_the_default_plan() {
    assert_eq!(PlanKeys::from_tree(&BTreeMap::new()).unwrap(), PlanKeys::default());
    assert_eq!(PlanKeys::default().to_tree(), BTreeMap::new());
    assert_eq!(PlanKeys::default().to_string(), "");
}

#[test]
fn a_full_plan_survives_the_round_trip() {
    let plan = PlanKeys {
        threads: vec![1, 4, 32],
        points: vec![2, 1, 1],
        alignment_offset: Some(1),
        max_registers: Some(64),
        min_blocks: 2,
        ..PlanKeys::default()
    };
    let tree = plan.to_tree();
    assert_eq!(PlanKeys::from_tree(&tree).unwrap(), plan);
    assert_eq!(
        plan.to_string(),
        "alignment_offset = 1, mapping = \"thread\", max_registers = 64, min_blocks = 2, \
         points = [2, 1, 1], threads = [1, 4, 32]"
    );
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(
        json,
        concat!(
            r#"{"alignment_offset":1,"mapping":"thread","max_registers":64,"min_blocks":2,"#,
            r#""points":[2,1,1],"threads":[1,4,32]}"#
        )
    );
    assert_eq!(serde_json::from_str::<PlanKeys>(&json).unwrap(), plan);
}

#[test]
fn defaults_are_elided_also_where_they_were_written() {
    let written = tree(&[
        ("mapping", word("thread")),
        ("min_blocks", PlanValue::Integer(1)),
        ("points", PlanValue::Integers(vec![1, 1])),
        ("threads", PlanValue::Integers(vec![8, 32])),
    ]);
    let plan = PlanKeys::from_tree(&written).unwrap();
    // One point everywhere is a decision, no points at all is none; a decided plan has a mapping.
    let kept = [
        ("mapping", word("thread")),
        ("points", PlanValue::Integers(vec![1, 1])),
        ("threads", PlanValue::Integers(vec![8, 32])),
    ];
    assert_eq!(plan.to_tree(), tree(&kept));
    let open = PlanKeys { threads: Vec::new(), ..plan };
    assert_eq!(open.to_tree(), tree(&kept[1..2]));
}

#[test]
fn every_key_of_the_schema_is_sorted_documented_and_goes_in_and_out() {
    assert!(SCHEMA.windows(2).all(|pair| pair[0].name < pair[1].name));
    for key in SCHEMA {
        assert!(key.doc.ends_with('.'), "{}", key.name);
        let value = match key.kind {
            Kind::Word(words) => {
                // What follows says when another one holds.
                assert!(key.default().unwrap().starts_with(&format!("{:?}", words[0])));
                word(words.last().unwrap())
            }
            // An end of the range that is no default.
            Kind::Integer { least, most } => {
                PlanValue::Integer(i64::from(if key.default() == Some(most.to_string()) {
                    least
                } else {
                    most
                }))
            }
            Kind::PerDimension { most, .. } => PlanValue::Integers(vec![i64::from(most)]),
        };
        let tree = tree(&[(key.name, value), ("mapping", word("warp"))]);
        let back = PlanKeys::from_tree(&tree).unwrap().to_tree();
        assert_eq!(back.get(key.name), tree.get(key.name), "{}", key.name);
    }
}

#[test]
fn unknown_keys_are_refused_with_the_nearest_known_one() {
    assert_eq!(
        refused("thread", PlanValue::Integer(1)),
        "plan key 'thread' is unknown, did you mean 'threads'?"
    );
    assert_eq!(
        refused("max_register", PlanValue::Integer(1)),
        "plan key 'max_register' is unknown, did you mean 'max_registers'?"
    );
    let known = SCHEMA.iter().map(|key| key.name).collect::<Vec<_>>().join(", ");
    assert_eq!(
        refused("colour", PlanValue::Integer(1)),
        format!("plan key 'colour' is unknown, known keys are {known}")
    );
    assert!(refused("", PlanValue::Integer(1)).contains("known keys are"));
}

#[test]
fn wrong_kinds_are_refused_with_what_the_key_takes() {
    assert_eq!(
        refused("threads", PlanValue::Integer(32)),
        "plan key 'threads' takes a list of integers in 1..=1024, one per dimension, \
         not an integer (32)"
    );
    assert_eq!(
        refused("min_blocks", word("two")),
        "plan key 'min_blocks' takes an integer in 1..=32, not a word (\"two\")"
    );
    assert_eq!(
        refused("mapping", PlanValue::Integers(vec![1])),
        format!(
            "plan key 'mapping' takes one of the words {}, not a list of integers ([1])",
            Mapping::WORDS.join(", ")
        )
    );
    assert_eq!(
        refused("mapping", word("lane")),
        format!(
            "plan key 'mapping' is \"lane\", which is none of \"{}\"",
            Mapping::WORDS.join("\", \"")
        )
    );
}

#[test]
fn ranges_hold_on_both_sides() {
    for (least, most, key) in [(16, 255, "max_registers"), (1, 32, "min_blocks"), (1, 64, "splits")]
    {
        for inside in [least, most] {
            assert!(PlanKeys::from_tree(&tree(&[(key, PlanValue::Integer(inside))])).is_ok());
        }
        for outside in [least - 1, most + 1, i64::MIN, i64::MAX] {
            assert_eq!(
                refused(key, PlanValue::Integer(outside)),
                format!("plan key '{key}' is {outside}, outside {least}..={most}")
            );
        }
    }
    assert_eq!(
        refused("points", PlanValue::Integers(vec![1, 65, 1])),
        "plan key 'points' is 65, outside 1..=64"
    );
    assert_eq!(
        refused("threads", PlanValue::Integers(vec![])),
        "plan key 'threads' has 0 entries, a domain has 1 to 3 dimensions"
    );
    assert!(refused("threads", PlanValue::Integers(vec![1; 4])).contains("has 4 entries"));
}

#[test]
fn lists_of_one_plan_have_one_rank() {
    let mixed = tree(&[
        ("points", PlanValue::Integers(vec![2])),
        ("threads", PlanValue::Integers(vec![8, 32])),
    ]);
    assert_eq!(
        PlanKeys::from_tree(&mixed).unwrap_err().to_string(),
        "plan key 'points' has 1 entries for 2 dimensions"
    );
}

#[test]
fn json_with_an_unknown_key_is_refused_with_the_same_words() {
    let error = serde_json::from_str::<PlanKeys>(r#"{"thread": [1]}"#).unwrap_err().to_string();
    assert!(error.contains("did you mean 'threads'?"), "{error}");
}

#[test]
fn an_undecided_plan_is_not_legal() {
    assert_eq!(
        legal(&PlanKeys::default(), &[64]).unwrap_err(),
        "plan key 'threads' is missing and has no default, run plan selection first or write it"
    );
    assert_eq!(
        legal(&with_threads(&[32]), &[64, 64]).unwrap_err(),
        "plan key 'threads' has 1 entries for 2 dimensions"
    );
}

#[test]
fn a_key_that_a_mapping_has_no_means_for_is_refused() {
    let thread = PlanKeys { steps: 2, ..with_threads(&[32]) };
    assert_eq!(
        legal(&thread, &[64]).unwrap_err(),
        "plan key 'steps' has no effect with mapping \"thread\", only with mappings that sweep, \
         as warp"
    );
    let warp = PlanKeys { mapping: Mapping::Warp, ..thread };
    assert_eq!(legal(&warp, &[64]), Ok(()));
    let aligned = PlanKeys { alignment_offset: Some(1), ..warp.clone() };
    assert_eq!(
        legal(&aligned, &[64]).unwrap_err(),
        "plan key 'alignment_offset' has no effect with mapping \"warp\", only with thread"
    );
    let depth = PlanKeys { ring: Some(4), ..warp };
    assert_eq!(
        legal(&depth, &[64]).unwrap_err(),
        "plan key 'ring' goes with loads = \"ring\" or \"halo\": write both or none"
    );
}

#[test]
fn all_that_is_wrong_with_a_plan_is_said_at_once() {
    let plan = PlanKeys { prefetch: 2, vector: 3, steps: 2, ..with_threads(&[2048]) };
    assert_eq!(
        legal(&plan, &[64]).unwrap_err(),
        "the plan is wrong for 4 reasons: \
         (1) plan key 'steps' has no effect with mapping \"thread\", only with mappings that \
         sweep, as warp; \
         (2) plan key 'prefetch' goes with block_steps > 1: write both or none; \
         (3) plan key 'vector' cannot be 3: words of memory are 1, 2 or 4 values, and a thread \
         has 1 along the fastest dimension; take a power of two that divides the last entry of \
         `points`; (4) plan needs 2048 threads per block, sm_90a has at most 1024"
    );
    let entries = [("ring", PlanValue::Integer(99)), ("rings", PlanValue::Integer(2))];
    assert_eq!(
        PlanKeys::from_tree(&tree(&entries)).unwrap_err().to_string(),
        "the plan is wrong for 2 reasons: (1) plan key 'ring' is 99, outside 2..=16; (2) plan key \
         'rings' is unknown, did you mean 'ring'?"
    );
}

#[test]
fn code_of_a_thread_is_bounded() {
    let points = |points: &[u32]| PlanKeys { points: points.to_vec(), ..with_threads(&[1, 1, 32]) };
    assert!(legal(&points(&[16, 16, 4]), &[64, 64, 64]).is_ok());
    assert_eq!(
        legal(&points(&[64, 64, 64]), &[64, 64, 64]).unwrap_err(),
        "plan key 'points' cannot be 64x64x64: a thread would compute 262144 points one after the \
         other, and its code with them; take at most 1024"
    );
}

#[test]
fn rules_are_about_keys_that_there_are() {
    for rule in super::rules::RULES {
        assert!(rule.text.ends_with('.') && rule.keys.len() > 1, "{}", rule.text);
        for key in rule.keys {
            assert!(SCHEMA.iter().any(|known| known.name == *key), "{key}");
        }
    }
}

#[test]
fn a_storage_of_whole_planes_decides_the_form() {
    let of = |entries: &[(&str, PlanValue)]| PlanKeys::from_tree(&tree(entries)).unwrap();
    let retimed = of(&[("storage", word("retimed"))]);
    assert_eq!((retimed.storage, retimed.form), (Storage::Retimed, Form::Scatter));
    assert_eq!(retimed.to_string(), "storage = \"retimed\"");
    assert_eq!(of(&[("storage", word("retimed")), ("form", word("scatter"))]), retimed);
    assert_eq!(of(&[("storage", word("shared"))]).form, Form::Gather);
    // A contradiction is kept as it is, and refused where the plan is held against a target.
    let gather = of(&[("storage", word("retimed")), ("form", word("gather"))]);
    assert_eq!(gather.to_string(), "form = \"gather\", storage = \"retimed\"");
}

#[test]
fn lines_of_a_block_lie_in_shared_memory() {
    let of = |storage: Option<&str>| {
        let mut entries =
            vec![("mapping", word("block")), ("threads", PlanValue::Integers(vec![4, 32]))];
        entries.extend(storage.map(|storage| ("storage", word(storage))));
        PlanKeys::from_tree(&tree(&entries)).unwrap()
    };
    let open = of(None);
    assert_eq!((open.lines(), open.storage), (4, Storage::Shared));
    assert_eq!(open, of(Some("shared")));
    assert_eq!(open.to_string(), "mapping = \"block\", threads = [4, 32]");
    assert_eq!(legal(&open, &[64, 64]), Ok(()));
    let queue = of(Some("queue"));
    assert_eq!(PlanKeys::from_tree(&queue.to_tree()).unwrap(), queue);
    assert_eq!(
        legal(&queue, &[64, 64]).unwrap_err(),
        "plan key 'storage' cannot be \"queue\": 4 threads along the streamed dimension take a \
         line each, which others read in shared memory: storage = \"shared\"; leave it out, or \
         take one thread"
    );
    // Elsewhere threads along the slowest dimension are no lines.
    let plan = |mapping, threads| PlanKeys { mapping, threads, ..PlanKeys::default() };
    assert_eq!(plan(Mapping::Thread, vec![4, 32]).lines(), 1);
    assert_eq!(plan(Mapping::Block, vec![4, 8, 32]).lines(), 1);
    assert_eq!(plan(Mapping::Block, vec![32]).lines(), 1);
}

#[test]
fn keys_that_contradict_a_storage_of_whole_planes_are_refused() {
    let sweep = |plan: PlanKeys| {
        legal(&PlanKeys { mapping: Mapping::Warp, threads: vec![1, 32], ..plan }, &[64, 64])
    };
    let shared = PlanKeys { storage: Storage::Shared, ..PlanKeys::default() };
    assert_eq!(sweep(shared.clone()), Ok(()));
    assert_eq!(
        sweep(PlanKeys { form: Form::Scatter, ..shared.clone() }).unwrap_err(),
        "plan key 'form' cannot be \"scatter\": storage = \"shared\" is a store of \
         form = \"gather\"; leave it out"
    );
    assert_eq!(
        sweep(PlanKeys { storage: Storage::Retimed, ..PlanKeys::default() }).unwrap_err(),
        "plan key 'form' cannot be \"gather\": storage = \"retimed\" is a store of \
         form = \"scatter\"; leave it out"
    );
    assert_eq!(
        sweep(PlanKeys { queue_registers: Some(2), ..shared.clone() }).unwrap_err(),
        "plan key 'queue_registers' cannot be 2: storage = \"shared\" has no queue of slots; \
         leave one of them out"
    );
    let lazy = |storage| PlanKeys { storage, skew: Skew::Lazy, ..PlanKeys::default() };
    assert_eq!(sweep(lazy(Storage::Shared)), Ok(()));
    let refused = sweep(lazy(Storage::DiagonalFree)).unwrap_err();
    assert!(refused.contains("take \"tight\", or another storage"), "{refused}");
}

#[test]
fn threads_of_a_block_are_limited_together_and_along_z() {
    assert_eq!(legal(&with_threads(&[1, 32, 32]), &[64, 64, 64]), Ok(()));
    assert_eq!(
        legal(&with_threads(&[2, 32, 32]), &[64, 64, 64]).unwrap_err(),
        "plan needs 2048 threads per block, sm_90a has at most 1024"
    );
    assert_eq!(legal(&with_threads(&[64, 1, 1]), &[64, 64, 64]), Ok(()));
    assert_eq!(
        legal(&with_threads(&[65, 1, 1]), &[65, 64, 64]).unwrap_err(),
        "plan needs 65 threads along z, sm_90a has at most 64"
    );
    // Along y and x a block may be as long as it may be large.
    assert_eq!(legal(&with_threads(&[1024, 1]), &[2048, 2]), Ok(()));
}

#[test]
fn the_grid_is_limited_along_each_axis() {
    let one = with_threads(&[1, 1]);
    assert_eq!(legal(&one, &[65_535, 1]), Ok(()));
    assert_eq!(
        legal(&one, &[65_536, 1]).unwrap_err(),
        "plan needs 65536 blocks along y, sm_90a has at most 65535"
    );
    let coarse = PlanKeys { points: vec![2, 1], ..one.clone() };
    assert_eq!(legal(&coarse, &[65_536, 1]), Ok(()));
    assert_eq!(legal(&one, &[1, (1 << 31) - 1]), Ok(()));
    assert_eq!(
        legal(&one, &[1, 1 << 31]).unwrap_err(),
        "plan needs 2147483648 blocks along x, sm_90a has at most 2147483647"
    );
    assert_eq!(
        legal(&one, &[1, u64::MAX]).unwrap_err(),
        "plan needs 18446744073709551615 blocks along x, sm_90a has at most 2147483647"
    );
}

#[test]
fn resident_blocks_are_limited_by_their_threads() {
    let blocks = |min_blocks| PlanKeys { min_blocks, ..with_threads(&[512]) };
    assert_eq!(legal(&blocks(4), &[4096]), Ok(()));
    assert_eq!(
        legal(&blocks(5), &[4096]).unwrap_err(),
        "plan needs 5 blocks per multiprocessor, sm_90a has at most 4"
    );
}

#[test]
fn a_block_that_no_partition_has_registers_for_is_refused() {
    let sweep = |warps, registers| PlanKeys {
        mapping: Mapping::Block,
        max_registers: Some(registers),
        ..with_threads(&[1, warps, 32])
    };
    assert_eq!(
        legal(&sweep(10, 200), &[512; 3]).unwrap_err(),
        "plan key 'max_registers' is 200, with which a block of 10 warps can never start: 3 of \
         them run on one partition of sm_90a and take 19200 registers, it has 16384; take at most \
         168, or fewer threads"
    );
    assert_eq!(legal(&sweep(10, 168), &[512; 3]), Ok(()));
    assert_eq!(legal(&sweep(8, 255), &[512; 3]), Ok(()));
    // Whatever the mapping is.
    let threads =
        |registers| PlanKeys { max_registers: Some(registers), ..with_threads(&[10, 32]) };
    let refused = legal(&threads(169), &[512; 2]).unwrap_err();
    assert!(
        refused.contains("is 169, with which a block of 10 warps can never start"),
        "{refused}"
    );
    assert_eq!(legal(&threads(168), &[512; 2]), Ok(()));
}

#[test]
fn the_grid_covers_the_domain_also_where_nothing_divides() {
    let plan = PlanKeys { points: vec![2, 1, 1], ..with_threads(&[1, 4, 32]) };
    let thread = plan.plan().unwrap().into_thread().unwrap();
    assert_eq!(thread.grid(&[7, 9, 33]), [4, 3, 2]);
    assert_eq!(thread.grid(&[8, 8, 32]), [4, 2, 1]);
    assert_eq!(thread.grid(&[0, 8, 32]), [0, 2, 1]);
    assert_eq!((plan.threads_per_block(), plan.points_per_thread()), (128, 2));
    assert_eq!(with_threads(&[1, 4, 32]).points_per_thread(), 1);
}

#[test]
fn a_plan_has_no_place_for_keys_that_do_not_go_together() {
    let thread = |keys: PlanKeys| keys.plan().unwrap().into_thread().unwrap();
    assert_eq!(thread(PlanKeys::default()).march, None);
    let march = thread(PlanKeys { block_steps: 4, prefetch: 2, ..PlanKeys::default() }).march;
    assert_eq!(march, Some(March { steps: 4, prefetch: 2 }));
    let prefetch = PlanKeys { prefetch: 2, ..PlanKeys::default() };
    let together = |key, other| PlanError::Together { key, other };
    assert_eq!(prefetch.plan(), Err(together("prefetch", "block_steps > 1")));
    assert_eq!(prefetch.assembled(), Plan::default());
    let warp = PlanKeys { mapping: Mapping::Warp, ..PlanKeys::default() };
    let sweep = |keys: &PlanKeys| keys.plan().map(|plan| plan.into_sweep().unwrap());
    let ring = PlanKeys { loads: LoadMode::Ring, ring: Some(3), ..warp.clone() };
    assert_eq!(sweep(&ring).unwrap().loads, Loads::Ring { planes: 3 });
    let ring_of_loads = Err(together("ring", "loads = \"ring\" or \"halo\""));
    assert_eq!(sweep(&PlanKeys { ring: None, ..ring.clone() }), ring_of_loads);
    assert_eq!(sweep(&PlanKeys { loads: LoadMode::Prefetch, ..ring }), ring_of_loads);
    assert_eq!(sweep(&warp).unwrap(), SweepPlan::default());
    let hoist = PlanKeys { demote_hoist: 0, ..warp };
    assert_eq!(hoist.plan(), Err(together("demote_hoist", "demote > 0")));
}

/// Each key by itself, with the keys that it needs.
#[test]
fn a_plan_gives_its_keys_back() {
    let texts = [
        "alignment_offset=3",
        "block_steps=5,prefetch=2",
        "demote=8,demote_heuristic=accesses,demote_hoist=0,demote_layout=thread-major",
        "demote=8,demote_redundant=kept,demote_remat=none,demote_schedule=kept,demote_values=4",
        "mapping=block,form=scatter,queue_registers=2,skew=lazy",
        "mapping=block,storage=diagonal-free",
        "mapping=warp,chunks=3,edge_chunks=4,loads=ring,ring=4,remainder=single,rotation=unroll",
        "mapping=warp,loads=prefetch,steps=4,storage=retimed,tail=scratch",
        "mapping=warp,reads=queue,skew=lazy,storage=shared",
        "max_registers=64,min_blocks=2,permutations=10,points=1x4,prune=2,schedule=both",
        "spills=shared,splits=2,threads=4x32,points=2x2,vector=2",
    ];
    let mut seen = std::collections::BTreeSet::new();
    for text in texts {
        let said = text.parse::<Request>().unwrap();
        let tree = said.said_of(&[], &BTreeMap::new(), 2).unwrap();
        let keys = PlanKeys::from_tree(&tree).unwrap();
        assert_eq!(PlanKeys::from(&keys.plan().unwrap()), keys, "{text}");
        seen.extend(tree.into_keys());
    }
    assert!(SCHEMA.iter().all(|key| seen.contains(key.name)), "{seen:?}");
}
