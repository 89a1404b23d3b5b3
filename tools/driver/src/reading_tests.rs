//! What is said about reading a program, read and refused.

use super::*;

const STENCILGEN: Language = Language::Imported(stencil_import::Language::Stencilgen);

#[test]
fn sizes_are_read_or_refused() {
    let definitions: Definitions = "L=64, M=32".parse().unwrap();
    let definitions = definitions.replaced_by("L=16".parse().unwrap());
    assert_eq!(definitions.suffix(), "_L16_M32");
    assert_eq!(definitions.into_pairs(), [("L".to_owned(), 16), ("M".to_owned(), 32)]);
    for (text, message) in [
        ("64", "'64' is no definition; write NAME=INTEGER, as in L=64"),
        ("L=64,", "'' is no definition; write NAME=INTEGER, as in L=64"),
        ("=64", "'=64' is no definition; write NAME=INTEGER, as in L=64"),
        ("L=6.5", "'L' is set to '6.5', which is no integer of 64 bits"),
        ("L=64,M=32,L=16", "'L' is set to 64 and to 16; set it once"),
    ] {
        assert_eq!(text.parse::<Definitions>().unwrap_err().to_string(), message);
    }
    assert_eq!("16,17, 19".parse::<Extents>().unwrap().suffix(), "_16_17_19");
    for (text, wrong) in [("", ""), ("16,0", "0"), ("-3", "-3"), ("L=16", "L=16")] {
        let error = text.parse::<Extents>().unwrap_err();
        assert_eq!(error, SizeError::NoExtent(wrong.to_owned()), "{text}");
    }
}

#[test]
fn options_of_the_other_language_are_refused_with_a_remedy() {
    let refusal = |reading: &Reading| reading.check("a").unwrap_err().to_string();
    let definitions: Definitions = "L=64".parse().unwrap();
    let extents: Extents = "64".parse().unwrap();
    let all = Reading {
        definitions,
        extents: Some(extents),
        strict_bounds: true,
        artemis_compat: true,
        ..Reading::default()
    };
    assert!(refusal(&all).ends_with("its sizes are changed with --extents"));
    let mlir = Reading { definitions: Definitions::default(), ..all.clone() };
    assert!(refusal(&mlir).starts_with("--strict-bounds is about STENCILGEN programs"));
    assert_eq!(all.clone().only_what_applies().check("a").ok(), Some(()));
    let other = Reading { language: STENCILGEN, ..all };
    assert!(refusal(&other).ends_with("use -D, as in -D L=64"));
    let applying = other.clone().only_what_applies();
    assert_eq!(applying, Reading { extents: None, ..other });
    assert!(applying.check("a").is_ok());
}

#[test]
fn a_size_is_in_the_words_of_the_language() {
    let base = Reading {
        language: STENCILGEN,
        definitions: "L=1,M=2".parse().unwrap(),
        ..Reading::default()
    };
    let (larger, suffix) = base.at("M=128,N=3").unwrap();
    assert_eq!(suffix, "_M128_N3");
    assert_eq!(larger.definitions, "L=1,M=128,N=3".parse().unwrap());
    let said = |reading: &Reading, size| reading.at(size).unwrap_err().to_string();
    assert!(said(&base, "16,17").starts_with("--size: '16' is no definition; "));
    let (larger, suffix) = Reading::default().at("16,17").unwrap();
    assert_eq!((larger.extents, suffix.as_str()), ("16,17".parse().ok(), "_16_17"));
    assert!(said(&Reading::default(), "L=16").starts_with("--size: 'L=16' is no extent; "));
}

#[test]
fn arithmetic_is_set_right_after_reading() {
    let pipeline = |arithmetic, language| {
        let reading = Reading { arithmetic, language, ..Reading::default() };
        reading.pipeline_for(Exchanges::default())
    };
    assert_eq!(pipeline(Arithmetic::AsWritten, Language::Mlir), None);
    // The importer itself omits the flags.
    assert_eq!(pipeline(Arithmetic::Strict, STENCILGEN), None);
    let strict = pipeline(Arithmetic::Strict, Language::Mlir).unwrap();
    assert!(strict.contains("stencil-set-fastmath{flags=none}"), "{strict}");
    let fast = pipeline(Arithmetic::Fast, STENCILGEN).unwrap();
    assert!(fast.contains("{flags=reassoc,contract,arcp,afn}"), "{fast}");
    let extents = "16,17".parse().ok();
    let resized =
        Reading { extents, ..Reading::default() }.pipeline_for(Exchanges::default()).unwrap();
    assert!(resized.contains("stencil-resize-domain{extents=16,17}"), "{resized}");
}

#[test]
fn steps_between_exchanges_are_those_that_are_given() {
    let options = |steps: Option<u32>, chosen, overlap| {
        let count = NonZeroU32::new(2).unwrap();
        let steps = steps.and_then(NonZeroU32::new);
        let devices = Some(Devices { count, steps, network: None });
        let exchanges = Exchanges { steps: chosen, overlap };
        Reading { devices, ..Reading::default() }.pipeline_for(exchanges).unwrap()
    };
    assert!(options(Some(4), 6, true).contains("{devices=2 steps=4 overlap=true}"));
    assert!(options(None, 0, true).contains("{devices=2 steps=0 overlap=true}"));
    assert!(options(None, 6, false).contains("{devices=2 steps=6 overlap=false}"));
}
