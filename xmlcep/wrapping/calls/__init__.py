"""lxml's calls on tracked trees: what is looked at before each, and what is emitted after it."""
