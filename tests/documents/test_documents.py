# SPDX-License-Identifier: Apache-2.0
"""The test of the documents finds each kind of error, in pages of a few lines."""
import pathlib
import tempfile
import unittest

import documents

# Only blocks that call a program of the build are run; a shell comment is enough.
SH = "```sh\n# build/mxe\n"
GREETING = SH + "echo hello\n```\n"


class Documents(unittest.TestCase):
    def check(self, page):
        with tempfile.TemporaryDirectory() as folder:
            return list(documents.Document(page, pathlib.Path(folder)).check())

    def assert_wrong(self, page, text):
        wrong = self.check(page)
        self.assertEqual(len(wrong), 1, wrong)
        self.assertIn(text, wrong[0])

    def test_true_page(self):
        self.assertEqual(self.check(GREETING + "\n```\nhello\n```\nand\n```\na picture\n```\n"), [])

    def test_commands_that_fail(self):
        self.assert_wrong("text\n\n" + SH + "true\nfalse\n```\n", "3: exit status 1")
        self.assert_wrong(SH + "echo $no_such_name\n```\n", "no_such_name")

    def test_output_that_differs(self):
        self.assert_wrong(GREETING + "\n```\nhallo\n```\n", "-hallo\n+hello")
        self.assert_wrong(GREETING + "```\nhello\nhello\n```\n", "-hello")

    def test_seconds_may_differ(self):
        page = SH + "echo '7 jobs in 1.25 s'\n```\n```\n{} jobs in 60 s\n```\n"
        self.assertEqual(self.check(page.format(7)), [])
        self.assert_wrong(page.format(8), "jobs in")

    def test_output_of_a_named_command(self):
        page = GREETING + "says\n\n<!-- run: printf 'a\\nb\\n' -->\n```\na\n{}\n```\n"
        self.assertEqual(self.check(page.format("b")), [])
        self.assert_wrong(page.format("c"), "-c\n+b")

    def test_update(self):
        page = GREETING + "\n```\n{}\n```\nand\n<!-- run: seq 3 -->\n```\n{}\n```\nend\n"
        with tempfile.TemporaryDirectory() as folder:
            document = documents.Document(page.format("hallo\nwelt", "1"), pathlib.Path(folder))
            self.assertEqual(len(list(document.check())), 2)
            self.assertEqual(document.updated(), page.format("hello", "1\n2\n3"))

    def test_files(self):
        page = "<!-- run: grep -q 7 block.json -->\n```json\n{}\n```\n"
        self.assertEqual(self.check(page.format(7)), [])
        self.assert_wrong(page.format(8), "exit status 1")

    def test_figures(self):
        page = "<!-- figures: echo 7; echo 1,234 -->\nThere are {} jobs\nin {} cases.\n\nAnd 7.\n"
        self.assertEqual(self.check(page.format("1,234", "7")), [])
        self.assert_wrong(page.format("1,234", "17"), "7 is not in this paragraph")
        self.assert_wrong(page.format("1,234", "7.5"), "7 is not in this paragraph")
        self.assert_wrong(page.format("11,234", "7"), "1,234 is not in this paragraph")

    def test_shorter(self):
        page = "<!-- shorter: {} => exit 0 -->\n" + SH + "exit 9\n```\n\n```\nwhatever\n```\n"
        self.assertEqual(self.check(page.format("exit 9")), [])
        self.assert_wrong(page.format("exit 8"), "nothing to shorten")

    def test_not_run(self):
        self.assertEqual(self.check(GREETING + "<!-- not run: slow -->\n" + SH + "false\n```\n"), [])
        self.assert_wrong("<!-- not run: slow -->\n" + SH + "false\n```\n", "no block is run")

    def test_commands_of_other_tests(self):
        self.assertEqual(self.check(GREETING + "```sh\ncmake --install build\n```\n"), [])

    def test_a_comment_belongs_to_the_next_block_only(self):
        page = GREETING + "<!-- not run: slow -->\ntext\n" + SH + "false\n```\n"
        self.assert_wrong(page, "exit status")

    def test_blocks_share_a_folder(self):
        page = SH + "echo 1 >file\n```\n" + SH + "cat file\n```\n```\n1\n```\n"
        self.assertEqual(self.check(page), [])


if __name__ == "__main__":
    unittest.main()
