//! CUDA written by hand, as entries of an index: what is compiled where it is measured.

use crate::programs;
use std::path::Path;
use stencil_bench::{
    index::{CudaSource, Entry},
    kernels::{Benchmark, Element},
    peers,
};
use stencil_runtime::{output, package::sha256};

/// A kernel that is there in CUDA.
struct Source {
    /// The benchmark.
    kernel: &'static str,
    /// The name of the kernel in the file.
    entry: &'static str,
    file: &'static str,
    text: &'static str,
}

/// What every source includes.
const HEADER: (&str, &str) = ("sweep.cuh", include_str!("../../cuda/sweep.cuh"));

const SOURCES: &[Source] = &[
    Source {
        kernel: "j2d5pt",
        entry: "j2d5pt",
        file: "j2d5pt.cu",
        text: include_str!("../../cuda/j2d5pt.cu"),
    },
    Source {
        kernel: "j3d7pt",
        entry: "j3d7pt",
        file: "j3d7pt.cu",
        text: include_str!("../../cuda/j3d7pt.cu"),
    },
    Source {
        kernel: "j3d27pt",
        entry: "j3d27pt",
        file: "j3d27pt.cu",
        text: include_str!("../../cuda/j3d27pt.cu"),
    },
    Source {
        kernel: "3d125pt",
        entry: "box_3d125pt",
        file: "3d125pt.cu",
        text: include_str!("../../cuda/3d125pt.cu"),
    },
    Source {
        kernel: "hypterm",
        entry: "hypterm",
        file: "hypterm.cu",
        text: include_str!("../../cuda/hypterm.cu"),
    },
];

/// Points of a thread, along the slowest dimension.
const POINTS: [u64; 3] = [1, 4, 8];
/// Register caps. Without one the assembler keeps to few registers and overlaps fewer loads.
const CAPS: [Option<u32>; 2] = [None, Some(128)];
/// Threads of a block, along the fastest dimension and the next.
const BLOCK: [u64; 2] = [64, 4];

/// The folder of sources, in the folder of packages.
const FOLDER: &str = "cuda";

/// The benchmarks that are there in CUDA.
pub fn kernels() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|source| source.kernel)
}

/// Writes all sources below a folder of packages.
pub fn write(folder: &Path) -> Result<(), output::OutputError> {
    let folder = folder.join(FOLDER);
    let error = |error| output::OutputError { path: folder.clone(), error };
    std::fs::create_dir_all(&folder).map_err(error)?;
    let files = SOURCES.iter().map(|source| (source.file, source.text)).chain([HEADER]);
    for (file, text) in files {
        output::write_file(&folder.join(file), text.as_bytes())?;
    }
    Ok(())
}

/// The entries for a kernel, beside one of a package of the same program; none if there is no CUDA
/// of it.
pub fn entries(benchmark: &Benchmark, beside: &Entry) -> Vec<Entry> {
    let Some(source) = SOURCES.iter().find(|source| source.kernel == benchmark.name) else {
        return Vec::new();
    };
    let variants = POINTS.iter().flat_map(|points| CAPS.map(|cap| (*points, cap)));
    variants.map(|(points, cap)| entry(source, benchmark, beside, points, cap)).collect()
}

fn entry(
    source: &Source,
    benchmark: &Benchmark,
    beside: &Entry,
    points: u64,
    cap: Option<u32>,
) -> Entry {
    let cells = programs::cells(benchmark, &beside.size);
    let low = benchmark.radius;
    let [along_x, along_y] = BLOCK;
    let r#type = match beside.r#type {
        Element::F64 => "double",
        Element::F32 => "float",
    };
    let mut defines = vec![
        format!("TYPE={type}"),
        format!("LOW={low}"),
        format!("POINTS={points}"),
        format!("BX={along_x}"),
        format!("BY={along_y}"),
    ];
    defines.extend(cells.iter().enumerate().map(|(dimension, n)| format!("N{dimension}={n}")));
    let options: Vec<String> = cap.iter().map(|cap| format!("-maxrregcount={cap}")).collect();
    let text = [source.text, HEADER.1, &defines.join(" "), &options.join(" ")].join("\n");
    let cap_words = cap.map_or(String::new(), |cap| format!("max_registers={cap},"));
    Entry {
        version: peers::NVCC.to_owned(),
        // One step at a time, whatever the package beside it makes.
        steps: benchmark.steps,
        plan: format!("{cap_words}points={points}"),
        cap,
        cuda: Some(CudaSource {
            file: format!("{FOLDER}/{}", source.file),
            sha256: sha256(text.as_bytes()),
            defines,
            options,
            entry: source.entry.to_owned(),
            grid: grid(&cells, low, points),
            block: [along_x as u32, along_y as u32, 1],
        }),
        ..beside.clone()
    }
}

