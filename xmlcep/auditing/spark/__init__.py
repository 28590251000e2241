"""Audits by Spark, over DataFrames; `xmlcep.spark` has what is public.

Read `frames` (what is public), `columns` (what comes in), `replay` (what tasks do with it), `answers` (what comes out),
then `division` (large documents), `stream` and `stream_replay`, `log_source` and `log_reading` (files), `job` and
`session` (what an audit of files does).
"""
