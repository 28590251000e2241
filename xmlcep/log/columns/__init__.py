"""Parquet logs read as columns: most records are checked and passed over without becoming rows.

Read `blocks` (what a reader hands out), then `arrow`.
"""
