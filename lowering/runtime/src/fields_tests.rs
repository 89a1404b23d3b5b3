//! Fields in files: what is read and written, what is refused.

use super::*;
use std::fs;

fn shape(lower: &[i64], upper: &[i64], element: ScalarType) -> FieldShape {
    FieldShape {
        lower: lower.to_vec(),
        upper: upper.to_vec(),
        element,
        scratch: false,
        padding: None,
        written: true,
    }
}

/// A file as NumPy writes it, with this header and data.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.to_owned();
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

fn header(descr: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
}

fn read(file: &[u8], shape: &FieldShape) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.npy");
    fs::write(&path, file).unwrap();
    read_npy(&path, shape).map_err(|error| error.problem.to_string())
}

#[test]
fn every_element_type_comes_back() {
    for element in ScalarType::ALL {
        let shape = shape(&[-1, 0], &[2, 5], element);
        let cells = match element {
            ScalarType::I1 => (0..15).map(|cell| cell % 2).collect(),
            _ => (0..shape.bytes()).map(|byte| (byte * 37 % 251) as u8).collect::<Vec<_>>(),
        };
        let mut file = Vec::new();
        write_npy(&mut file, &shape, &cells).unwrap();
        assert!(file.starts_with(b"\x93NUMPY\x01\x00"));
        let text = String::from_utf8_lossy(&file[..128]).into_owned();
        let descr = format!("'descr': '{}'", stored_types(element)[0]);
        assert!(text.contains(&descr), "{element}: {text}");
        assert!(text.contains("'shape': (3, 5, )"), "{text}");
        assert!(file.ends_with(&cells), "{element}: cells are stored as they are");
        assert_eq!(read(&file, &shape), Ok(cells), "{element}");
    }
}

#[test]
fn files_of_numpy_are_read() {
    let one_dimension = shape(&[5], &[7], ScalarType::I16);
    let file = npy(&header("<u2", "False", "(2,)"), &[1, 0, 255, 255]);
    assert_eq!(read(&file, &one_dimension), Ok(vec![1, 0, 255, 255]));
}

#[test]
fn another_type_is_refused_with_the_conversion() {
    let data = [0; 16];
    let refusal = |descr: &str, element| {
        read(&npy(&header(descr, "False", "(2,)"), &data), &shape(&[0], &[2], element)).unwrap_err()
    };
    assert_eq!(
        refusal("<f8", ScalarType::F32),
        "holds <f8, the field holds f32 (<f4); convert it, a.astype('<f4')"
    );
    assert_eq!(
        refusal(">f4", ScalarType::F32),
        "holds >f4, the field holds f32 (<f4); convert it, a.astype('<f4')"
    );
    assert_eq!(
        refusal("<f4", ScalarType::Bf16),
        "holds <f4, the field holds bf16 (<u2); save the bits as uint16, a.view('<u2')"
    );
    assert_eq!(
        refusal("<f4", ScalarType::I32),
        "holds <f4, the field holds i32 (<i4 or <u4); convert it, a.astype('<i4')"
    );
}

#[test]
fn another_shape_is_refused_with_both() {
    let field = shape(&[-1, -1], &[3, 5], ScalarType::I8);
    let refusal = |extents: &str| read(&npy(&header("|i1", "False", extents), &[0; 24]), &field);
    assert_eq!(
        refusal("(6, 4)").unwrap_err(),
        "has shape (6, 4), the field [-1,3]x[-1,5]xi8 has shape (4, 6)"
    );
    assert!(refusal("(24,)").unwrap_err().starts_with("has shape (24,), the field"));
    for (extents, reason) in [
        ("()", "has shape (), the field"),
        ("(4611686018427387904, 4611686018427387904)", "has shape (4611686018427387904, 46116"),
        ("(99999999999999999999, 1)", "is not an .npy file: dimension cannot be larger than u64"),
    ] {
        let said = refusal(extents).unwrap_err();
        assert!(said.starts_with(reason), "{said}");
    }
}

