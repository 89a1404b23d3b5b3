//! The options about reading a program, which `compile` and `run` share.

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use std::num::NonZeroU32;
use stencil_driver::{
    DriverError,
    input::Input,
    reading::{
        self, Arithmetic, Definitions, Devices, ElementType, Extents, Language, Network, Reading,
    },
};

/// Languages, sizes and arithmetic.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading the program")]
pub struct ReadingOptions {
    /// The language, where the file does not say it: .idsl and .dsl are STENCILGEN's, .c and .cu C
    /// with pragma regions, all else is MLIR, of which older spellings (oec, xdsl) are noticed by
    /// their content.
    #[arg(long, value_name = "LANGUAGE", value_parser = languages())]
    from: Option<Language>,

    /// Sets parameters of a STENCILGEN program or sizes of a C file; wins over the file. As often
    /// as needed, or a list: -D L=64,M=64.
    #[arg(short = 'D', value_name = "NAME=INTEGER")]
    definitions: Vec<Definitions>,

    /// Says what a C file does not say of its pragma regions, in the words of a header comment, as
    /// in "double in[L][M][N]; domain [1:L-2][1:M-2][1:N-2]". As often as needed.
    #[arg(long = "declare", value_name = "DECLARATION;...")]
    declarations: Vec<String>,

    /// New extents of an MLIR program's domain, slowest dimension first; its fields grow or shrink
    /// with it.
    #[arg(long, value_name = "N,N,...")]
    extents: Option<Extents>,

    /// When the extents of the domain are known: fixed is when it is compiled; run-time makes one
    /// package for all extents, which fields or `stencil-run --extents` give it. Its plans are
    /// those for the program's own extents, or those of --extents. `stencilc run` takes of such
    /// kernels those that a package has for these extents.
    #[arg(long = "sizes", value_name = "WHEN")]
    when_sized: Option<Sizes>,

    /// Cuts the domain along its slowest dimension for so many devices, which exchange planes while
    /// the program runs; the results are those of one device, bit for bit. `stencilc explain` says
    /// what they are predicted to gain, and compares several numbers of them: 8,64,512.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    devices: Vec<NonZeroU32>,

    /// What connects the devices: nvlink in one host, or ib400, InfiniBand of 400 Gb/s between
    /// hosts. The time steps between exchanges are chosen for it; by default it is the fastest that
    /// is known to connect as many devices of the chip.
    #[arg(long, value_name = "NETWORK", requires = "devices", value_parser = networks())]
    network: Option<Network>,

    /// Time steps that devices make between exchanges of planes: more of them need fewer exchanges
    /// and wider halos. A multiple of the rotation period; by default the number that is predicted
    /// to be fastest, of up to 48.
    #[arg(long, value_name = "N", requires = "devices")]
    steps_between_exchanges: Option<NonZeroU32>,

    /// Rows of 2D and 3D fields begin at multiples of so many bytes in the memory that kernels work
    /// in; fields are copied there and back. 1: as in arrays of callers, which kernels then use
    /// where they are. By default 128 or more for time loops on 3D fields that the L2 cache does
    /// not hold, if their rows begin anywhere.
    #[arg(long, value_name = "BYTES", value_parser = alignment)]
    row_alignment: Option<NonZeroU32>,

    /// Converts a program of f64 to f32, or one of f32 to f64; f16 and bf16 take the place of all
    /// other float types. Constants are rounded once.
    #[arg(long, value_name = "TYPE")]
    element_type: Option<Element>,

    /// Keeps every floating-point operation, and their order, whatever the program permits.
    #[arg(long, conflicts_with = "fast_math")]
    strict: bool,

    /// Permits to reassociate, to contract to fma, to multiply by reciprocals and to approximate
    /// functions; a STENCILGEN program permits it without being told.
    #[arg(long)]
    fast_math: bool,

    /// Refuses reads outside of an array, instead of clipping the region that is computed.
    #[arg(long)]
    strict_bounds: bool,

    /// Reads '//' as ARTEMIS does: it takes out the next statement, not the rest of the line.
    #[arg(long)]
    artemis_compat: bool,
}

/// Reads an alignment.
fn alignment(text: &str) -> Result<NonZeroU32, String> {
    let bytes: Option<NonZeroU32> = text.parse().ok();
    let of_power = bytes.filter(|bytes| bytes.is_power_of_two() && bytes.get() <= ALIGNMENT_MAX);
    of_power.ok_or_else(|| format!("write a power of two up to {ALIGNMENT_MAX}, as in 128"))
}

/// More than any access of a device is aligned to.
const ALIGNMENT_MAX: u32 = 4096;

/// Reads the word of a language.
fn languages() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::all().map(Language::word))
        .map(|word| Language::all().find(|language| language.word() == word).expect("clap checked"))
}

/// Reads the word of a network.
fn networks() -> impl TypedValueParser<Value = Network> {
    PossibleValuesParser::new(Network::ALL.map(Network::word))
        .map(|word| Network::ALL.into_iter().find(|it| it.word() == word).expect("clap checked"))
}

/// When extents are known, as clap reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sizes {
    Fixed,
    RunTime,
}

/// A float type for a whole program, as clap reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Element {
    F16,
    Bf16,
    F32,
    F64,
}

impl ReadingOptions {
    /// What is said about reading a program; what means nothing for it is refused.
    pub fn of(&self, input: &Input) -> Result<Reading, DriverError> {
        let reading = self.all(self.from.unwrap_or_else(|| Language::of(input)))?;
        reading.check(&input.name)?;
        Ok(reading)
    }

