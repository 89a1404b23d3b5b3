//! A star of radius one on slabs and bricks: what has to be monotone, and where limits are.

use super::*;
use crate::product::{Network, Product};

/// Radius one along the slowest dimension, `iterations` between exchanges, three windows with halos
/// that are a plane wider than they have to be.
fn piece(planes: i64, iterations: i64, plane_bytes: i64) -> Piece {
    let halo = iterations;
    let extent = EvenWindows::of(planes, 3, halo, 0).unwrap().planes;
    let window = |cuts: [bool; 2]| {
        let [low, high] = cuts.map(|is_cut| if is_cut { halo } else { 0 });
        let [low_cut, high_cut] = cuts.map(i64::from);
        let needed =
            |following: i64| (low - low_cut * following)..(extent - high + high_cut * following);
        let early = |made: i64| (low + low_cut * made)..(extent - high - high_cut * made);
        Window {
            computed: (0..iterations).map(needed).collect(),
            early: (1..=iterations).map(early).collect(),
            received_bytes: (low_cut + high_cut) * iterations * plane_bytes,
            transfers: low_cut + high_cut,
        }
    };
    let windows = [[false, true], [true, true], [true, false]].map(window).to_vec();
    let received = iterations;
    Piece { planes, steps: iterations, iterations, extent, halo, other_end: 0, received, windows }
}

fn kernels(planes: i64) -> Kernels {
    Kernels {
        planes,
        iteration_ns: 500.0 * planes as f64,
        launches_ns: 1_000.0,
        at_once: 2,
        left_ns: 800.0 * planes as f64,
        before_ns: 0.0,
        after_ns: 0.0,
        plane_ns: Some(500.0),
        launch_ns: 1_000.0,
    }
}

fn h200() -> &'static Product {
    Product::named("NVIDIA H200").unwrap()
}

fn one_ns(kernels: &Kernels) -> f64 {
    kernels.iteration_ns + kernels.launches_ns / kernels.at_once as f64
}

#[test]
fn a_few_devices_of_a_large_domain_are_nearly_as_many_times_as_fast() {
    let (kernels, piece) = (kernels(512), piece(512, 8, 2 << 20));
    let route = h200().route(Network::NvLink, 2).unwrap();
    let two = slabs(&kernels, &piece, (2, 512), Some(&route)).unwrap();
    let efficiency = two.efficiency_percent(one_ns(&kernels), false);
    assert!((93.0..100.0).contains(&efficiency), "{two:?}");
    assert!(two.exposed_ns == 0.0 && two.late_ns > 0.0 && !two.is_bound_by_wire(), "{two:?}");
    // As many planes for each device: the halos are a smaller part.
    let weak = slabs(&kernels, &piece, (2, 1024), Some(&route)).unwrap();
    assert!(weak.efficiency_percent(one_ns(&kernels), true) > efficiency);
}

/// Halos are computed twice before the last sweep of a piece, and not after it.
#[test]
fn recomputed_planes_are_those_that_are_needed_later() {
    let (kernels, piece) = (Kernels { at_once: 1, ..kernels(512) }, piece(512, 2, 0));
    let found = slabs(&kernels, &piece, (2, 1024), None).unwrap();
    // An end has one plane more in the first of two steps; windows are 513 planes to own 512.
    assert_eq!((found.extent, piece.beyond(1), piece.beyond(0)), (514, 1, 0));
    assert!((found.recomputed_ns - 500.0 / 2.0).abs() < 1e-6, "{found:?}");
    let whole = Kernels { plane_ns: None, ..kernels };
    let found = slabs(&whole, &piece, (2, 1024), None).unwrap();
    assert!((found.recomputed_ns - 500.0 * 2.0).abs() < 1e-6, "{found:?}");
}

/// Where both ends of a periodic domain are in a window, every step but the last computes all of
/// it; what a step needs beyond what the next one does is as much as at other cuts.
#[test]
fn a_window_of_both_ends_needs_as_much_before_it() {
    let made = piece(512, 4, 0);
    let beyond = |piece: &Piece| [0, 2, 4].map(|following| piece.beyond(following));
    let all = made.windows[0].computed.last().cloned().unwrap();
    let mut both = Piece { other_end: made.halo, ..made.clone() };
    both.windows[0].computed[1..].fill(all);
    assert_eq!((beyond(&both), beyond(&made)), ([0, 2, 4], [0, 2, 4]));
}

/// Where an exchange takes longer than what could be computed beside it saves, it is waited for.
#[test]
fn small_domains_are_not_worth_a_launch_beside_an_exchange() {
    let route = h200().route(Network::NvLink, 2).unwrap();
    let predicted = |planes: i64, route: Option<&Route>| {
        let kernels = Kernels { at_once: 1, plane_ns: Some(10_000.0), ..kernels(planes) };
        slabs(&kernels, &piece(planes, 2, 1 << 10), (2, planes), route).unwrap()
    };
    let (small, large) = (predicted(64, Some(&route)), predicted(512, Some(&route)));
    assert!(!small.overlaps && small.early_ns == 0.0 && small.exposed_ns > 0.0, "{small:?}");
    assert!(large.overlaps && large.early_ns > 0.0 && large.exposed_ns == 0.0, "{large:?}");
    // Nobody knows what an exchange takes by no wire.
    assert!(predicted(64, None).overlaps);
}