#[test]
fn fortran_order_is_refused_with_the_remedy() {
    let field = shape(&[0, 0], &[2, 3], ScalarType::I8);
    let file = npy(&header("|i1", "True", "(2, 3)"), &[0; 6]);
    assert_eq!(
        read(&file, &field).unwrap_err(),
        "is in Fortran order; save numpy.ascontiguousarray(a), which has dimension 0 slowest"
    );
}

#[test]
fn data_has_exactly_the_fields_size() {
    let field = shape(&[0], &[4], ScalarType::F32);
    let file = |bytes: usize| npy(&header("<f4", "False", "(4,)"), &vec![0; bytes]);
    assert_eq!(read(&file(15), &field).unwrap_err(), "ends after 15 of 16 bytes of data");
    assert_eq!(read(&file(17), &field).unwrap_err(), "has bytes after its 16 bytes of data");
    assert!(read(&file(16), &field).is_ok());
}

#[test]
fn truth_values_are_zero_or_one() {
    let field = shape(&[0], &[3], ScalarType::I1);
    let file = npy(&header("|b1", "False", "(3,)"), &[0, 1, 2]);
    assert_eq!(read(&file, &field).unwrap_err(), "holds 2 in cell 2, which is not a truth value");
}

#[test]
fn damaged_headers_are_errors() {
    let field = shape(&[0], &[4], ScalarType::F32);
    let good = npy(&header("<f4", "False", "(4,)"), &[0; 16]);
    for length in 0..good.len() {
        let reason = match (length + 16).checked_sub(good.len()) {
            Some(found) => format!("ends after {found} of 16 bytes of data"),
            None => "is not an .npy file: ".to_owned(),
        };
        let said = read(&good[..length], &field).unwrap_err();
        assert!(said.starts_with(&reason), "the first {length} bytes: {said}");
    }
    let nested = npy(&"(".repeat(60_000), &[]);
    assert!(read(&nested, &field).unwrap_err().starts_with("is not an .npy file: "));
    let nested = npy(&"(".repeat(900), &[]);
    assert!(read(&nested, &field).unwrap_err().starts_with("is not an .npy file: "));
    let records = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}";
    let said = read(&npy(records, &[0; 16]), &field).unwrap_err();
    assert!(said.starts_with("holds [('a', '<f4'), ], the field holds f32 (<f4); "), "{said}");
    assert_eq!(
        read(b"hello, world", &field).unwrap_err(),
        "is not an .npy file: magic not found for NPY file"
    );
}

#[test]
fn missing_files_name_themselves() {
    let error = read_npy(Path::new("/no/such/u.npy"), &shape(&[0], &[1], ScalarType::I8));
    let error = error.unwrap_err();
    assert!(error.to_string().starts_with("'/no/such/u.npy' cannot be read: "), "{error}");
    assert_eq!(error.kind(), ErrorKind::Surroundings);
}

#[test]
fn cells_are_found_by_index() {
    let content = [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0];
    assert_eq!(cell(&content, ScalarType::F32, 0).to_f64(), 1.0);
    assert_eq!(cell(&content, ScalarType::F32, 1).to_f64(), -2.0);
}

/// What is read of a file is checked as if it were all.
#[test]
fn parts_of_a_field_are_read_to_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.npy");
    let shape = shape(&[0], &[8], ScalarType::I1);
    let parts = [Span { local: 1, whole: 5, bytes: 2 }, Span { local: 4, whole: 1, bytes: 1 }];
    let read = |data: &[u8]| {
        fs::write(&path, npy(&header("|b1", "False", "(8,)"), data)).unwrap();
        let mut window = [9; 6];
        let read = read_npy_spans(&path, &shape, &parts, &mut window);
        read.map(|()| window).map_err(|error| error.problem.to_string())
    };
    assert_eq!(read(&[0, 1, 0, 0, 0, 1, 0, 0]), Ok([9, 1, 0, 9, 1, 9]));
    assert_eq!(read(&[2, 1, 2, 0, 0, 1, 0, 0]), Ok([9, 1, 0, 9, 1, 9]));
    let wrong = "holds 2 in cell 6, which is not a truth value";
    assert_eq!(read(&[0, 1, 0, 0, 0, 1, 2, 0]), Err(wrong.to_owned()));
    assert_eq!(read(&[0; 9]), Err("has bytes after its 8 bytes of data".to_owned()));
}
