"""The audit in one process. Read `replay`."""
