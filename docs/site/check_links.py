#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the links of a site within the site: the file exists, and the fragment is an id in it.

  docs/site/check_links.py build/site

Exit status: 0, or 1 with a line for each dead link.
"""
import functools
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src", "xlink:href") and value:
                self.links.append((self.getpos()[0], value))
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)


@functools.cache
def page_at(path):
    return Page(path)


def dead_links(site):
    """Yields (page, line, link, problem)."""
    for path in sorted(site.rglob("*.html")):
        for line, link in page_at(path).links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield path, line, link, "no such file"
            elif (parts.fragment and target.suffix == ".html"
                  and urllib.parse.unquote(parts.fragment) not in page_at(target).ids):
                yield path, line, link, "no such id in that page"


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
