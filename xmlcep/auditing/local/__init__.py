"""The audit in one process. Read `engine`, then `document_replay`."""
