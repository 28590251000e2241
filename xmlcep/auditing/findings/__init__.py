"""Findings: their order, their bytes, and the files they are in.

Read `order`, `encoding`, `writers`, `by_event`; `collector` gathers what both engines find, `spool` sorts on
disk, `atomic_files` are seen complete or not at all.
"""
