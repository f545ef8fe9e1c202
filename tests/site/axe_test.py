# SPDX-License-Identifier: Apache-2.0
"""axe-core finds no violation of accessibility on the pages of the site in Chromium, and no page is wider than the window.

    tests/site/axe_test.py SITE [--all | PAGE...]

Without --all and PAGE, a page of each kind is tested (tables and plots, block and timing diagrams, text, a folder), on a
desktop with a light background or on a phone with a dark one. --all tests all pages in all four combinations, in minutes;
PAGE tests that page in all four, for example docs/clock.html.
"""
import argparse
import itertools
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/report"))

from browser import SKIPPED, Browser, require  # noqa: E402

SIZES = {"desktop": {"width": 1400, "height": 1000}, "phone": {"width": 390, "height": 844, "mobile": True}}
MODES = list(itertools.product(SIZES, ("light", "dark")))
KINDS = ("docs/clock.html", "docs/architecture.html", "docs/formats.html", "files/tests/cosim/cases.html")
OTHERS = ("README.html", "CONTRIBUTING.html", "CHANGELOG.html", "search.html", "files/rtl/mxe_cmd.sv.html",
          "files/tests/cosim/cases.html")
RUN = """
const done = arguments[0];
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations.map(
    (one) => `${one.id} (${one.nodes.length}): ${one.nodes[0].html.slice(0, 160)}`)));"""


class Pages:
    def __init__(self, site):
        [axe] = (ROOT / ".venv-docs").glob("lib/python3*/site-packages/axe_playwright_python/axe.min.js")
        self.site, self.axe = site, axe.read_text(encoding="utf-8")
        self.browser = Browser()
        self.browser.driver.set_script_timeout(600)

    def violations(self, page, size, scheme, change=""):
        self.browser.open(str(self.site / page), scheme=scheme, **SIZES[size])
        self.browser.run(change + self.axe)
        found = self.browser.driver.execute_async_script(RUN)
        if self.browser.run("return document.documentElement.scrollWidth") > SIZES[size]["width"]:
            found.append("wider than the window")
        return [f"{page}, {size}, {scheme}: {one}" for one in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    require()
    site = options.site.resolve()
    if not (ROOT / ".venv-docs").exists():
        print("skipped: no .venv-docs, which scripts/docs makes")
        return SKIPPED
    names = options.pages or KINDS
    if options.all:
        names = sorted(str(path.relative_to(site)) for path in site.glob("docs/**/*.html")) + list(OTHERS)
    if missing := [name for name in names if not (site / name).exists()]:
        parser.exit(2, f"{site}: no page '{missing[0]}'; allowed: paths in this folder, for example docs/clock.html\n")
    in_all_modes = options.all or options.pages
    pages = Pages(site)
    try:
        # A planted violation and a planted overflow are found.
        planted = pages.violations("README.html", "phone", "light", """
            document.body.insertAdjacentHTML("beforeend", '<div style="width: 2000px"><img></div>');""")
        if not ("image-alt" in str(planted) and "wider than" in str(planted)):
            sys.exit(f"the planted violations were not found: {planted}")
        wrong = []
        for number, page in enumerate(names):
            for size, scheme in MODES if in_all_modes else [MODES[3 * (number % 2)]]:
                found = pages.violations(page, size, scheme)
                print(*(found or [f"{page}, {size}, {scheme}: no violation"]), sep="\n", flush=True)
                wrong += found
    finally:
        pages.browser.close()
    print(f"{len(names)} pages: {len(wrong)} violations")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
