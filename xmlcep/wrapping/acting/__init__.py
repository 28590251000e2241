"""Rules that act on a document."""
