"""The stubs match the module, and a program that uses them type-checks."""

import pathlib
import subprocess
import sys

SETTINGS = pathlib.Path(__file__).parents[1] / "pyproject.toml"


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_agree_with_the_module():
    run("mypy.stubtest", "--mypy-config-file", str(SETTINGS), "mysql_collation")


def test_a_typed_program(tmp_path):
    run("mypy", "--strict", "--config-file", str(SETTINGS), "--cache-dir", str(tmp_path), str(pathlib.Path(__file__).with_name("typed.py")))
