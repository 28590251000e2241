"""Rules in editors: what is wrong in them, what is at a place, what can be written there (docs/editors.md).

Read `problems` (what is to be said of rules files), `names` (where events and variables are written), `paths` (which
there can be), `hovers` and `completion` (what to say at a place), `server` (all of it in the Language Server Protocol).
"""
