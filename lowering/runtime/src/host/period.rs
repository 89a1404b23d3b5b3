//! Periods in the operations of a run, so that a device can prepare one period.
//!
//! A time loop that rotates two fields launches the same two kernels alternately: its list of
//! operations has the period 2. A device that takes many operations at once (a CUDA graph) takes
//! whole periods, so that all pieces but the last are equal.

/// The smallest `p`, at least 1, such that every element equals the one `p` places before it;
/// the length of the sequence if nothing repeats.
///
/// Method: the failure function of [Knuth, Morris, Pratt, Fast pattern matching in strings, SIAM
/// Journal on Computing, 1977], whose last value is the longest proper prefix that is a suffix too.
pub fn smallest_period<T: Eq>(sequence: &[T]) -> usize {
    let mut borders = vec![0; sequence.len()];
    let mut border = 0;
    for end in 1..sequence.len() {
        while border > 0 && sequence[border] != sequence[end] {
            border = borders[border - 1];
        }
        if sequence[border] == sequence[end] {
            border += 1;
        }
        borders[end] = border;
    }
    (sequence.len() - border).max(1)
}

/// The length of the pieces that a sequence is cut into, of at most `limit` elements each, such
/// that all but the last are equal; none if it has no such pieces.
pub fn piece_length<T: Eq>(sequence: &[T], limit: usize) -> Option<usize> {
    if sequence.len() <= limit {
        return Some(sequence.len());
    }
    let period = smallest_period(sequence);
    (period <= limit).then(|| limit / period * period)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, tried one after the other.
    fn slow_period(sequence: &[u8]) -> usize {
        let repeats = |p: &usize| (*p..sequence.len()).all(|i| sequence[i] == sequence[i - p]);
        (1..sequence.len()).find(repeats).unwrap_or(sequence.len().max(1))
    }

    #[test]
    fn periods_of_time_loops() {
        assert_eq!(smallest_period::<u8>(&[]), 1);
        assert_eq!(smallest_period(&[7]), 1);
        assert_eq!(smallest_period(&[7, 7, 7]), 1);
        assert_eq!(smallest_period(b"ababa"), 2);
        assert_eq!(smallest_period(b"abcabcab"), 3);
        assert_eq!(smallest_period(b"abcd"), 4);
        assert_eq!(smallest_period(b"aabaaab"), 4);
    }

    #[test]
    fn pieces_are_whole_periods() {
        let rotation: Vec<usize> = (0..1000).map(|step| step % 3).collect();
        assert_eq!(piece_length(&rotation, 256), Some(255));
        assert_eq!(piece_length(&rotation[..256], 256), Some(256));
        assert_eq!(piece_length(&rotation, 2), None);
        let all_different: Vec<usize> = (0..300).collect();
        assert_eq!(piece_length(&all_different, 256), None);
        assert_eq!(piece_length::<u8>(&[], 256), Some(0));
    }

    proptest! {
        #[test]
        fn the_period_is_the_smallest(sequence in prop::collection::vec(0_u8..3, 0..40)) {
            prop_assert_eq!(smallest_period(&sequence), slow_period(&sequence));
        }

        #[test]
        fn repeated_words_have_their_period(
            word in prop::collection::vec(0_u8..3, 1..6), length in 0_usize..60,
        ) {
            let sequence: Vec<u8> = word.iter().copied().cycle().take(length).collect();
            prop_assert_eq!(smallest_period(&sequence), slow_period(&sequence));
            prop_assert!(smallest_period(&sequence) <= word.len());
        }

        #[test]
        fn all_pieces_but_the_last_are_equal(
            word in prop::collection::vec(0_u8..4, 1..9),
            length in 1_usize..200,
            limit in 1_usize..20,
        ) {
            let sequence: Vec<u8> = word.iter().copied().cycle().take(length).collect();
            match piece_length(&sequence, limit) {
                None => prop_assert!(length > limit && smallest_period(&sequence) > limit),
                Some(piece) => {
                    prop_assert!(piece <= limit);
                    let pieces: Vec<&[u8]> = sequence.chunks(piece).collect();
                    let (last, whole) = pieces.split_last().unwrap();
                    prop_assert!(whole.iter().all(|other| *other == pieces[0]));
                    prop_assert!(pieces[0].starts_with(last));
                }
            }
        }
    }
}
