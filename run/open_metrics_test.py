# SPDX-License-Identifier: MIT
"""A parser of OpenMetrics text by the rules of its specification (version 1.0, sections "Data Model" and "Text
format"), as far as gauges need it: it raises AssertionError for what breaks one. run/history_test.py uses it."""
import re

METRIC_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.I)
# Of other types' samples: a gauge that ends so would clash with them.
RESERVED = ("_total", "_created", "_count", "_sum", "_bucket", "_gcount", "_gsum", "_info")


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text)


class Family:
    def __init__(self, name):
        self.name, self.metadata = name, {}
        self.metrics = {}  # labels as sorted pairs: [(timestamp or None, value)]


def labels_of(text, line):
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found, f"no label: {line}"
        assert found[1] not in labels, f"label {found[1]} twice: {line}"
        assert not found[1].startswith("__"), f"reserved label: {line}"
        labels[found[1]] = unescaped(found[2])
        at = found.end()
        assert at == len(text) or text[at] == ",", f"after a label: {line}"
        at += at < len(text)
        assert at < len(text) or not text.endswith(","), f"a comma without a label: {line}"
    return tuple(sorted(labels.items()))


def parse(text):
    """The families by their names."""
    assert isinstance(text, str) and "\r" not in text
    assert text.endswith("# EOF\n"), "no # EOF at the end"
    lines = text.removesuffix("# EOF\n").split("\n")
    assert lines.pop() == "", "a line without its end before # EOF"
    families, family, metric = {}, None, None
    for line in lines:
        assert line and line == line.strip(), f"blank: {line!r}"
        if line.startswith("#"):
            found = re.fullmatch(r"# (TYPE|UNIT|HELP) (\S+)(?: (.*))?", line)
            assert found, f"no metadata: {line}"
            kind, name, value = found.groups()
            assert METRIC_NAME.fullmatch(name), line
            if family is None or family.name != name:
                assert name not in families, f"{name} is interleaved with others"
                family, metric = Family(name), None
                families[name] = family
            assert not family.metrics, f"metadata after samples: {line}"
            assert kind not in family.metadata, f"twice: {line}"
            family.metadata[kind] = value
            if kind == "TYPE":
                assert value == "gauge", f"only gauges are expected: {line}"
                assert not name.endswith(RESERVED), f"reserved ending: {line}"
            if kind == "UNIT":
                assert re.fullmatch(r"[a-zA-Z0-9_:]+", value), line
                assert name.endswith("_" + value), f"the unit is no suffix: {line}"
            continue
        found = re.fullmatch(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: (\S+))?", line)
        assert found, f"no sample: {line}"
        name, labels, value, time = found.groups()
        assert family is not None and name == family.name, f"a sample of no family: {line}"
        assert "TYPE" in family.metadata, f"without a type: {line}"
        assert NUMBER.fullmatch(value), f"no number: {line}"
        assert time is None or re.fullmatch(r"[+-]?\d+(\.\d*)?", time), f"no timestamp: {line}"
        labels = labels_of(labels or "", line)
        if metric != labels:
            assert labels not in family.metrics, f"a metric twice: {line}"
            family.metrics[labels] = []
            metric = labels
        points = family.metrics[labels]
        if points:
            assert time is not None and points[-1][0] is not None, f"a point twice: {line}"
            assert float(time) > points[-1][0], f"time does not rise: {line}"
        points.append((time and float(time), float(value)))
    return families
