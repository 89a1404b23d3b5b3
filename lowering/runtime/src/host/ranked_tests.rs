//! Ranks as threads, each with a fake device, share the sample's domain.

use super::*;
use crate::{
    bind::Value,
    fake::{FakeDevice, after_steps, floats},
    random, samples,
    scalar::{ScalarType, ScalarValue},
    transport::{Channels, TransportError, connect},
};
use std::thread;

/// Cells of the whole domain.
const CELLS: u64 = 18;

/// The rank's window of random fields, `steps`, and dt; where nothing is held there are NaNs.
fn values(function: &Function, rank: usize, steps: i64) -> Vec<Value> {
    let field = |position| {
        let whole = random::random_field(1, position, ScalarType::F32, CELLS).unwrap();
        let mut window = vec![0xff; 4 * samples::CELLS];
        for span in function.held_spans(rank, position) {
            window[span.local..][..span.bytes].copy_from_slice(&whole[span.whole..][..span.bytes]);
        }
        Value::Field(window)
    };
    vec![
        field(0),
        field(1),
        Value::Scalar(ScalarValue::from_integer(ScalarType::Index, steps)),
        Value::Scalar(ScalarValue::from_f64(ScalarType::F32, 0.25)),
    ]
}

/// What one device makes of them.
fn expected(steps: i64) -> [Vec<f32>; 2] {
    let whole = |position| random::random_field(1, position, ScalarType::F32, CELLS).unwrap();
    after_steps([0, 1].map(|position| floats(&whole(position))), steps, 0.5)
}

/// What ranks do wrong to what they get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A message is not there: what was in its place before stays.
    LeftOut,
    /// Of a message only the first plane is there.
    Short,
    /// A message is that of the exchange before.
    Late,
}

/// A transport that does something wrong on the second rank.
struct Faulty {
    channels: Channels,
    fault: Fault,
    before: Vec<Vec<u8>>,
}

impl Transport for Faulty {
    fn rank(&self) -> usize {
        self.channels.rank()
    }

    fn ranks(&self) -> usize {
        self.channels.ranks()
    }

    fn machine(&self) -> &str {
        self.channels.machine()
    }

    fn exchange(
        &mut self,
        outgoing: &[(usize, &[u8])],
        incoming: &mut [(usize, &mut [u8])],
    ) -> Result<(), TransportError> {
        let old = incoming.iter().map(|(_, content)| content.to_vec()).collect::<Vec<_>>();
        self.channels.exchange(outgoing, incoming)?;
        if self.rank() == 0 {
            return Ok(());
        }
        let sent = incoming.iter().map(|(_, content)| content.to_vec()).collect::<Vec<_>>();
        for (place, (_, content)) in incoming.iter_mut().enumerate() {
            match self.fault {
                Fault::None => {}
                Fault::LeftOut => content.copy_from_slice(&old[place]),
                Fault::Short => content[4..].copy_from_slice(&old[place][4..]),
                Fault::Late if self.before.is_empty() => {}
                Fault::Late => content.copy_from_slice(&self.before[place]),
            }
        }
        self.before = sent;
        Ok(())
    }

    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, TransportError> {
        self.channels.all_gather(own)
    }
}

struct Done {
    fields: [Vec<f32>; 2],
    report: SharedReport,
    calls: Vec<Vec<String>>,
}

