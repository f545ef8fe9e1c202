# SPDX-License-Identifier: Apache-2.0
"""Writes SVG drawings of boxes, lines and linked text, with colours for a light and a dark background."""
import html

LIGHT = ("--ink:#1f2733;--dim:#51606f;--line:#7a8794;--box:#f4f7fa;--frame:#c3ccd5;--mark:#d9e8f8;--mark2:#fbe7cf;"
         "--link:#0b5cad;--grid:#dde3e9;--s1:#2f6fb3;--s2:#c8781e;--s3:#3f8f5b;--s4:#8a5aa8")
DARK = ("--ink:#e6ebf0;--dim:#aab6c2;--line:#8d9aa7;--box:#20272f;--frame:#4a5764;--mark:#1d3a56;--mark2:#4d3819;"
        "--link:#8cc4ff;--grid:#303943;--s1:#6aa9e9;--s2:#e6a04d;--s3:#6dbf8b;--s4:#bb90d6")
RULES = """
.mxe-figure text{font:13px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}
.mxe-figure .name{font-weight:600}
.mxe-figure .dim{fill:var(--dim);font-size:12px}
.mxe-figure .code{font:12px "DejaVu Sans Mono",ui-monospace,monospace}
.mxe-figure a text{fill:var(--link)}
.mxe-figure a:hover text,.mxe-figure a:focus text{text-decoration:underline}
.mxe-figure rect{fill:var(--box);stroke:var(--line)}
.mxe-figure rect.frame{fill:none;stroke:var(--frame);stroke-dasharray:5 4}
.mxe-figure rect.mark{fill:var(--mark)}
.mxe-figure rect.mark2{fill:var(--mark2)}
.mxe-figure path{fill:none;stroke:var(--line);stroke-width:1.5}
.mxe-figure path.tip{fill:var(--line);stroke:none}
.mxe-figure path.grid{stroke:var(--grid);stroke-width:1}
"""
RULES += "".join(f".mxe-figure rect.s{number}{{fill:var(--s{number});stroke:none}}\n"
                 f".mxe-figure path.l{number}{{stroke:var(--s{number});stroke-width:2.5}}\n" for number in range(1, 5))


def alone():
    """The style of a file that is shown without the site: the colours follow the reader's system."""
    return f".mxe-figure{{{LIGHT}}}@media (prefers-color-scheme:dark){{.mxe-figure{{{DARK}}}}}{RULES}"


def site():
    """The style for all drawings of the site: the colours follow the choice of the reader on the page."""
    return (f".mxe-figure{{{LIGHT}}}\nbody[data-theme=dark] .mxe-figure{{{DARK}}}\n@media (prefers-color-scheme:dark)"
            f"{{body:not([data-theme=light]) .mxe-figure{{{DARK}}}}}\n{RULES}")


class Drawing:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, text, kind="", link=None, anchor="start"):
        part = f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{html.escape(text)}</text>'
        self.parts.append(f'<a href="{link}">{part}</a>' if link else part)

    def box(self, x, y, width, height, kind=""):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" class="{kind}"/>')

    def block(self, x, y, width, height, name, lines=(), link=None, kind=""):
        """A box with a name and lines of text below it."""
        self.box(x, y, width, height, kind)
        self.text(x + 10, y + 20, name, "name", link)
        for number, line in enumerate(lines):
            self.text(x + 10, y + 38 + 16 * number, line, "dim")

    def row(self, x, y, words, folder):
        """Names in a row, each a link to its file."""
        for word in words:
            self.text(x, y, word, "code", folder.format(word))
            x += len(word) * 7.3 + 12

    def line(self, points, kind):
        """A line through the points `X Y`."""
        self.parts.append(f'<path class="{kind}" d="M{" L".join(points)}"/>')

    def arrow(self, *points, both=False):
        """A line through the points, with a tip at the last one (and the first one)."""
        self.parts.append(f'<path d="M{" L".join(f"{x} {y}" for x, y in points)}"/>')
        for (x0, y0), (x1, y1) in [points[-2:]] + ([(points[1], points[0])] if both else []):
            dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
            self.parts.append(f'<path class="tip" d="M{x1} {y1} L{x1 - 8 * dx - 4 * dy} {y1 - 8 * dy - 4 * dx} '
                              f'L{x1 - 8 * dx + 4 * dy} {y1 - 8 * dy + 4 * dx} Z"/>')

    def written(self, program="docs/figures/draw.py"):
        width, height = self.size
        parts = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" class="mxe-figure" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="group" aria-label="{html.escape(self.title)}">\n'
                f'<!-- SPDX-License-Identifier: Apache-2.0 -->\n<!-- Written by {program} -->\n'
                f"<style>{alone()}</style>\n{parts}\n</svg>\n")
