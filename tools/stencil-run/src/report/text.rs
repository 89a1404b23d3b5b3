//! The report for people, a dozen lines.

use super::{EnergyReport, FieldReport, Report, SharedRun, Verifications};
use std::fmt::Write;
use stencil_runtime::{
    cuda::DeviceSummary,
    report::{Device, KernelRuns, Run, Timing, version},
    verify::Verified,
};

/// What a run did.
pub fn run(report: &Report) -> String {
    let mut lines = Vec::new();
    if let Some(run) = &report.run {
        add_run(&run.run, &mut lines);
        lines.extend(run.run.shared.iter().flat_map(shared));
        lines.extend(run.run.time.iter().flat_map(timing));
        lines.extend(run.energy.iter().flat_map(energy));
        lines.extend(run.fields.iter().map(|FieldReport { position, sha256, .. }| {
            format!("field     arg{position} sha256 {}", &sha256[..16])
        }));
        lines.extend(run.checkpoints.iter().map(|path| format!("wrote     {path}")));
    }
    let Verifications { selftest, plain } = &report.verified;
    lines.extend(selftest.iter().map(|_| selftest_line(selftest)));
    lines.extend(plain.iter().map(|verified| {
        format!("verified: bit-identical with plain kernels, {}", counts(verified))
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What a self-test that was all that was asked for found.
pub fn selftest(report: &Report) -> String {
    selftest_line(&report.verified.selftest)
}

fn selftest_line(verified: &Option<Verified>) -> String {
    match verified {
        None => "self-test: not run".to_owned(),
        Some(verified) => {
            format!("self-test: bit-identical with the interpreter, {}", counts(verified))
        }
    }
}

fn counts(Verified { runs, fields, cells }: &Verified) -> String {
    format!("{fields} fields and {cells} cells in {runs} runs")
}

fn add_run(run: &Run, lines: &mut Vec<String>) {
    let device = &run.device;
    lines.push(format!(
        "device    {}: {}, compute capability {}, driver {}",
        device.ordinal, device.name, device.compute_capability, device.driver
    ));
    let origin = match device.code {
        "cubin" => "machine code of the package".to_owned(),
        _ => format!("PTX {} compiled by the driver", run.ptx_version),
    };
    lines.push(format!("code      {}, {origin}", run.target));
    lines.push(format!(
        "run       function '{}': {} launches, {} copies, {} points, {} bytes on the device",
        run.function, run.launches, run.copies, run.points, run.device_bytes
    ));
    lines.extend(run.kernels.iter().map(|kernel| format!("kernel    {}", describe(kernel))));
}

/// The devices of a run, of each of which the lines above are true.
fn shared(run: &SharedRun) -> [String; 2] {
    let name = |(place, device): (usize, &Device)| match run.machines.get(place) {
        Some(machine) => format!("{machine}:{}", device.ordinal),
        None => device.ordinal.to_string(),
    };
    let names = run.devices.iter().enumerate().map(name).collect::<Vec<_>>();
    let through_host = match run.links.through_host {
        0 => String::new(),
        pairs => format!(", {pairs} pairs of devices through the host"),
    };
    let time = run.exchange_s.map_or(String::new(), |s| format!(" in {:.3} ms", s * 1e3));
    let hidden = run.hidden.map_or(String::new(), |part| {
        format!(", {:.0} % of the time of copies beside kernels", 100.0 * part)
    });
    let every = run
        .steps_between_exchanges
        .map_or(String::new(), |steps| format!(", every {steps} time steps"));
    [
        format!(
            "shared    {} planes by {} devices ({}), each of which does this, halos of {} planes",
            run.planes,
            run.devices.len(),
            names.join(", "),
            run.halo
        ),
        format!(
            "exchanges {}{every}, {} bytes{time}{hidden}{through_host}",
            run.exchanges, run.exchanged_bytes
        ),
    ]
}

fn describe(KernelRuns { launches, loaded, kernel }: &KernelRuns) -> String {
    let extents = |extents: [u32; 3]| extents.map(|extent| extent.to_string()).join("x");
    let approximate = if kernel.approximate { ", approximate" } else { "" };
    format!(
        "'{}' x {launches}: grid {}, block {}, {} registers, {} bytes local, {} bytes shared, \
         {} blocks on a multiprocessor{approximate}",
        kernel.name,
        extents(kernel.grid),
        extents(kernel.block),
        loaded.registers,
        loaded.local_bytes,
        loaded.shared_bytes,
        loaded.blocks_per_multiprocessor
    )
}

fn timing(time: &Timing) -> [String; 2] {
    [
        format!(
            "time      median {:.3} ms, {:.3} to {:.3} ms ({:.1}%) in {} runs",
            time.median_s * 1e3,
            time.min_s * 1e3,
            time.max_s * 1e3,
            time.relative_spread * 1e2,
            time.runs
        ),
        format!(
            "speed     {:.3} GPt/s, {:.1} GFLOP/s written, {:.1} GB/s compulsory",
            time.gigapoints_per_s, time.gigaflops_per_s, time.compulsory_gigabytes_per_s
        ),
    ]
}

fn energy(energy: &EnergyReport) -> [String; 1] {
    let mut line = format!(
        "energy    {:.1} J in {:.2} s and {} runs, {:.0} W",
        energy.joules, energy.seconds, energy.runs, energy.watts
    );
    for (value, unit) in
        [(energy.joules_per_gigaflop, "GFLOP"), (energy.joules_per_gigapoint, "10^9 points")]
    {
        if let Some(value) = value {
            write!(line, ", {value:.4} J per {unit}").expect("text grows without errors");
        }
    }
    [line]
}

/// The devices of a machine, a line for each.
pub fn devices(devices: &[DeviceSummary]) -> String {
    let line = |device: &DeviceSummary| {
        format!(
            "{}  {}, compute capability {}, {:.1} GiB, driver CUDA {}\n",
            device.ordinal,
            device.name,
            version(device.compute_capability),
            device.memory_bytes as f64 / (1_u64 << 30) as f64,
            version(device.driver_version)
        )
    };
    devices.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_a_line_each() {
        let device = DeviceSummary {
            ordinal: 1,
            name: "NVIDIA H200".to_owned(),
            compute_capability: (9, 0),
            memory_bytes: 141 << 30,
            driver_version: (12, 8),
        };
        assert_eq!(
            devices(&[device]),
            "1  NVIDIA H200, compute capability 9.0, 141.0 GiB, driver CUDA 12.8\n"
        );
    }

    #[test]
    fn spread_and_energy_are_shown() {
        let time = Timing {
            warm_up: 1,
            runs: 3,
            median_s: 0.002,
            min_s: 0.0019,
            max_s: 0.0022,
            relative_spread: 0.15,
            samples_s: vec![0.002, 0.0019, 0.0022],
            gigapoints_per_s: 10.0,
            gigaflops_per_s: 70.0,
            compulsory_gigabytes_per_s: 160.0,
        };
        let [first, second] = timing(&time);
        assert_eq!(first, "time      median 2.000 ms, 1.900 to 2.200 ms (15.0%) in 3 runs");
        assert_eq!(second, "speed     10.000 GPt/s, 70.0 GFLOP/s written, 160.0 GB/s compulsory");
        let report = EnergyReport {
            runs: 4,
            seconds: 2.0,
            joules: 560.0,
            watts: 280.0,
            joules_per_gigaflop: Some(0.25),
            joules_per_gigapoint: None,
        };
        assert_eq!(
            energy(&report),
            ["energy    560.0 J in 2.00 s and 4 runs, 280 W, 0.2500 J per GFLOP"]
        );
    }
}
