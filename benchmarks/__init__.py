"""Benchmarks: what matching costs, as a ratio to a hand-written loop run beside it.

``python -m benchmarks`` runs them all; `frame` says what one benchmark is, `histories` makes the input.
"""