/// Blocks that cover the updated points, x first.
fn grid(cells: &[u64], low: u64, points: u64) -> [u32; 3] {
    let updated: Vec<u64> = cells.iter().map(|cells| cells - 2 * low).collect();
    let blocks = |extent: u64, of_block: u64| extent.div_ceil(of_block) as u32;
    let [along_x, along_y] = BLOCK;
    match updated.as_slice() {
        [slow, fast] => [blocks(*fast, along_x), blocks(*slow, along_y * points), 1],
        [slow, middle, fast] => {
            [blocks(*fast, along_x), blocks(*middle, along_y), blocks(*slow, points)]
        }
        _ => unreachable!("benchmarks have two or three dimensions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use stencil_bench::kernels;

    fn beside(kernel: &str) -> Entry {
        let benchmark = kernels::find(kernel).unwrap();
        Entry {
            kernel: kernel.to_owned(),
            r#type: Element::F32,
            version: "plain".to_owned(),
            plan: "default".to_owned(),
            cap: Some(255),
            size: benchmark.size.clone(),
            steps: benchmark.steps,
            scalars: BTreeMap::new(),
            package: "a.spk".to_owned(),
            package_sha256: "0".repeat(64),
            program_sha256: "1".repeat(64),
            predicted_ms: None,
            cuda: None,
        }
    }

    #[test]
    fn the_grid_covers_every_updated_point() {
        assert_eq!(grid(&[8192, 8192], 1, 4), [128, 512, 1]);
        assert_eq!(grid(&[516, 516, 516], 2, 8), [8, 128, 64]);
        assert_eq!(grid(&[67, 9, 11], 1, 8), [1, 2, 9]);
    }

    #[test]
    fn variants_differ_in_plan_and_hash() {
        let benchmark = kernels::find("3d125pt").unwrap();
        let entries = entries(benchmark, &beside("3d125pt"));
        let plans: Vec<&str> = entries.iter().map(|entry| entry.plan.as_str()).collect();
        assert_eq!(plans.len(), 6);
        assert_eq!(&plans[..2], ["points=1", "max_registers=128,points=1"]);
        let hashes: std::collections::BTreeSet<&str> =
            entries.iter().map(|entry| entry.code_sha256()).collect();
        assert_eq!(hashes.len(), 6);
        let cuda = entries[2].cuda.as_ref().unwrap();
        // The arrays of this benchmark are larger than N by the radius on both sides.
        assert!(cuda.defines.contains(&"N0=516".to_owned()), "{:?}", cuda.defines);
        assert!(cuda.defines.contains(&"TYPE=float".to_owned()));
        assert_eq!(entries[2].package, "a.spk");
    }

    #[test]
    fn kernels_without_cuda_have_no_entries() {
        assert!(entries(kernels::find("curl").unwrap(), &beside("curl")).is_empty());
        assert!(kernels().all(|kernel| kernels::find(kernel).is_some()));
    }

    #[test]
    fn sources_are_written_with_their_header() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let written = std::fs::read_dir(folder.path().join(FOLDER)).unwrap().count();
        assert_eq!(written, SOURCES.len() + 1);
        for source in SOURCES {
            assert!(source.text.contains(&format!("KERNEL {}(", source.entry)), "{}", source.file);
        }
    }
}
