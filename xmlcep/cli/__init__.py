"""The commands of ``xmlcep``, one module each, thin: they read arguments, call the library, print.

Every module here whose name does not start with an underscore, except `main`, is a command of the same
name: a click command called ``command``. `main` imports it when it is asked for. Needs the extra ``cli``.
"""
