//! Properties of many programs: seeds are stable, programs are valid, no expected feature is rare,
//! and minimizing reaches its goal.
#![allow(clippy::unwrap_used)]

use stencil_fuzz::{
    Category, Construct, Histogram, Layout, Options, check, generate, generate_dag, minimize,
};

#[test]
fn one_seed_is_one_text() {
    let options = Options::default();
    for seed in 0..200 {
        assert_eq!(generate(seed, &options).text(), generate(seed, &options).text());
    }
    assert_ne!(generate(1, &options).text(), generate(2, &options).text());
}

#[test]
fn programs_are_valid_and_short() {
    let options = Options { max_work: 60_000, ..Options::default() };
    for seed in 0..2000 {
        let program = generate(seed, &options);
        assert_eq!(check(&program).err(), None, "seed {seed}:\n{}", program.text());
        let work = program.work(&Layout::infer(&program).unwrap());
        assert!(work <= options.max_work, "seed {seed} executes {work} operations");
        assert!(program.stores() > 0, "seed {seed} stores nothing");
    }
}

/// The features that instruction scheduling must handle occur often.
#[test]
fn expressions_share_leaves_mix_types_and_store_in_place() {
    let (mut mixed, mut in_place, mut fused, mut large) = (0, 0, 0, 0);
    for seed in 0..1000 {
        let program = generate_dag(seed);
        let text = program.text();
        assert_eq!(text, generate_dag(seed).text(), "seed {seed}");
        assert_eq!(check(&program).err(), None, "seed {seed}:\n{text}");
        mixed += usize::from(program.elements().len() > 1);
        let loaded: Vec<_> = text
            .lines()
            .filter_map(|line| line.split_once("stencil.load ")?.1.split(' ').next())
            .collect();
        let stored = text.lines().filter_map(|line| {
            line.split_once("stencil.store ")?.1.split_once(" to ")?.1.split('(').next()
        });
        in_place += usize::from(stored.into_iter().any(|field| loaded.contains(&field)));
        fused += usize::from(text.contains("math.fma"));
        large += usize::from(text.lines().count() > 40);
    }
    let counts = [mixed, in_place, fused, large];
    assert!(counts.iter().all(|count| *count > 250), "{counts:?}");
}

/// The histogram of a long run is in `test/docs/proof.md`.
#[test]
fn no_bin_is_rare() {
    let mut histogram = Histogram::default();
    for seed in 0..3_000 {
        histogram.add(&generate(seed, &Options::default()).features());
    }
    let thin = histogram.thin_bins(10);
    assert!(thin.is_empty(), "below 1 %: {thin:?}\n{histogram}");
    let unexpected = histogram.unexpected();
    assert!(unexpected.is_empty(), "in no list of what is expected: {unexpected:?}");
}

#[test]
fn disabled_constructs_do_not_occur() {
    let words = [
        (Construct::TimeLoops, "iter_args(%f"),
        (Construct::Combine, "stencil.combine"),
        (Construct::CombineExtensions, "ext = "),
        (Construct::DynamicAccess, "stencil.dyn_access"),
        (Construct::BufferForm, ") outs ("),
        (Construct::StencilCalls, "@stage"),
        (Construct::ScalarCalls, "@point"),
        (Construct::Unroll, " unroll <"),
        (Construct::Alloc, "stencil.alloc"),
        (Construct::Buffer, "stencil.buffer"),
        (Construct::Cast, "stencil.cast"),
        (Construct::LowRank, ", _"),
        (Construct::FastMath, "fastmath<"),
        (Construct::NarrowFloats, " f16"),
        (Construct::NarrowFloats, " bf16"),
        (Construct::IntegerFields, "xi32>"),
        (Construct::UnknownBounds, "?x"),
        (Construct::Branches, "scf.if %c"),
        (Construct::FloatToInteger, "arith.fptosi"),
    ];
    for (construct, word) in words {
        let mut options = Options::default().without(construct);
        if construct == Construct::Branches {
            options = options.without(Construct::SkippedStores);
        }
        let mut elsewhere = 0;
        for seed in 0..150 {
            let text = generate(seed, &options).text();
            assert!(!text.contains(word), "{construct:?}, seed {seed}:\n{text}");
            elsewhere += usize::from(generate(seed, &Options::default()).text().contains(word));
        }
        assert!(elsewhere > 0, "'{word}' says nothing about {construct:?}");
    }
}

#[test]
fn minimizing_keeps_the_failure_and_little_else() {
    let cases: [(&str, usize); 6] = [
        ("math.sqrt", 16),
        ("stencil.combine", 24),
        ("stencil.dyn_access", 18),
        ("iter_args(%f", 22),
        ("scf.if", 22),
        ("stencil.alloc", 24),
    ];
    for (word, most_lines) in cases {
        let mut tried = 0;
        for seed in 0.. {
            let mut options = Options { max_cells: 60, ..Options::default() };
            options.max_work = 20_000;
            let program = generate(seed, &options);
            // Values are named by role, so that words distinguish loops on the host from others.
            if program.style.numbers || !program.text().contains(word) {
                continue;
            }
            let named = |p: &stencil_fuzz::Program| !p.style.numbers && p.text().contains(word);
            let small = minimize(program, &mut |candidate| named(candidate));
            assert!(check(&small).is_ok());
            let text = small.text();
            assert!(text.contains(word));
            assert!(text.lines().count() <= most_lines, "'{word}', seed {seed}:\n{text}");
            tried += 1;
            if tried == 2 {
                break;
            }
        }
    }
}

#[test]
fn minimizing_without_a_condition_leaves_one_store() {
    for seed in 0..8 {
        let small = minimize(generate(seed, &Options::default()), &mut |_| true);
        assert_eq!(small.stores(), 1, "{}", small.text());
        assert!(small.text().lines().count() <= 9, "{}", small.text());
        assert_eq!(small.shrink(), [], "nothing is smaller than the smallest");
    }
}

#[test]
fn minimizing_a_radius_gives_few_accesses() {
    let far = |p: &stencil_fuzz::Program| p.features().has(Category::Radius, "dim 0 below: 3");
    let mut seeds = (0..).map(|seed| generate(seed, &Options::default())).filter(far);
    for _ in 0..3 {
        let small = minimize(seeds.next().unwrap(), &mut |p| far(p));
        let text = small.text();
        // Accesses on the way from the one to the store may stay, where ranks differ.
        assert!(text.matches("stencil.access").count() <= 3, "{text}");
        assert!(text.contains("[-3"), "{text}");
        assert!(text.lines().count() <= 20, "{text}");
    }
}

#[test]
fn scalar_arguments_name_positions_of_numbers() {
    for seed in 0..100 {
        let program = generate(seed, &Options::default());
        let text = program.text();
        let head = text.lines().find(|line| line.contains("@main(")).unwrap();
        let (_, parameters) = head.split_once("@main(").unwrap();
        let types: Vec<&str> = parameters.split(", %").collect();
        for (position, value) in program.scalar_arguments() {
            assert!(!types[position].contains("stencil.field"), "{head}");
            assert!(value.parse::<f64>().is_ok(), "{value}");
        }
        let scalars = types.iter().filter(|ty| !ty.contains("stencil.field")).count();
        assert_eq!(
            scalars - usize::from(parameters.starts_with(')')),
            program.scalar_arguments().len()
        );
    }
}
