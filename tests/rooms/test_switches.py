# SPDX-License-Identifier: Apache-2.0
"""QuantizerOptions and MXE_QUANTIZER_SWITCHES have the same members: a switch outside the macro would not be compared,
copied or set by its name."""
import pathlib
import re
import unittest

HEADER = pathlib.Path(__file__).resolve().parents[2] / "model/numerics/block/quantizer_options.h"
MEMBER = re.compile(r"^  [\w:<>]+ (\w+)(?: = [^;]+)?;", re.MULTILINE)


def members_and_switches(text):
    body = re.search(r"^struct QuantizerOptions \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL)[1]
    macro = re.search(r"^#define MXE_QUANTIZER_SWITCHES\(X\)((?:.*\\\n)*.*\n)", text, re.MULTILINE)[1]
    return MEMBER.findall(body), re.findall(r"X\((\w+)\)", macro)


class Switches(unittest.TestCase):
    def setUp(self):
        self.text = HEADER.read_text(encoding="utf-8")

    def test_each_member_is_listed(self):
        members, switches = members_and_switches(self.text)
        self.assertGreater(len(members), 40)
        self.assertEqual(members, switches)

    def test_a_missing_switch_is_found(self):
        for line in ["  X(walk)                         \\\n", "  BlockWalk walk = BlockWalk::axis;\n",
                     "  ScaleFormat scale_format;\n"]:
            self.assertEqual(1, self.text.count(line), line)
            members, switches = members_and_switches(self.text.replace(line, ""))
            self.assertNotEqual(members, switches)


if __name__ == "__main__":
    unittest.main()
