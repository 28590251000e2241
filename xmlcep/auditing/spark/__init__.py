"""The audit as a Spark job.

Read `job` (the steps), `tasks` (what workers run), `mapper` and `router` (records to chunks), `chunks`,
`segment_merge` (what the log as a whole tells), `replayer` (chunks to findings).
"""
