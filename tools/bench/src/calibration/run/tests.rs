//! Chains of addresses, and what is made of the clocks that warps write.

use super::*;

#[test]
fn a_chain_visits_every_place_once_and_returns() {
    let (address, stride) = (0x7f00_0000_0000, 128);
    for shuffled in [1, 16, 64] {
        let places = Places { bytes: 64 * stride, stride, shuffled };
        let content = chain(address, places);
        let mut at = 0;
        let mut visited = Vec::new();
        for _ in 0..64 {
            visited.push(at);
            let word = content[at as usize..at as usize + 8].try_into().unwrap();
            at = u64::from_le_bytes(word) - address;
        }
        assert_eq!(at, 0, "it is a circle that begins at the first place");
        // Order is lost within a group only.
        let group = |at: &u64| at / stride / shuffled;
        assert!(visited.is_sorted_by_key(group));
        assert_eq!(visited.is_sorted(), shuffled == 1);
        visited.sort_unstable();
        visited.dedup();
        assert_eq!(visited.len(), 64);
    }
}

#[test]
fn cycles_are_those_of_whole_multiprocessors() {
    // Multiprocessor 3 has two warps, number 5 has two, number 7 has one that started late.
    let words = [
        [100, 200, 3, 0],
        [110, 230, 3, 0],
        [1000, 1090, 5, 0],
        [1000, 1100, 5, 0],
        [9000, 9999, 7, 0],
    ];
    let words = words.concat();
    assert_eq!(cycles(&words, 2).unwrap(), Cycles { middle: 130, longest: 130 });
    assert_eq!(cycles(&words, 1).unwrap(), Cycles { middle: 999, longest: 999 });
    let error = cycles(&words, 4).unwrap_err().to_string();
    assert!(error.contains("ran 4 warps, but 1, 2"), "{error}");
    assert!(matches!(cycles(&[0, 5, 0, 0], 1), Err(CalibrationError::Clock)));
    assert!(matches!(cycles(&[9, 9, 0, 0], 1), Err(CalibrationError::Clock)));
}
