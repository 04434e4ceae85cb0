# SPDX-License-Identifier: MIT
"""Where the loader looks for libraries: run_paths_test.py FOLDER..., or as a test the build's folder. Of no
program or library below them an element is empty or relative, which is the working directory, or the
folder of a build, to which others may write where the program runs: $ORIGIN or a whole path."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

BUILD = pathlib.Path(os.environ.get("BELLWETHER_BUILD", "build")).resolve()


def elf_files(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix not in (".o", ".a"):
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def run_paths(path):
    said = subprocess.run(["readelf", "--wide", "--dynamic", path], capture_output=True, text=True,
                          check=True).stdout
    return re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library \w+: \[(.*)\]", said)


def is_safe(element):
    if re.match(r"\$(ORIGIN|\{ORIGIN\})(/|$)", element):
        return True
    return element.startswith("/") and not pathlib.Path(element).is_relative_to(BUILD)


def unsafe(folder):
    """How many programs and libraries there are, and those with an element that is not safe."""
    found = {path: run_paths(path) for path in elf_files(folder)}
    return len(found), {str(path): paths for path, paths in found.items()
                        if not all(is_safe(one) for whole in paths for one in whole.split(":"))}


class RunPaths(unittest.TestCase):
    def test_the_build(self):
        count, wrong = unsafe(BUILD)
        self.assertGreater(count, 1)
        self.assertEqual(wrong, {})

    def test_what_is_safe(self):
        for element, safe in [("$ORIGIN", True), ("$ORIGIN/../lib", True), ("${ORIGIN}/lib", True),
                              ("/usr/lib", True), ("", False), (".", False), ("lib", False),
                              ("$ORIGINAL", False), (f"{BUILD}/lib", False), (str(BUILD), False)]:
            self.assertEqual(is_safe(element), safe, element)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        unittest.main()
    for folder_ in sys.argv[1:]:
        _, wrong_ = unsafe(folder_)
        if wrong_:
            sys.exit(f"run paths: {wrong_}")
