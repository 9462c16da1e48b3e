"""scripts/serve, scripts/check and scripts/test configure one folder, build/: none compiles again what another has compiled."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("serve", "check", "test")


def commands(script, folder):
    """How that script has each object of worker/ compiled, by object."""
    line = next(line for line in (ROOT / "scripts" / script).read_text().replace("\\\n", " ").splitlines()
                if re.search(r"\bcmake -S ", line))
    options = re.findall(r"-D\w+=\w+", line)
    assert options, line
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options],
                   check=True, capture_output=True)
    found = json.loads((folder / "compile_commands.json").read_text())
    return {each["file"].replace(str(folder), "build"): each["command"].replace(str(folder), "build") for each in found
            if "/tests/" not in each["command"].partition(" -o ")[2].partition(" ")[0]}


def test_scripts_compile_our_code_alike(tmp_path):
    serve, *others = (commands(script, tmp_path / script) for script in SCRIPTS)
    assert len(serve) > 50
    for other in others:
        assert {name: other.get(name) for name in serve} == serve
