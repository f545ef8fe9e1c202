#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a site within the site: the file exists, and the fragment is an id in it.

  docs/site/check_links.py build/site

Exit status: 0, or 1 with a line for each dead link.
"""
import functools
import html
import pathlib
import re
import sys
import urllib.parse

TAG = re.compile(r"<[a-zA-Z][^<>]*>")
VALUE = re.compile(r'\s(href|src|xlink:href|id)="([^"]*)"')


class Page:
    """The links and the ids of a page. Sphinx writes all values of attributes in quotation marks."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.links, self.ids = [], set()
        for tag in TAG.finditer(self.text):
            for name, value in VALUE.findall(tag[0]):
                if name == "id":
                    self.ids.add(html.unescape(value))
                elif value:
                    self.links.append((tag.start(), html.unescape(value)))

    def line(self, place):
        return self.text.count("\n", 0, place) + 1


@functools.cache
def page_at(path):
    return Page(path)


def dead_links(site):
    """Yields (page, line, link, problem)."""
    for path in sorted(site.rglob("*.html")):
        page = page_at(path)
        for place, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield path, page.line(place), link, "no such file"
            elif (parts.fragment and target.suffix == ".html"
                  and urllib.parse.unquote(parts.fragment) not in page_at(target).ids):
                yield path, page.line(place), link, "no such id in that page"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    dead = list(dead_links(site))
    for path, line, link, problem in dead:
        print(f"{path.relative_to(site)}:{line}: {link}: {problem}", file=sys.stderr)
    if not next(site.rglob("*.html"), None):
        sys.exit(f"{site}: no pages")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
