# SPDX-License-Identifier: Apache-2.0
"""The documentation site: Sphinx and MyST read the Markdown pages where they are. scripts/docs builds it.

The source folder is the project's folder, so links from pages to files of the project (../rtl/mxe_cmd.sv) are links
to pages of the site with these files.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE / "site"), str(HERE / "figures")]

project = "MXE"
version = re.search(r"project\(mxe VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
release = version
author = "the authors of MXE"
copyright = author

extensions = ["myst_parser", "source_pages", "figures"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "docs/reference/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = ["build*", ".*", "docs/examples", "model", "rtl", "scripts", "sw", "tb", "tests", "cmake"]
source_suffix = {".md": "markdown"}
nitpicky = True

myst_heading_anchors = 6
myst_enable_extensions = ["attrs_block"]
highlight_language = "text"
pygments_style = "default"
pygments_dark_style = "github-dark"

html_theme = "furo"
html_title = "MXE"
html_static_path = ["site/static"]
html_extra_path = ["site/extra"]  # index.html leads to docs/index.html
html_css_files = ["mxe.css"]
html_copy_source = False
html_show_copyright = False
templates_path = ["site/templates"]