/// Runs a manifest on two ranks.
fn run(manifest: &Manifest, steps: i64, fault: Fault) -> Done {
    let function = &manifest.functions[0];
    let rank = |channels: Channels| {
        let mut transport = Faulty { channels, fault, before: Vec::new() };
        let mut values = values(function, transport.rank(), steps);
        let mut device = FakeDevice::default();
        let arguments = values.iter_mut().map(Value::bound).collect();
        let session = RankSession::new(function, manifest, &mut device, arguments, &transport);
        let mut session = session.unwrap();
        session.upload().unwrap();
        session.poison(0x4b).unwrap();
        session.execute(&mut transport).unwrap();
        session.restore().unwrap();
        let report = session.execute(&mut transport).unwrap();
        let fields = [0, 1].map(|position| session.gather(position, &mut transport).unwrap());
        drop(session);
        assert_eq!(device.live(), 0, "all buffers are freed");
        (fields, report, device.calls)
    };
    let all = thread::scope(|scope| {
        let started = connect(2).into_iter().map(|one| scope.spawn(move || rank(one)));
        let started = started.collect::<Vec<_>>();
        started.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(all[0].1, all[1].1, "one report for all");
    assert_eq!(all[1].0, [None, None], "the first rank has the fields");
    let fields = all[0].0.clone().map(|field| floats(&field.unwrap()));
    let report = all[0].1.clone();
    Done { fields, report, calls: all.into_iter().map(|(_, _, calls)| calls).collect() }
}

#[test]
fn two_ranks_give_the_bits_of_one_device() {
    for manifest in [samples::shared_manifest(), samples::manifest_in_ranges()] {
        for steps in 0..8 {
            let Done { fields, report, .. } = run(&manifest, steps, Fault::None);
            assert_eq!(fields, expected(steps), "{steps} steps");
            let exchanges = (steps as u64).div_ceil(2).saturating_sub(1);
            assert_eq!((report.exchanges, report.run.launches), (exchanges, steps as u64));
        }
    }
}

#[test]
fn planes_that_need_no_exchange_are_computed_while_messages_travel() {
    let Done { calls, .. } = run(&samples::manifest_in_ranges(), 4, Fault::None);
    let wanted = ["launch", "mark", "wait", "receive", "copy", "staging", "fork", "join"];
    let calls = calls[1].iter().filter(|call| wanted.iter().any(|start| call.starts_with(start)));
    let once = [
        "launch step 0 1 0.5 1 10",
        "launch step 1 0 0.5 2 10",
        "mark Computed",
        "receive after itself",
        "copy out 0 at 12, 8",
        "launch step 0 1 0.5 3 10",
        "staging",
        "copy in 0 at 4, 8",
        "mark Copied",
        "fork 0",
        "wait for copies of its own",
        "launch step 0 1 0.5 1 3",
        "join",
        "launch step 1 0 0.5 2 10",
    ];
    assert_eq!(calls.take(once.len()).collect::<Vec<_>>(), once);
}

/// Messages that are not there, too short, or those of another step change the result.
#[test]
fn a_wrong_exchange_changes_the_result() {
    for manifest in [samples::shared_manifest(), samples::manifest_in_ranges()] {
        for fault in [Fault::LeftOut, Fault::Short, Fault::Late] {
            assert_ne!(run(&manifest, 6, fault).fields, expected(6), "{fault:?}");
        }
    }
}

#[test]
fn there_is_a_rank_for_each_window() {
    let manifest = samples::shared_manifest();
    let function = &manifest.functions[0];
    let ranks = connect(3);
    let mut values = values(function, 0, 2);
    let mut device = FakeDevice::default();
    let arguments = values.iter_mut().map(Value::bound).collect();
    let session = RankSession::new(function, &manifest, &mut device, arguments, &ranks[0]);
    let error = session.err().unwrap().to_string();
    assert_eq!(
        error,
        "function 'heat' was compiled for 2 devices, which are as many ranks, 3 ranks were \
         started; start as many, mpirun -n 2 stencil-run-mpi ..., or compile it with --devices=3"
    );
}

#[test]
fn a_rank_alone_runs_what_has_one_window() {
    let manifest = samples::manifest();
    let mut ranks = connect(1);
    let (mut values, mut device) = (crate::fake::values(3), FakeDevice::default());
    let mut alone = values.clone();
    let arguments = values.iter_mut().map(Value::bound).collect();
    let function = &manifest.functions[0];
    let session = RankSession::new(function, &manifest, &mut device, arguments, &ranks[0]);
    let mut session = session.unwrap();
    session.upload().unwrap();
    session.execute(&mut ranks[0]).unwrap();
    let found = session.gather(1, &mut ranks[0]).unwrap();
    drop(session);
    let arguments = alone.iter_mut().map(Value::bound).collect();
    crate::host::run(function, &manifest, &mut device, arguments).unwrap();
    assert_eq!(found.map(Value::Field).as_ref(), alone.get(1));
}
