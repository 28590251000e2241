"""Checks of rules that are right: what in them can never match, or most likely says something else than was meant.

A `Ground` (`ground`) says what is known of the documents: nothing, or a schema. Read `values` (what a text can be),
`expressions` (what an expression can find), `places` and `meetings` (where groups can be), then `checks`, the walk
through rules that asks all of these, with `impossible` and `time_points`, which need no ground. `slips` and `misread`
warn of what can match; `unmatched` and `left_out` compare rules with what has happened.
"""
