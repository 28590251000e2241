"""Where the elements of a schema can be, and which declarations are one.

Read `paths`, then `merging`, `alike`, `cycles`.
"""
