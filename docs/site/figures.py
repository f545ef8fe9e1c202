# SPDX-License-Identifier: Apache-2.0
"""Pictures of the site. SVG files of docs/figures become part of the page, so that their links work and their colours
follow the page's theme. The directive `wavedrom` draws the timing diagram of a JSON file; its text is the caption, also
for readers who do not see the diagram:

    ```{wavedrom} figures/pass.json
    Passes of 8 rows follow each other without a gap.
    ```
"""
import html
import json
import pathlib
import re

import source_pages
import svg
import wavedrom
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
LINK = re.compile(r'href="([^"]+)"')
NAME = re.compile(r'\b(id|href)="(#?)')


def framed(drawing, label):
    """A picture in a frame that scrolls on narrow screens."""
    label = html.escape(label)
    return nodes.raw("", f'<div class="figure" role="region" tabindex="0" aria-label="{label}">{drawing}</div>',
                     format="html")


def linked(app, docname, path, drawing):
    """The SVG with its links, which begin at the folder of the file, as links of the page."""
    def link(match):
        target, _, fragment = match.group(1).partition("#")
        found = source_pages.target_of(app, str(path), target)
        if not found:
            LOGGER.warning("%s: no file %s", path, target, location=docname)
            return match.group(0)
        document = app.env.path2doc(str(app.srcdir / found)) if found.endswith(".md") else None
        uri = (app.builder.get_relative_uri(docname, document) if document
               else source_pages.link_to(app, docname, found))
        return f'href="{uri}{"#" + fragment if fragment else ""}"'
    return LINK.sub(link, drawing)


def inline(app, doctree):
    docname = app.env.docname
    for image in list(doctree.findall(nodes.image)):
        path = pathlib.PurePosixPath(image["uri"])
        if path.suffix != ".svg":
            continue
        drawing = (app.srcdir / path).read_text(encoding="utf-8")
        drawing = re.sub(r"<\?xml.*?\?>|<!--.*?-->|<style>.*?</style>", "", drawing, flags=re.DOTALL).strip()
        app.env.note_dependency(str(app.srcdir / path))
        image.replace_self(framed(linked(app, docname, path, drawing), image.get("alt", path.stem)))


class Wavedrom(Directive):
    required_arguments = 1
    has_content = True

    def run(self):
        env = self.state.document.settings.env
        relative, path = env.relfn2path(self.arguments[0])
        env.note_dependency(relative)
        wave = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        label = " ".join(self.content)
        if not label:
            raise self.error("a timing diagram needs a description")
        # All drawings name their symbols alike, so the names get that of the diagram as a prefix.
        drawing = NAME.sub(rf'\1="\2{pathlib.Path(path).stem}_', wavedrom.render(json.dumps(wave)).tostring())
        return [framed(drawing, label), nodes.paragraph("", label, classes=["caption"])]


def write_style(app, _):
    """Writes the colours of drawings, which follow the theme that the reader chose."""
    if app.builder.format == "html":
        (app.outdir / "_static/figures.css").write_text(svg.site(), encoding="utf-8")


def setup(app):
    app.add_css_file("figures.css")
    app.connect("build-finished", write_style)
    app.add_directive("wavedrom", Wavedrom)
    app.connect("doctree-read", inline, priority=600)
    return {"parallel_read_safe": False}
