"""What the pages show is what comes out. The docstrings are run by docstrings.py, with nothing installed but the wheel."""

import doctest
import pathlib

import pytest

PYTHON = pathlib.Path(__file__).parents[1]
PAGES = [PYTHON / "README.md", PYTHON.parents[1] / "docs" / "python.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0 and result.attempted >= 5
