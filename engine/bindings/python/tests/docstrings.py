"""Runs the examples in the package's docstrings with the standard library and the wheel only."""

import doctest
import sys

import mysql_collation


def documented():
    """Returns the package's classes and functions, and the public members of its classes."""
    for name in mysql_collation.__all__:
        thing = getattr(mysql_collation, name)
        if callable(thing):
            yield name, thing
        if isinstance(thing, type):
            yield from ((f"{name}.{member}", value) for member, value in vars(thing).items() if not member.startswith("_"))


runner = doctest.DocTestRunner()
for name, thing in documented():
    assert thing.__doc__, f"{name} has no documentation"
    runner.run(doctest.DocTestParser().get_doctest(thing.__doc__, {}, name, None, None))
assert runner.tries >= 20, f"only {runner.tries} examples were found"
sys.exit(runner.summarize().failed > 0)
