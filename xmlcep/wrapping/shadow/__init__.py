"""What events have reported of a document, node by node; what is different from it, and how an edit is undone."""
