# SPDX-License-Identifier: Apache-2.0
"""Links from pages to files and folders of the project become links to pages of the site that show them.

Example: [mxe_cmd](../rtl/mxe_cmd.sv) in docs/architecture.md links to files/rtl/mxe_cmd.sv.html. A folder's page lists
its files; those to which a page links are links.
"""
import html
import os
import pathlib

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx import addnodes

LONGEST = 400_000  # bytes of a file that is shown; longer ones are only named
LANGUAGES = {".sv": "systemverilog", ".svh": "systemverilog", ".h": "cpp", ".cpp": "cpp", ".c": "c", ".py": "python",
             ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".cmake": "cmake", ".md": "markdown",
             ".sbatch": "bash", ".sdc": "tcl", ".v": "verilog", ".xml": "xml"}


def page_of(path):
    """The page that shows the file or folder, whose path begins at the project's folder."""
    return f"files/{path}"


def sources(env):
    """For each page, the files and folders to which it links."""
    if not hasattr(env, "mxe_sources"):
        env.mxe_sources = {}
    return env.mxe_sources


def link_to(app, docname, path):
    """Adds the page of a file or folder to the site; returns the link to it from the page `docname`."""
    sources(app.env).setdefault(docname, set()).add(path)
    return app.builder.get_relative_uri(docname, page_of(path))


def target_of(app, docname, link):
    """The file or folder of a link, if it exists, without the `#fragment`, from the project's folder."""
    path = os.path.normpath(os.path.join(os.path.dirname(docname), link.partition("#")[0]))
    return path if not path.startswith("..") and (app.srcdir / path).exists() else None


def resolve(app, doctree):
    docname = app.env.docname
    for node in list(doctree.findall(lambda n: isinstance(n, (addnodes.download_reference, addnodes.pending_xref)))):
        if node.get("reftype") != "myst":
            continue
        if node.get("refdomain") == "doc":  # a Markdown file; most are pages of the site
            known = node["reftarget"] in app.env.found_docs
            path = None if known else target_of(app, "", node["reftarget"] + ".md")
        else:
            path = target_of(app, docname, node["reftarget"])
        if path:  # otherwise MyST reports the missing target
            link = nodes.reference("", "", *node.children, internal=True, refuri=link_to(app, docname, path))
            node.replace_self(link)


def language_of(path):
    if path.name == "CMakeLists.txt":
        return "cmake"
    if path.suffix in LANGUAGES:
        return LANGUAGES[path.suffix]
    with path.open("rb") as file:
        first = file.readline()
    return "python" if b"python" in first else "bash" if first.startswith(b"#!") else "text"


def shown(app, path):
    """The content of a file as HTML."""
    if path.stat().st_size > LONGEST:
        return f"<p>{path.stat().st_size} bytes: too long to be shown here.</p>"
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return "<p>Not a text file.</p>"
    return app.builder.highlighter.highlight_block(text, language_of(path), force=True, linenos="inline",
                                                   opts={}, location=str(path))


def listed(app, path, linked):
    """The names of a folder's files; those with a page are links."""
    page, rows = page_of(path), []
    for child in sorted((app.srcdir / path).iterdir()):
        if child.name.startswith((".", "__")) or child.suffix == ".pyc":
            continue
        name = f"<code>{html.escape(child.name)}{'/' if child.is_dir() else ''}</code>"
        if f"{path}/{child.name}" in linked:
            uri = app.builder.get_relative_uri(page, page_of(f"{path}/{child.name}"))
            name = f'<a class="reference internal" href="{uri}">{name}</a>'
        rows.append(f"<li>{name}</li>")
    return f"<ul>{''.join(rows)}</ul>"


def pages(app):
    linked = set().union(*sources(app.env).values())
    for path in sorted(linked):
        full = pathlib.Path(app.srcdir) / path
        body = listed(app, path, linked) if full.is_dir() else shown(app, full)
        title = html.escape(path)
        yield page_of(path), {"title": title, "body": f"<h1><code>{title}</code></h1>\n{body}"}, "page.html"


def purge(app, env, docname):
    sources(env).pop(docname, None)


def setup(app):
    app.add_lexer("csv", TextLexer)
    app.connect("doctree-read", resolve)
    app.connect("env-purge-doc", purge)
    app.connect("html-collect-pages", pages)
    return {"env_version": 1, "parallel_read_safe": False}
