# SPDX-License-Identifier: MIT
"""Reads VTK image data (.vti, appended raw blocks of Float32 with 64-bit sizes) strictly, as a test
of what is written: the XML around the blocks, the blocks' sizes, nothing between or after them."""
import array
import xml.etree.ElementTree as ElementTree

BEGIN = b'<AppendedData encoding="raw">\n   _'
END = b"\n  </AppendedData>\n</VTKFile>\n"


def read(path):
    """Cells in x, y and z, and each array's values by name, x fastest, a cell's components together."""
    content = path.read_bytes()
    begin = content.index(BEGIN) + len(BEGIN)
    assert content.endswith(END), "what ends the file"
    blocks = content[begin:-len(END)]
    # Without the raw bytes, which are no XML, the file is a document.
    root = ElementTree.fromstring(content[:begin] + END)
    assert root.tag == "VTKFile" and root.attrib["type"] == "ImageData", root.attrib
    assert root.attrib["byte_order"] == "LittleEndian", root.attrib
    assert root.attrib["header_type"] == "UInt64", root.attrib
    (image,) = root.findall("ImageData")
    (piece,) = image.findall("Piece")
    assert piece.attrib["Extent"] == image.attrib["WholeExtent"]
    extent = [int(word) for word in image.attrib["WholeExtent"].split()]
    assert extent[::2] == [0, 0, 0], extent
    cells = extent[1::2]
    count = cells[0] * cells[1] * cells[2]
    values, expected_at = {}, 0
    for data in piece.find("CellData"):
        assert data.attrib["type"] == "Float32" and data.attrib["format"] == "appended"
        at = int(data.attrib["offset"])
        assert at == expected_at, f"{at} is not where the block before ends, {expected_at}"
        size = int.from_bytes(blocks[at:at + 8], "little")
        assert size == 4 * count * int(data.attrib["NumberOfComponents"]), size
        expected_at = at + 8 + size
        values[data.attrib["Name"]] = array.array("f", blocks[at + 8:expected_at])
    assert expected_at == len(blocks), f"{len(blocks) - expected_at} bytes after the last block"
    return cells, values
