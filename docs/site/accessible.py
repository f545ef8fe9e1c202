# SPDX-License-Identifier: Apache-2.0
"""Changes the pages that Sphinx and the theme write so that axe-core finds no violation of accessibility."""
import re

CHANGES = [
    # Headings of the list of pages have a level, and the two side bars have names.
    (re.compile(r'<p class="caption" role="heading">'), '<p class="caption" role="heading" aria-level="2">'),
    (re.compile(r'<aside class="sidebar-drawer">'), '<aside class="sidebar-drawer" aria-label="Pages">'),
    (re.compile(r'<aside class="toc-drawer">'), '<aside class="toc-drawer" aria-label="On this page">'),
    # Parts that scroll are reached by the keyboard.
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (re.compile(r'<div class="table-wrapper ([^"]*)">'), r'<div class="table-wrapper \1" tabindex="0">'),
    # The page of the search has a heading.
    (re.compile(r'(?<!</h1>)<div id="search-results">'), '<h1>Search</h1><div id="search-results">'),
    # A corner of a table is no header.
    (re.compile(r'<th class="head[^"]*"><p></p></th>'), "<td></td>"),
]


def change_pages(app, error):
    if error or app.builder.format != "html":
        return
    for path in app.outdir.rglob("*.html"):
        text = before = path.read_text(encoding="utf-8")
        for pattern, replacement in CHANGES:
            text = pattern.sub(replacement, text)
        if text != before:
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("build-finished", change_pages)
    return {"parallel_read_safe": False}
