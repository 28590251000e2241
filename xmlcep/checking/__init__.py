"""Checks of rules that are right: what in them can never match, or most likely says something else than was meant.

Read `values` (what is known of a text), `places` and `meetings` (where groups can be), then `impossible`,
`time_points`, `comparisons` and `misread`, which say what follows; `unmatched` and `left_out` compare rules with what
has happened. What nodes there are a `Ground` says: nothing (`ground`), or a schema.
"""
