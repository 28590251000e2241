"""Audits by Spark, over DataFrames; `xmlcep.spark` has what is public.

Read `frames` (what is public), `columns` (what comes in), `replay` (what tasks do with it), `answers` (what comes out),
then `log_source` and `log_reading` (files), `job` and `session` (`audit` with Spark).
"""
