"""Where the elements of a schema can stand, and which declarations are one.

Read `paths`, then `merging`, `alike`, `cycles`.
"""
