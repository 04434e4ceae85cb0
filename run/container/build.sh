#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# In an image of Debian or Ubuntu: builds the source in FOLDER, installs it in /usr/local, and removes what
# only that needed. Both recipes beside it run this.
set -euo pipefail
source=$1
"$source/run/install-packages" --build-alone python3-matplotlib python3-jinja2
cd "$source"
cmake --preset release -B /tmp/build -DBELLWETHER_TESTS=OFF
cmake --build /tmp/build
cmake --install /tmp/build --prefix /usr/local
cd /
rm -rf /tmp/build "$source"
apt-get clean
rm -rf /var/lib/apt/lists/*
bellwether --version
