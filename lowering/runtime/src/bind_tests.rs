//! Binding arguments: what is taken, what is refused and how.

use super::*;
use crate::{samples, scalar::ScalarType};
use std::fs::File;

fn requests(arguments: &[&str], symbols: &[&str]) -> Requests {
    let parse = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
    Requests { arguments: parse(arguments), symbols: parse(symbols), seed: 7 }
}

fn refusal(given: &[&str], symbols: &[&str]) -> String {
    bind(&samples::function().arguments, &requests(given, symbols)).unwrap_err().to_string()
}

#[test]
fn by_position_by_name_by_symbol() {
    let arguments = samples::function().arguments;
    let by_name = bind(&arguments, &requests(&["steps=10"], &["dt=0.5"])).unwrap();
    let by_position = bind(&arguments, &requests(&["3=0.5", "2=10"], &[])).unwrap();
    assert_eq!(by_name, by_position);
    assert_eq!(by_name[2], Value::Scalar(ScalarValue::from_integer(ScalarType::Index, 10)));
    assert_eq!(by_name[3], Value::Scalar(ScalarValue::from_f64(ScalarType::F32, 0.5)));
}

#[test]
fn unset_fields_are_random_by_seed_and_position() {
    let arguments = samples::function().arguments;
    let values = bind(&arguments, &requests(&["2=1", "3=1"], &[])).unwrap();
    for position in [0, 1] {
        let expected =
            random::random_field(7, position, ScalarType::F32, samples::CELLS as u64).unwrap();
        assert_eq!(values[position], Value::Field(expected));
    }
    assert_ne!(values[0], values[1]);
    assert_eq!(checksums(&values).len(), 2);
}

#[test]
fn fields_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.npy");
    let arguments = samples::function().arguments;
    let shape = arguments[1].kind.as_field().unwrap();
    let cells: Vec<u8> = (0..shape.bytes() as u8).collect();
    fields::write_npy(File::create(&path).unwrap(), shape, &cells).unwrap();
    let given = format!("v={}", path.display());
    let values = bind(&arguments, &requests(&[&given, "2=1", "3=1"], &[])).unwrap();
    assert_eq!(values[1], Value::Field(cells));
}

#[test]
fn unset_scalars_are_errors_that_say_what_to_type() {
    assert_eq!(
        refusal(&[], &["dt=1"]),
        "argument 2 'steps', a scalar of index, has no value; set it with --arg 2=NUMBER"
    );
    assert_eq!(
        refusal(&["steps=1"], &[]),
        "argument 3 (symbol 'dt'), a scalar of f32, has no value; set it with --symbol dt=NUMBER"
    );
}

#[test]
fn symbols_that_nothing_uses_are_noted() {
    let arguments = samples::function().arguments;
    let given = requests(&["2=1"], &["dx=1", "dt=2", "wavelet=3"]);
    assert!(bind(&arguments, &given).is_ok());
    assert_eq!(
        unused_symbols(&arguments, &given, &["wavelet".to_owned()]),
        ["symbol 'dx' is not used (did you mean 'dt'?); the program has dt, wavelet"]
    );
    assert_eq!(
        unused_symbols(&[], &requests(&[], &["dx=1"]), &[]),
        ["symbol 'dx' is not used; the program has no symbols"]
    );
}

#[test]
fn unknown_names_list_the_known() {
    assert_eq!(
        refusal(&["step=1"], &[]),
        "argument 'step' does not exist (did you mean 'steps'?); the function has u, v, steps"
    );
    assert_eq!(
        refusal(&["wavelet=1"], &[]),
        "argument 'wavelet' does not exist; the function has u, v, steps"
    );
    assert_eq!(
        refusal(&["4=1"], &[]),
        "argument 4 does not exist; the function has 4, counted from 0"
    );
    assert!(refusal(&["99999999999999999999=1"], &[]).contains("does not exist"));
    let error = bind(&[], &requests(&["u=1"], &[])).unwrap_err();
    assert!(error.to_string().ends_with("the function has no named argument"), "{error}");
}

#[test]
fn values_fit_their_arguments() {
    assert_eq!(refusal(&["2=1", "steps=2"], &[]), "argument 2 'steps' is given twice");
    assert_eq!(refusal(&["3=1"], &["dt=2"]), "argument 3 (symbol 'dt') is given twice");
    assert_eq!(
        refusal(&["u=1.5", "2=1", "3=1"], &[]),
        "argument 0 'u' is a field and needs the name of an .npy file, got '1.5'"
    );
    assert_eq!(
        refusal(&["steps=u.npy", "3=1"], &[]),
        "argument 2 'steps': 'u.npy' is not a value of type index: write an integer"
    );
    let message = refusal(&["u=/no/such.npy", "2=1", "3=1"], &[]);
    assert!(message.starts_with("argument 0 'u': '/no/such.npy' cannot be read: "), "{message}");
}

#[test]
fn assignments_have_a_key_and_a_value() {
    let parse = |text: &str| text.parse::<Assignment>();
    let assignment = parse("u=a=b.npy").unwrap();
    assert_eq!((assignment.key.as_str(), assignment.value.as_str()), ("u", "a=b.npy"));
    assert_eq!(parse("u").unwrap_err().to_string(), "'u' is not an assignment; write NAME=VALUE");
    assert_eq!(parse("=1").unwrap_err().to_string(), "'=1' is not an assignment; write NAME=VALUE");
}

#[test]
fn the_signature_is_a_table() {
    assert_eq!(
        signature(&samples::function().arguments),
        "   0  u      field [-1,11]xf32, shape (12,), written\n   \
            1  v      field [-1,11]xf32, shape (12,), written\n   \
            2  steps  scalar index\n   \
            3  -      scalar f32, --symbol dt=NUMBER\n"
    );
}

#[test]
fn a_window_has_its_planes_of_what_the_whole_domain_has() {
    let function = samples::shared_function();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.npy");
    let whole = function.whole();
    let cells = (0..72).collect::<Vec<u8>>();
    let shape = whole.arguments[0].kind.as_field().unwrap();
    fields::write_npy(File::create(&path).unwrap(), shape, &cells).unwrap();
    let requests = requests(&[&format!("u={}", path.display()), "2=1", "3=1"], &[]);
    let all = bind(&whole.arguments, &requests).unwrap();
    for device in [0, 1] {
        let window = bind_window(&function, device, &requests).unwrap();
        assert_eq!(window[2..], all[2..]);
        for position in [0, 1] {
            let (Value::Field(whole), Value::Field(own)) = (&all[position], &window[position])
            else {
                panic!("a field is bound to a field");
            };
            assert_eq!(own[..], whole[24 * device..][..48], "device {device}, field {position}");
        }
    }
    std::fs::write(&path, &std::fs::read(&path).unwrap()[..140]).unwrap();
    let error = bind_window(&function, 1, &requests).unwrap_err().to_string();
    assert!(error.ends_with("ends after 12 of 72 bytes of data"), "{error}");
}
