"""What xDSL 0.74.0 gets wrong or does not manage, with the reason: per pipeline, per program.

Each line is checked, so that it goes when xDSL mends what it is about.
"""

SAME, UNCHANGED = "the same results", "nothing to do"
STOPS, REFUSED, OTHER = "xDSL stops", "refused", "other results"

DEAD = (STOPS, "the argument of an apply that nobody reads keeps unknown bounds while its operand "
               "gets known ones, which does not verify")
FIELDS = (STOPS, "an access must read a temp, and an apply must have results")
NESTED = (STOPS, "a `dyn_access` must stand directly in the apply")
WIDE = (STOPS, "the offsets of an unrolled body are added to all points, so that the load becomes "
               "larger than the field")
BEHIND = (REFUSED, "applies become one, which stands behind a store of one of its results")
NO_MAPPING = (STOPS, "an access of a producer of lower rank loses its mapping")
SIDES = (REFUSED, "the two sides of a combine become one apply, which reads for both sides what "
                  "one of them needs, outside of the field")
STILL_USED = (STOPS, "one result of two gets a buffer, the other one is used directly")
BRANCH = (OTHER, "reads inside of `scf.if` are not moved to the next point")
BY_POINT = (OTHER, "the values of several results are ordered by point, not by result")
BY_POINT_STOPS = (STOPS, BY_POINT[1])
LARGER = (OTHER, "a temp that is stored on two boxes is written on both to both fields")
LATE = (OTHER, "a load becomes the field itself, which was stored to meanwhile")
EXTRA = (STOPS, "after the pairs of a combine its extra results are left, and are not understood")
ONE_APPLY = (STOPS, "one apply on both sides of a combine gets results and destinations")
ONE_BUFFER = (STOPS, "an apply of two results of which one is buffered gets results and "
                     "destinations")

UNROLLED = ("unroll_line", "unroll_results", "unroll_box", "unroll_uneven", "unroll_stored")
WRITE_FIELDS = ("field_operand", "to_field", "through_alloc", "field_in_place")
INFERENCE = {
    "unused": DEAD,
    **dict.fromkeys(UNROLLED, WIDE),
    **dict.fromkeys(WRITE_FIELDS, FIELDS),
    **dict.fromkeys(("dynamic_branch", "window_sum"), NESTED),
}

KNOWN = {
    "shape-inference": INFERENCE,
    "stencil-inlining": {
        **dict.fromkeys(("shared_results", "strips", "overlap", "loop_and_strips"), BEHIND),
        **dict.fromkeys(("combine_line", "combine_columns"), SIDES),
        "low_rank_producer": NO_MAPPING,
    },
    "stencil-storage-materialization": {"buffered_result": STILL_USED},
    "stencil-unroll": {
        **dict.fromkeys(("under_condition", "chess_board", "at_boundary"), BRANCH),
        **dict.fromkeys(
            ("never_stored", "combine_upperext", "combine_both_ext", "combine_ext_across",
             "combine_same_apply", "combine_exchanged", "combine_same_apply_ext"), BY_POINT),
        "narrowed": BY_POINT_STOPS,
    },
    "shape-inference,stencil-bufferize": {
        **dict.fromkeys(WRITE_FIELDS, FIELDS),
        **dict.fromkeys(("dynamic_branch", "window_sum"), NESTED),
        "two_stores": LARGER,
        **dict.fromkeys(("old_and_new", "exchange"), LATE),
        **dict.fromkeys(
            ("combine_lowerext", "combine_upperext", "combine_both_ext", "combine_ext_across",
             "combine_same_apply_ext"), EXTRA),
        "combine_same_apply": ONE_APPLY,
        "buffered_result": ONE_BUFFER,
    },
}
