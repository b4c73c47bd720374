"""Runs the examples of the documentation pages. docstrings.py runs the docstrings with the wheel only."""

import doctest
import pathlib

import pytest

PYTHON = pathlib.Path(__file__).parents[1]
PAGES = [PYTHON / "README.md", PYTHON.parents[2] / "docs" / "reference" / "python.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0 and result.attempted >= 5
