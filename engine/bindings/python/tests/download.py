"""Downloads a file unless it exists with this hash, and fails if the download has another one: download.py URL SHA256 FILE."""

import hashlib
import pathlib
import sys
import urllib.request

url, sha256, file = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def digest(content):
    return hashlib.sha256(content).hexdigest()


if not file.exists() or digest(file.read_bytes()) != sha256:
    with urllib.request.urlopen(url, timeout=60) as answer:
        content = answer.read()
    if digest(content) != sha256:
        sys.exit(f"{url} is not the file that is wanted: its SHA-256 is {digest(content)}, not {sha256}")
    partial = file.with_name(file.name + ".partial")
    partial.write_bytes(content)
    partial.rename(file)
