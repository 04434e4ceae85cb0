# SPDX-License-Identifier: MIT
"""instructions_test.py LIBRARY...: what a compiler may drop and no result shows. The kernels' libraries are
disassembled: prefetches and stores past the cache are where the sources ask for them, and what is to be
inlined is called nowhere. Skipped (77) without objdump, and on processors with other instructions."""
import platform
import re
import shutil
import subprocess
import sys
import unittest

LIBRARIES = sys.argv[1:]
# The functions of a row, or those into which they are inlined; of each the fewest prefetches into L1, into
# L2, and stores past the cache. Diffusion asks for three rows ahead, or for two into L2, once for a few
# lines at a time and once for a single one, and stores likewise; lattice Boltzmann asks for a line of 18
# arrays.
ROWS, METHOD = r"store_rows?<\(Stores\)", "KokkosDiffusion<{T}>::update"
EXPECTED = {
    "diffusion of {T}, streamed": (rf"{ROWS}1, .*Diffusion\w+<{{T}}|{METHOD}\(", 6, 4, 2),
} | {f"lattice Boltzmann of {{T}}, {options}": (rf"LbmRowUpdate<{options}, {{T}}>", 18, 0, 0)
     for options in ["false, false", "false, true", "true, false", "true, true"]}
INLINED = r"\b(store_lines|ask_ahead|stream_line|fetch_line|LbmRowUpdate<.*>::(step|prefetch)\b)"


def functions(text):
    """Of a disassembly: {name without namespaces: its instructions}."""
    found = {}
    for part in re.split(r"\n(?=[0-9a-f]+ <.*>:\n)", text):
        name, _, body = part.partition(":\n")
        name = re.sub(r"^[0-9a-f]+ |bellwether::|launch::|\(anonymous namespace\)::", "", name)
        found[name] = found.get(name, "") + body
    return found


def faults(text):
    """What is missing, or called though it is to be inlined; a line each."""
    found = functions(text)
    lines = [f"not inlined: {name}" for name in found if re.search(INLINED, name)]
    for kernel, (pattern, to_l1, to_l2, stores) in EXPECTED.items():
        for real in ["float", "double"]:
            bodies = [body for name, body in found.items() if re.search(pattern.replace("{T}", real), name)]
            kind = kernel.replace("{T}", real)
            if not bodies:
                lines.append(f"{kind}: no such function")
            for what, opcode, fewest in [("prefetches", r"\tprefetch(t0|w)\b", to_l1),
                                         ("prefetches into L2", r"\tprefetcht1\b", to_l2),
                                         ("stores past the cache", r"\tv?movnt", stores)]:
                count = sum(len(re.findall(opcode, body)) for body in bodies)
                if bodies and count < fewest:
                    lines.append(f"{kind}: {count} {what}, expected at least {fewest}")
            # A call would take the registers of 19 arrays through memory.
            if "Boltzmann" in kind and any(re.search(r"\tcall.*bellwether", body) for body in bodies):
                lines.append(f"{kind}: calls what is to be inlined")
    return lines


def disassembly(library):
    return subprocess.run(["objdump", "--disassemble", "--demangle", "--no-show-raw-insn", library],
                          capture_output=True, text=True, check=True).stdout


class Instructions(unittest.TestCase):
    def test_each_library(self):
        self.assertTrue(LIBRARIES)
        for library in LIBRARIES:
            with self.subTest(library):
                self.assertEqual(faults(disassembly(library)), [])

    def test_what_is_dropped_is_told(self):
        text = disassembly(LIBRARIES[0])
        told = "\n".join(faults(text.replace("\tprefetch", "\tnop")))
        for real in ["float", "double"]:
            self.assertIn(f"diffusion of {real}, streamed: 0 prefetches, expected at least 6", told)
            self.assertIn(f"diffusion of {real}, streamed: 0 prefetches into L2, expected at least 4", told)
            self.assertIn(f"lattice Boltzmann of {real}, true, false: 0 prefetches", told)
            self.assertIn(f"diffusion of {real}, streamed: 0 stores past the cache",
                          "\n".join(faults(text.replace("movnt", "mov"))))
        line = "    1f40:\t{}\n"
        for helper in ["<void store_lines<float>(float*)>", "<ask_ahead<8>(long)>", "<stream_line(void*)>"]:
            alone = f"\n0000000000001f40 {helper}:\n" + line.format("ret")
            self.assertEqual(faults(text + alone), [f"not inlined: {helper}"])
        call = line.format("call   1f40 <_ZN10bellwether5stepEv>")
        self.assertEqual(faults(re.sub(r"(LbmRowUpdate<true, true, float>::.*>:\n)", r"\1" + call, text)),
                         ["lattice Boltzmann of float, true, true: calls what is to be inlined"])
        self.assertIn("diffusion of float, streamed: no such function", faults(""))


if __name__ == "__main__":
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        print("SKIPPED: needs an x86-64 processor's instructions, and objdump of binutils on PATH")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