    /// What is said about reading two programs. Where their languages differ, each option is for
    /// the one that it means something for; `--from` is about the first.
    pub fn of_both(&self, first: &Input, second: &Input) -> Result<[Reading; 2], DriverError> {
        let language = Language::of(second);
        let plain = ReadingOptions {
            definitions: Vec::new(),
            declarations: Vec::new(),
            extents: None,
            strict_bounds: false,
            artemis_compat: false,
            ..self.clone()
        };
        if plain.of(first)?.language == language {
            let reading = self.of(first)?;
            return Ok([reading.clone(), reading]);
        }
        let first = self.all(plain.of(first)?.language)?;
        Ok([first.only_what_applies(), self.all(language)?.only_what_applies()])
    }

    /// The numbers of devices that are to be compared, with the time steps between exchanges and
    /// the network, if they are given.
    pub fn compared_devices(&self) -> (&[NonZeroU32], (Option<NonZeroU32>, Option<Network>)) {
        (&self.devices, (self.steps_between_exchanges, self.network))
    }

    /// The same options for one device, which computes the whole domain.
    pub fn whole(&self) -> ReadingOptions {
        ReadingOptions { devices: Vec::new(), ..self.clone() }
    }

    /// The devices that share the domain: what is compiled is for one number of them.
    fn only_devices(&self) -> Result<Option<Devices>, DriverError> {
        let (steps, network) = (self.steps_between_exchanges, self.network);
        match self.devices[..] {
            [] => Ok(None),
            [count] => Ok(Some(Devices { count, steps, network })),
            _ => Err(DriverError::Option(
                "--devices names several numbers of devices, and a program is compiled for one; \
                 'stencilc explain' compares them"
                    .to_owned(),
            )),
        }
    }

    fn all(&self, language: Language) -> Result<Reading, DriverError> {
        let mut definitions = Definitions::default();
        for more in &self.definitions {
            let twice = |error| DriverError::Option(format!("-D: {error}"));
            definitions.add(more.clone()).map_err(twice)?;
        }
        Ok(Reading {
            language,
            definitions,
            open: Vec::new(),
            alike: Vec::new(),
            declarations: self.declarations.clone(),
            extents: self.extents.clone(),
            sizes: match self.when_sized {
                None => reading::Sizes::AsWritten,
                Some(Sizes::Fixed) => reading::Sizes::Fixed,
                Some(Sizes::RunTime) => reading::Sizes::RunTime,
            },
            devices: self.only_devices()?,
            row_alignment: self.row_alignment,
            arithmetic: match (self.strict, self.fast_math) {
                (true, _) => Arithmetic::Strict,
                (false, true) => Arithmetic::Fast,
                (false, false) => Arithmetic::AsWritten,
            },
            element_type: self.element_type.map(|element| match element {
                Element::F16 => ElementType::F16,
                Element::Bf16 => ElementType::Bf16,
                Element::F32 => ElementType::F32,
                Element::F64 => ElementType::F64,
            }),
            strict_bounds: self.strict_bounds,
            artemis_compat: self.artemis_compat,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Parser, error::ErrorKind};

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        reading: ReadingOptions,
    }

    fn parse(words: &[&str]) -> Result<ReadingOptions, clap::Error> {
        Ok(Alone::try_parse_from(["alone"].iter().chain(words))?.reading)
    }

    fn input(name: &str) -> Input {
        Input { name: name.to_owned(), text: String::new() }
    }

    #[test]
    fn definitions_are_lists_that_add_up() {
        let options = parse(&["-D", "L=64,M=32", "-DN=16", "--strict"]).unwrap();
        let reading = options.of(&input("a.idsl")).unwrap();
        assert_eq!(reading.definitions, "L=64,M=32,N=16".parse().unwrap());
        assert_eq!(reading.arithmetic, Arithmetic::Strict);
        let said = options.of(&input("a.mlir")).unwrap_err().to_string();
        let reason = "-D sets parameters of STENCILGEN programs and sizes of C files, 'a.mlir' ";
        assert!(said.starts_with(reason), "{said}");
        let said = parse(&["-D", "L"]).unwrap_err().to_string();
        assert!(said.contains("'L' is no definition; write NAME=INTEGER"), "{said}");
        let twice = |words| parse(words).map(|options| options.of(&input("a.idsl")).unwrap_err());
        let said = twice(&["-D", "L=64,M=32", "-DM=16"]).unwrap().to_string();
        assert_eq!(said, "-D: 'M' is set to 32 and to 16; set it once");
        let said = parse(&["-DM=32,M=32"]).unwrap_err().to_string();
        assert!(said.contains("'M' is set to 32 and to 32; set it once"), "{said}");
        let error = parse(&["--strict", "--fast-math"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{error}");
    }

    #[test]
    fn from_wins_over_the_ending() {
        let language = |words: &[&str], name| parse(words).unwrap().of(&input(name)).unwrap();
        assert_eq!(language(&[], "<stdin>").language, Language::Mlir);
        assert_eq!(language(&["--from=idsl"], "<stdin>").language.word(), "idsl");
        assert_eq!(language(&["--from=mlir"], "a.idsl").language, Language::Mlir);
    }

    #[test]
    fn of_two_programs_each_gets_what_is_its_own() {
        let options = parse(&["-D", "L=64", "--extents", "64", "--fast-math"]).unwrap();
        let [one, two] = options.of_both(&input("a.idsl"), &input("b.mlir")).unwrap();
        assert!(one.extents.is_none() && two.extents.is_some());
        assert!(!one.definitions.is_empty() && two.definitions.is_empty());
        assert_eq!([one.arithmetic, two.arithmetic], [Arithmetic::Fast; 2]);
        let said = options.of_both(&input("a.mlir"), &input("b.mlir")).unwrap_err().to_string();
        let reason = "-D sets parameters of STENCILGEN programs and sizes of C files, 'a.mlir' ";
        assert!(said.starts_with(reason), "{said}");
    }
}
