# SPDX-License-Identifier: Apache-2.0
"""Each of these rules has one place in C++; no other source file has it. Tests of arithmetic are excluded: they
compare with definitions of their own."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["model", "sw", "tb", "tests/cosim", "tests/unit/explore", "tests/unit/rtl"]
NO_NEST = "model/numerics/"  # below the engine's sizes; a quantizer has other halves
WORD = r"(?:\w+::)*(?:kLanes|kBlockSize|32)\b"
NEST = "model/params/nest.h"  # the sizes of the loop nest
ARITHMETIC = "model/numerics/gemm/accumulate.h"
DUAL_PAIR = r"(?:\w+::)*is_dual_pair\("
# Name: (place, pattern)
RULES = {
    "halves of the last two parts": (
        NEST, r"\bleft \+ 1\) / 2|\bboth / 2|\bmost\) return most|/ 2 >= \w*most|\brows \+ 1\) / 2"),
    "chunks of few rows": (NEST, r"\brows / [48]\b|\brows / few\b"),
    "words of a chunk": (NEST, rf"\ba_slab_k / {WORD} <<|\bchunk \*= 2"),
    "words of a slab": (NEST, r"2 \* \w*(?:slab|words)\w* <= |2 \* [\w.]*b_buf_k <= |\bslab_? (?:/|\*)= 2"),
    "wide tiles": (NEST, rf"\bm < (?:kMinPass|7)\b|\b(?:kMinPass|7) \* [\w.]*mem_bytes|\bb_buf_k > {WORD}"),
    "columns of a tile": (NEST, r"\bwide \? 2 \* [\w.]*(?:num_pe|cols)"),
    "formats of the dual rate": (
        ARITHMETIC, r"\bis_four_bit\([^;]*\)\s*&&\s*(?:\w+::)*is_four_bit\(|\bis_?4(?:\([^;&]*\))?\s*&&\s*[\w.]*is_?4\b"
                    rf"|\bfp4_dual(?: != 0)?\s*&&\s*(?!\s|{DUAL_PAIR})"),
}


def rules_in(text):
    for rule, (place, pattern) in RULES.items():
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.start()) + 1, rule, place


class Rules(unittest.TestCase):
    def test_no_other_file_has_a_rule(self):
        found = []
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob("*")):
                name = path.relative_to(ROOT).as_posix()
                if path.suffix in {".h", ".cpp"}:
                    found += [f"{name}:{number}: {rule}: use {place}"
                              for number, rule, place in rules_in(path.read_text(encoding="utf-8"))
                              if name != place and not (place == NEST and name.startswith(NO_NEST))]
        self.assertEqual([], found)

    def test_each_place_has_its_rules(self):
        for place in (NEST, ARITHMETIC):
            text = (ROOT / place).read_text(encoding="utf-8")
            self.assertEqual({rule for rule, (home, _) in RULES.items() if home == place},
                             {rule for _, rule, _ in rules_in(text)})

    def test_earlier_copies_are_found(self):
        for rule, text in [
                ("halves of the last two parts", "const uint64_t half = (left + 1) / 2;"),
                ("halves of the last two parts", "if (left / 2 >= most) return most;"),
                ("halves of the last two parts", "stripe_of(both / 2) + stripe_of(both - both / 2);"),
                ("chunks of few rows", "for (unsigned few = 2; few <= 8 && m <= rows / few; few *= 2) chunk *= 2;"),
                ("words of a chunk", "const bool one = k_words <= params_.a_slab_k / kLanes << chunk_shift(params_.rows, m);"),
                ("words of a slab", "if (levels.long_slab && 2 * slab <= chunk) slab *= 2;"),
                ("words of a slab", "const bool twice = long_slab && 2 * words <= params.a_slab_k / kLanes;"),
                ("wide tiles", "const bool few_rows = job.m < 7;"),
                ("wide tiles", "params.num_pe * word_bytes < kMinPass * params.mem_bytes();"),
                ("columns of a tile", "tile_cols_(levels.wide ? 2 * cols_ : cols_),"),
                ("formats of the dual rate", "return numerics::is_four_bit(job.a()) && numerics::is_four_bit(job.b());"),
                ("formats of the dual rate", "const bool dual = params.fp4_dual != 0 && numerics::is_four_bit(shape.format_a) &&\n"
                                             "                  numerics::is_four_bit(shape.format_b);"),
                ("formats of the dual rate", "params.fp4_dual != 0 &&\n      numerics::is_four_bit(format_a)"),
                ("formats of the dual rate", "const bool dual = params().fp4_dual && a.is4 && b.is4;"),
                ("formats of the dual rate", "const bool dual = params_.fp4_dual != 0 && is4(job.a) && is4(job.b);"),
                ("formats of the dual rate", "params.fp4_dual != 0 && format == numerics::FormatId::mxfp4_e2m1;")]:
            self.assertIn(rule, [found for _, found, _ in rules_in(text)], text)

    def test_a_call_is_not_a_copy(self):
        for text in ["const bool dual = params.fp4_dual != 0 && numerics::is_dual_pair(a, b);",
                     "params().fp4_dual &&\n      numerics::is_dual_pair(format_a, format_b)"]:
            self.assertEqual([], list(rules_in(text)), text)


if __name__ == "__main__":
    unittest.main()