#[test]
fn what_is_waited_for_is_added() {
    let piece = piece(512, 2, 64 << 20);
    let route = h200().route(Network::Ib400, 64).unwrap();
    let predicted = |plane_ns| {
        let kernels = Kernels { plane_ns, ..kernels(512) };
        slabs(&kernels, &piece, (8, 512), Some(&route)).unwrap()
    };
    let (beside, after) = (predicted(Some(500.0)), predicted(None));
    // 256 MiB by a route of 19.5 GB/s takes longer than 64 planes.
    assert!(beside.is_bound_by_wire() && beside.exposed_ns > 0.0, "{beside:?}");
    let transfers = piece.windows.iter().map(|window| window.transfers).max().unwrap();
    let waited = route.waited_ns(transfers) / 2.0;
    assert!(transfers > 0 && waited > 8_500.0);
    assert_eq!(after.exposed_ns, after.transport_ns.unwrap() + waited);
    assert!(beside.exposed_ns < after.exposed_ns);
}

#[test]
fn one_device_takes_what_it_takes_without_exchanges() {
    let window =
        Window { computed: vec![0..512; 8], early: Vec::new(), received_bytes: 0, transfers: 0 };
    let piece = Piece { extent: 512, halo: 0, windows: vec![window], ..piece(512, 8, 0) };
    let (kernels, route) = (kernels(512), h200().route(Network::NvLink, 1).unwrap());
    for route in [None, Some(&route)] {
        let found = slabs(&kernels, &piece, (1, 512), route).unwrap();
        assert_eq!((found.extent, found.recomputed_ns, found.exposed_ns), (512, 0.0, 0.0));
        assert!(found.overlaps && found.late_ns == 0.0, "{found:?}");
        assert!((99.0..=100.0).contains(&found.efficiency_percent(one_ns(&kernels), false)));
    }
}

#[test]
fn thin_slabs_are_none() {
    assert_eq!(EvenWindows::of(512, 512, 0, 0), Some(EvenWindows { planes: 1, shorter: 0 }));
    assert_eq!(EvenWindows::of(512, 513, 0, 0), None);
    assert_eq!(EvenWindows::of(i64::MAX, 4096, i64::MAX / 4, 0), None);
    let (kernels, piece) = (kernels(512), piece(512, 8, 1));
    assert!(slabs(&kernels, &piece, (32, 512), None).is_some());
    assert!(slabs(&kernels, &piece, (4096, 512), None).is_none());
    assert!(slabs(&kernels, &piece, (4096, 512 * 4096), None).is_some());
}

#[test]
fn bricks_are_for_many_devices() {
    let (kernels, piece) = (kernels(512), piece(512, 2, 8 * 512 * 512));
    let route = h200().route(Network::Ib400, 64).unwrap();
    let of = |devices, is_weak| {
        let brick = brick(&kernels, &piece, (devices, &[512, 512, 512], is_weak), (&route, h200()));
        brick.unwrap()
    };
    let many = of(512, false);
    assert_eq!(many.grid.iter().product::<i64>(), 512);
    assert!(slabs(&kernels, &piece, (512, 512), Some(&route)).is_none_or(|it| it.ns > many.ns));
    // Where each device has a whole domain, six faces cost more than two.
    let slab = slabs(&kernels, &piece, (512, 512 * 512), Some(&route)).unwrap();
    let grid = of(512, true);
    assert!(grid.ns > slab.ns, "{grid:?} {slab:?}");
    assert_eq!(brick(&kernels, &piece, (3, &[2, 2, 2], false), (&route, h200())), None);
}

#[test]
fn steps_are_multiples_of_the_period_and_of_what_kernels_make() {
    let of = |period, at_once| steps_to_try(period, at_once);
    assert_eq!(of(2, 1), [vec![], vec![2, 4, 6, 8, 12, 16, 24, 32, 48]]);
    assert_eq!(of(2, 8), [vec![2], vec![8, 16, 24, 32, 48]]);
    assert_eq!(of(3, 24), [vec![3, 6, 9], vec![24, 48]]);
    assert_eq!(of(2, 50)[1], [50]);
}

#[test]
fn windows_are_slim_up_to_a_quarter_more_than_the_domain() {
    // Three windows have four halos: 512 + 4 * 31 planes, and 512 + 4 * 34.
    assert!(is_slim(&piece(512, 34, 1), 2) && is_slim(&piece(512, 31, 1), 3));
    assert!(!is_slim(&piece(512, 34, 1), 3) && !is_slim(&piece(512, 8, 1), 4096));
}

fn choice(steps: i64, ns: f64, extent: i64, transport: Option<f64>) -> Choice {
    let prediction = Prediction {
        devices: 2,
        steps,
        extent,
        ns,
        owned_ns: 1_000.0,
        recomputed_ns: 2.0 * steps as f64,
        early_ns: 0.0,
        late_ns: 0.0,
        overlaps: false,
        transport_ns: transport,
        exposed_ns: 0.0,
        bytes: 0,
    };
    Choice { prediction, planes: 100 }
}

