"""A venue for tests: this repository's development command, with funded accounts."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NODE = ROOT / "node_modules/.bin/node"


class Venue:
    """Runs until closed. The keys of its accounts are public."""

    def __init__(self, port=0, data=None):
        self.data = data or tempfile.mkdtemp(prefix="oddlot-python-")
        self._owns_data = data is None
        node = str(_NODE) if _NODE.exists() else "node"
        command = [node, str(ROOT / "packages/cli/src/main.ts"), "dev"]
        options = ["--port", str(port), "--still", "--no-bots", "--accounts", "3"]
        self._process = subprocess.Popen(
            [*command, *options, "--data", self.data],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.keys = []
        self.url = ""
        for line in self._process.stdout:
            found = re.search(r"running at (http://\S+)", line)
            if found:
                self.url = found.group(1)
            self.keys += re.findall(r"0x[0-9a-f]{64}", line)
            if "Ctrl-C" in line:
                return
        raise RuntimeError("The venue did not start")

    def kill(self):
        """Kills the process without warning and keeps the data."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def close(self):
        self._process.terminate()
        self._process.wait(30)
        self._process.stdout.close()
        if self._owns_data:
            shutil.rmtree(self.data, ignore_errors=True)
