#!/usr/bin/python3
"""tidy.py FOLDER SOURCE…: runs clang-tidy on sources that CMake has configured in that build folder, one per processor.
A source that passed is not read again before it, a header of it, its options or the checks change. Prints the output of
those that fail; the status is 1 if there is one.
"""

import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

CONFIGURATION = Path(".clang-tidy").read_bytes()
VERSION = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout


def key_of(entry):
    """Everything that the result depends on: also comments, of which some silence a check."""
    command = shlex.split(entry["command"])
    command[command.index("-o") + 1] = "-"
    rule = subprocess.run([*command, "-M"], cwd=entry["directory"], capture_output=True, text=True, check=False).stdout
    files = [Path(entry["file"]), *(Path(entry["directory"], word) for word in rule.replace("\\\n", " ").split()[1:])]
    parts = (VERSION, CONFIGURATION, entry["command"].encode(), *(file.read_bytes() for file in files))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def main(folder, *sources):
    entries = {os.path.relpath(entry["file"]): entry for entry in json.loads((folder / "compile_commands.json").read_text())}
    passed = folder / "tidied"
    passed.mkdir(exist_ok=True)

    def check(source):
        record = passed / key_of(entries[source])
        if record.exists():
            return ""
        # clang accepts one of our options only with this option.
        done = subprocess.run(["clang-tidy", "--quiet", "-p", folder, "--extra-arg=-enable-trivial-auto-var-init-zero-"
                               "knowing-it-will-be-removed-from-clang", source], capture_output=True, text=True, check=False)
        if done.returncode:
            return done.stdout + done.stderr
        record.touch()
        return ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [output for output in pool.map(check, sources) if output]
    print("".join(found), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
