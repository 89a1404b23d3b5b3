#[test]
fn random_statements() {}