#[test]
fn the_fastest_is_taken_unless_it_takes_memory_for_nothing() {
    let of = |choices: &[Choice]| choices[best(choices)[0]].prediction.steps;
    let wire = Some(1.0);
    assert_eq!(of(&[choice(2, 110.0, 52, wire), choice(4, 100.0, 54, wire)]), 4);
    assert_eq!(of(&[choice(2, 100.05, 52, wire), choice(4, 100.0, 54, wire)]), 2);
    // 70 of 50 planes.
    assert_eq!(of(&[choice(2, 110.0, 52, wire), choice(20, 100.0, 70, wire)]), 2);
    assert_eq!(of(&[choice(2, 160.0, 52, wire), choice(20, 100.0, 70, wire)]), 20);
    assert_eq!(of(&[choice(20, 100.0, 70, wire), choice(30, 110.0, 80, wire)]), 20);
    // Without a wire: the most steps that compute at most two percent twice.
    let unknown = [2, 8, 10, 12].map(|steps| choice(steps, 1_000.0, 52, None));
    assert_eq!(of(&unknown), 10);
    assert_eq!(of(&unknown[3..]), 12);
    assert!(best(&[]).is_empty());
}

#[test]
fn more_bytes_take_longer() {
    let kernels = Kernels { plane_ns: None, ..kernels(512) };
    let route = h200().route(Network::NvLink, 2).unwrap();
    let of = |bytes| slabs(&kernels, &piece(512, 2, bytes), (2, 512), Some(&route)).unwrap().ns;
    let times = (0..30).map(|power| of(1 << power)).collect::<Vec<_>>();
    assert!(times.is_sorted_by(|less, more| less < more), "{times:?}");
}

/// More devices are faster together, and less efficient.
#[test]
fn more_devices_are_faster_and_less_efficient() {
    let route = h200().route(Network::Ib400, 64).unwrap();
    for iterations in [2, 4, 6] {
        let (kernels, piece) = (kernels(4096), piece(4096, iterations, 1 << 20));
        let of = |devices| slabs(&kernels, &piece, (devices, 4096), Some(&route)).unwrap();
        let found = [3, 4, 8, 16, 32, 64, 128, 256].map(of);
        // Until nothing counts but the wire.
        assert!(found.is_sorted_by(|few, many| few.ns >= many.ns), "{found:?}");
        assert!(found[0].ns > 4.0 * found[4].ns && found[7].is_bound_by_wire());
        let efficiency = |it: &Prediction| it.efficiency_percent(one_ns(&kernels), false);
        assert!(found.is_sorted_by(|few, many| efficiency(few) >= efficiency(many)));
        assert!(efficiency(&found[0]) < 100.0);
    }
}

#[test]
fn no_more_of_the_transport_is_hidden_than_is_computed() {
    let route = h200().route(Network::Ib400, 8).unwrap();
    for power in 0..28 {
        let (kernels, piece) = (kernels(512), piece(512, 4, 1 << power));
        let found = slabs(&kernels, &piece, (8, 512), Some(&route)).unwrap();
        let transport = found.transport_ns.unwrap();
        assert!(found.exposed_ns + found.early_ns >= transport, "{found:?}");
        assert!(found.ns >= found.owned_ns, "{found:?}");
    }
}

#[test]
fn what_is_around_the_loop_is_made_once_a_piece() {
    let route = h200().route(Network::NvLink, 2).unwrap();
    let predicted = |kernels: &Kernels, iterations| {
        slabs(kernels, &piece(512, iterations, 2 << 20), (2, 512), Some(&route)).unwrap()
    };
    let alone = kernels(512);
    let around = Kernels { before_ns: 100_000.0, after_ns: 200_000.0, ..alone };
    // A half of 300 us, and of the planes that both devices compute, in 8 steps or in 64.
    let more = [8, 64].map(|steps| predicted(&around, steps).ns - predicted(&alone, steps).ns);
    assert!(more[0] > 150_000.0 / 8.0 && more[1] < more[0] / 3.0, "{more:?}");
    let owned = predicted(&around, 8).owned_ns - predicted(&alone, 8).owned_ns;
    assert!((owned - 150_000.0 / 8.0).abs() < 1e-6, "{owned}");
    // What precedes the loop needs what is exchanged; what follows it does not stop the overlap.
    let after = Kernels { before_ns: 0.0, ..around };
    assert!(predicted(&around, 8).exposed_ns > 0.0);
    assert_eq!(predicted(&after, 8).exposed_ns, 0.0);
    let (product, extents) = (h200(), [512, 512, 512]);
    let brick = |kernels: &Kernels| {
        brick(kernels, &piece(512, 8, 2 << 20), (8, &extents, false), (&route, product)).unwrap()
    };
    assert!(brick(&around).ns > brick(&after).ns && brick(&after).ns > brick(&alone).ns);
}
