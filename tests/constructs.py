"""What rules and histories can be made of beyond the paper's operators, and what of it the engine does not run yet.

`UNKNOWN_TO_THE_ENGINE` is the one place that says so. The tables of `tests/spec` run a row with the engine, and the
laws of `tests/laws` and the strategies' defaults make use of a construct, as soon as it does not stand there. The
decisions that concern these constructs are Z1 to Z26.
"""

from __future__ import annotations

CONSTRUCTS = {
    "edit": "what asks the document while an edit has several records (U1 to U3, U7)",
    "release": "when, with end=custom or end=non-local (U4)",
    "guard": "if (U5, U6)",
    "any": "any[m] (S1)",
    "next": "context=next (S2)",
    "strict": "strict (S3)",
    "slide": "slide (S4)",
    "relation": "during, before … (R1 to R3)",
    "absence": "not, in a sequence (A1, A2, A5)",
    "trailing": "not, at the end of a sequence (A3, A4)",
    "within": "within (Q1 to Q5, W1 to W3, W11)",
    "gap": "gap (W4)",
    "advance": "time passes without a change (W5, W6)",
    "plus": "plus (W7)",
    "aperiodic": "aperiodic (W8)",
    "aperiodic-star": "aperiodic* (W9)",
    "periodic": "periodic (W10)",
    "periodic-star": "periodic* (W10)",
    "filter": "a filter of a leaf (F1 to F4)",
    "scope": "// and //* (F5)",
    "variable": "as and let, bindings in findings (V1, V5, V7)",
    "join": "a variable of several operands (V2, V4)",
    "by": "by (V3)",
    "having": "having (V6)",
    "reference": "reference documents (V8)",
    "opaque": "opaque leaves (O1, O2)",
}

UNKNOWN_TO_THE_ENGINE = frozenset(CONSTRUCTS)
