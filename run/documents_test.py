# SPDX-License-Identifier: MIT
"""What the README files say: their links lead somewhere, and the command knows the options of the
commands that they show."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import command_test

ROOT = pathlib.Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(
    path for room in ["kernels", "microbench", "miniapps", "models", "results", "run"]
    for path in (ROOT / room).rglob("*.md"))])

VERBS = {"accept", "calibrate", "compare", "export", "fit", "fleet", "history", "machines", "mesh", "predict", "report",
         "reproduce", "run", "study", "trace", "transfer"}
WITH_A_SECOND_WORD = ("fleet", "history", "run", "predict", "mesh", "study", "trace")


def anchors(path):
    headings = re.findall(r"(?m)^#+ (.*)$", path.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(path):
    """The words after `bellwether` of the indented lines that show a command."""
    text = path.read_text().replace("\\\n", " ")
    for line in re.findall(r"(?m)^    (.*)$", text):
        found = re.match(r"(?:.* )?[\w/.]*bellwether (\w.*)", line.split("  #")[0])
        if found and found[1].split()[0] in VERBS:
            yield shlex.split(found[1])


class Documents(command_test.CommandTest):
    def test_a_newcomer_reads_100_lines(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 100)

    def test_links(self):
        for path in DOCUMENTS:
            for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
                if link.startswith("http"):
                    continue
                name, _, anchor = link.partition("#")
                target = (path.parent / name).resolve() if name else path
                self.assertTrue(target.exists(), f"{path}: {link}")
                if anchor:
                    self.assertIn(anchor, anchors(target), f"{path}: {link}")

    def test_site(self):
        """Every page is in its navigation, and no link of theirs is broken by MkDocs' rules."""
        pages = [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
        navigation = re.findall(r"(?m): (\S+\.md)$", (ROOT / "run/site/mkdocs.yml").read_text())
        self.assertEqual(sorted(navigation), sorted(str(page.relative_to(ROOT)) for page in pages))
        if shutil.which("mkdocs") is None:
            self.assertNotIn("CI", os.environ)
            self.skipTest("no mkdocs")
        subprocess.run([ROOT / "run/site/build", self.folder / "site"], check=True)
        for page in navigation:
            html = re.sub(r"README\.md$", "index.html", page).replace(".md", ".html")
            self.assertIn("Bellwether", (self.folder / "site" / html).read_text())

    def test_commands(self):
        helps, seen = {}, 0
        for path in DOCUMENTS:
            for words in commands(path):
                verb = tuple(words[:2 if words[0] in WITH_A_SECOND_WORD else 1])
                if "APP" in verb or any(word.startswith("[") for word in words):
                    continue
                if verb not in helps:
                    helps[verb] = self.expect_success(*verb, "--help")
                for word in words[len(verb):]:
                    if re.match(r"-[-a-z]", word):
                        self.assertRegex(helps[verb], rf"(?m)(^|[\s,]){re.escape(word)}\b",
                                         f"{path}: {' '.join(words)}")
                        seen += 1
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
