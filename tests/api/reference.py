"""The API reference is whole: links and pictures lead somewhere, the introduction of each header and a
text for each public function can be read. (That every declaration has a comment is what doxygen's
own warnings are for.)

Arguments: the root of the repository, the folder of HTML pages."""

import html
import pathlib
import re
import sys
import urllib.parse

from tap import Tap

TARGET = re.compile(r'<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\b(?:id|name)="([^"]*)"')
TAG = re.compile(r"<[^>]*>")
INTRODUCTION = re.compile(r"/\*\* \\defgroup (\w+) .*?\n(.*?)\*/", re.DOTALL)
FUNCTION = re.compile(r"^(?:MO_API|static inline) [^;{]*?\b(mo_\w+)\(", re.MULTILINE)
MEMBER = re.compile(r"</span>(mo_\w+)\(\)</h2>.*?<div class=\"memdoc\">(.*?)</div>", re.DOTALL)


def words(text):
    return " ".join(re.findall(r"\w+", text))


def broken_targets(folder, pages):
    anchors = {name: set(ANCHOR.findall(page)) for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for target in TARGET.findall(page):
            url = urllib.parse.urlsplit(html.unescape(target))
            if url.scheme or url.netloc:
                continue
            file = urllib.parse.unquote(url.path) or name
            if not (folder / file).is_file():
                broken.append(f"{name}: {target}")
            elif url.fragment and file in anchors and url.fragment not in anchors[file]:
                broken.append(f"{name}: {target}")
    return sorted(set(broken))


def main():
    root, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    pages = {path.name: path.read_text() for path in folder.glob("*.html")}
    tap = Tap()
    tap.check("there is a main page", [] if "index.html" in pages else [str(folder)])
    tap.check("links and pictures lead somewhere", broken_targets(folder, pages))

    hidden, silent = [], []
    for header in sorted((root / "include" / "motte").glob("*.h")):
        if header.name == "motte.h":
            continue
        text = header.read_text()
        introduction = INTRODUCTION.match(text)
        if not introduction:
            hidden.append(f"{header.name}: does not begin with \\defgroup")
            continue
        page = pages.get(f"group__{introduction[1].replace('_', '__')}.html", "")
        visible = words(html.unescape(TAG.sub(" ", page)))
        for paragraph in introduction[2].split("\n *\n"):
            sentence = words(paragraph.replace("\n *", "\n"))
            if sentence not in visible:
                hidden.append(f"{header.name}: {sentence[:60]}")
        texts = {name: words(TAG.sub(" ", text)) for name, text in MEMBER.findall(page)}
        silent += [f"{header.name}: {name}" for name in FUNCTION.findall(text)
                   if not texts.get(name)]
    tap.check("introductions can be read", hidden)
    tap.check("functions have texts", silent)
    tap.finish()
    sys.exit(tap.failures > 0)


main()
