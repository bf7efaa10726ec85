#!/bin/sh
# What a fresh machine must have besides Python and make: a C++20 compiler, Python's headers and venv.
# As root the missing ones are installed with apt-get; otherwise one sentence names them.
set -u
PYTHON=${PYTHON:-python3}
if command -v "$PYTHON" >/dev/null 2>&1 && ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "nearkin needs Python 3.11 or later; name one, as in: make PYTHON=python3.12" >&2
    exit 1
fi
missing=""
command -v "$PYTHON" >/dev/null 2>&1 || missing="$missing python3"
command -v c++ >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || missing="$missing g++"
"$PYTHON" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
"$PYTHON" -c 'import sysconfig, pathlib, sys; sys.exit(not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").exists())' \
    >/dev/null 2>&1 || missing="$missing python3-dev"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $missing && exit 0
fi
echo "nearkin needs these system packages:$missing. Install them and run make again." >&2
exit 1
