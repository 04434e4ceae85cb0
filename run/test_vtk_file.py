# SPDX-License-Identifier: MIT
"""Reads VTK files (.vti, .vtu: appended raw blocks with 64-bit sizes) strictly, as a test of what is
written: the XML around the blocks, the blocks' sizes, nothing between or after them."""
import array
import xml.etree.ElementTree as ElementTree

BEGIN = b'<AppendedData encoding="raw">\n   _'
END = b"\n  </AppendedData>\n</VTKFile>\n"
CODES = {"Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}


def read(path, kind):
    """The data set's element, its piece, and each section's arrays by name: values of a tuple
    together, and how many there are in a tuple."""
    content = path.read_bytes()
    begin = content.index(BEGIN) + len(BEGIN)
    assert content.endswith(END), "what ends the file"
    blocks = content[begin:-len(END)]
    # Without the raw bytes, which are no XML, the file is a document.
    root = ElementTree.fromstring(content[:begin] + END)
    assert root.tag == "VTKFile" and root.attrib["type"] == kind, root.attrib
    assert root.attrib["byte_order"] == "LittleEndian", root.attrib
    assert root.attrib["header_type"] == "UInt64", root.attrib
    (data_set,) = root.findall(kind)
    (piece,) = data_set.findall("Piece")
    sections, expected_at = {}, 0
    for section in piece:
        sections[section.tag] = {}
        for data in section:
            assert data.attrib["format"] == "appended"
            at = int(data.attrib["offset"])
            assert at == expected_at, f"{at} is not where the block before ends, {expected_at}"
            size = int.from_bytes(blocks[at:at + 8], "little")
            expected_at = at + 8 + size
            values = array.array(CODES[data.attrib["type"]], blocks[at + 8:expected_at])
            sections[section.tag][data.attrib["Name"]] = (
                values, int(data.attrib["NumberOfComponents"]))
    assert expected_at == len(blocks), f"{len(blocks) - expected_at} bytes after the last block"
    return data_set, piece, sections


def checked(arrays, tuples):
    """Their values alone, of as many tuples each."""
    for name, (values, components) in arrays.items():
        assert len(values) == components * tuples, name
    return {name: values for name, (values, _) in arrays.items()}


def read_image(path):
    """Cells in x, y and z, and each array's values by name, x fastest."""
    image, piece, sections = read(path, "ImageData")
    assert piece.attrib["Extent"] == image.attrib["WholeExtent"]
    extent = [int(word) for word in image.attrib["WholeExtent"].split()]
    assert extent[::2] == [0, 0, 0], extent
    cells = extent[1::2]
    assert list(sections) == ["CellData"], list(sections)
    values = checked(sections["CellData"], cells[0] * cells[1] * cells[2])
    assert all(of.typecode == "f" for of in values.values())
    return cells, values


def read_grid(path):
    """Points, each cell's points, and the cells' arrays by name, of a grid of quadrilaterals."""
    _, piece, sections = read(path, "UnstructuredGrid")
    nodes, cells = (int(piece.attrib[key]) for key in ["NumberOfPoints", "NumberOfCells"])
    assert list(sections) == ["Points", "Cells", "CellData"], list(sections)
    (points,) = checked(sections["Points"], nodes).values()
    shape = {name: values for name, (values, _) in sections["Cells"].items()}
    assert list(shape["types"]) == [9] * cells, "VTK_QUAD"
    assert list(shape["offsets"]) == list(range(4, 4 * cells + 1, 4))
    corners = shape["connectivity"]
    assert len(corners) == 4 * cells and 0 <= min(corners) and max(corners) < nodes
    return ([tuple(points[n:n + 3]) for n in range(0, 3 * nodes, 3)],
            [tuple(corners[n:n + 4]) for n in range(0, 4 * cells, 4)],
            checked(sections["CellData"], cells))
