#!/bin/sh
# Runs the tests of the Python package with the first interpreter that has its dependencies, and states what to install
# where there is none.
set -eu
cd "$(dirname "$0")"

for python in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$python" -c 'import sys; assert sys.version_info >= (3, 11)
import ecdsa, httpx, msgpack, websockets, Cryptodome.Hash.keccak' 2>/dev/null; then
    PYTHONPATH=. exec "$python" -W error::ResourceWarning -m unittest discover -s tests
  fi
done
echo "The Python package is not tested: Python 3.11 with its dependencies is missing. On Debian, install" \
  "python3-ecdsa python3-httpx python3-msgpack python3-pycryptodome python3-websockets."
