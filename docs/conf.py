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
sys.path[:0] = [str(HERE / "site"), str(HERE / "figures"), str(ROOT / "sw/python")]

project = "MXE"
version = re.search(r"project\(mxe VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
release = version
author = "the authors of MXE"
copyright = author

extensions = ["myst_parser", "sphinx.ext.autodoc", "breathe", "source_pages", "figures", "interfaces",
              "accessible"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "docs/reference/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
exclude_patterns = ["build*", ".*", "docs/examples", "model", "rtl", "scripts", "sw", "tb", "tests", "cmake"]
source_suffix = {".md": "markdown"}
default_role = "literal"  # `name` in docstrings

# The interfaces in C, C++ and Python (docs/site/interfaces.py).
breathe_domain_by_file_pattern = {"*/mxe_*.h": "c"}
suppress_warnings = ["duplicate_declaration.cpp"]  # of namespaces: breathe declares them once per header
autodoc_mock_imports = ["mxe._core", "numpy", "torch", "onnx", "jax", "ml_dtypes"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"

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
