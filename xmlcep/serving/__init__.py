"""A running service: documents, rules and findings over HTTP. Thin: it holds them, and does nothing that the library
does not do by itself.

To read in this order: `journal` (findings with their cursors), `editing`, `store` (documents and rules in a folder),
`group_commit`, `webhooks`, `application` (the routes). Needs the extra ``serve``.
"""
