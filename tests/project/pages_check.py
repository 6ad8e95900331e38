"""Pages of runs are well-formed, need nothing from elsewhere, and show every step: told by Python's
own parsers.

usage: pages_check.py LOCKSTEP
"""
import html.parser
import re
import subprocess
import sys
import xml.etree.ElementTree

RUNS = [["check", "set-token-lua", "--fault", "pause=1"], ["check", "set-token-lua"],
        ["check", "set-token-lua", "--max-states", "20"], ["replay", "redlock-all-told"],
        ["replay", "replicated-failover"], ["replay", "px-waiting-barging"],
        ["replay", "set-token-lua-power-loss-everysec"]]
EMPTY = {"meta", "br", "link", "img", "input"}


class Reader(html.parser.HTMLParser):
    """Keeps the elements that are open, and what is wrong with them."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.steps, self.named = [], [], 0, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in EMPTY:
            self.open.append(tag)
        self.named += [attributes["id"]] if "id" in attributes else []
        for name in ("src", "href", "action", "xlink:href"):
            if name in attributes:
                self.wrong.append(f"<{tag} {name}={attributes[name]}>")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> ends something else")


def troubles(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    wrong = list(reader.wrong) + [f"<{tag}> is not closed" for tag in reader.open]
    wrong += [f"id {name} twice" for name in set(reader.named) if reader.named.count(name) > 1]
    for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        xml.etree.ElementTree.fromstring(drawing)
    steps = [int(number) for number in re.findall(r'<li id="s(\d+)"', page)]
    rows = [int(number) for number in re.findall(r'data-step="(\d+)"', page)]
    if steps != rows or steps != list(range(1, len(steps) + 1)):
        wrong.append(f"steps {steps}, rows {rows}")
    if re.search(r"@import|url\((?!#)|https?://", page.split("<body>")[0]):
        wrong.append("its head asks for something from elsewhere")
    return wrong


def main():
    for run in RUNS:
        result = subprocess.run([sys.argv[1], *run, "--format", "html"],
                                capture_output=True, text=True)
        if result.stderr:
            sys.exit(f"{run}: {result.stderr}")
        wrong = troubles(result.stdout)
        if wrong:
            sys.exit(f"{' '.join(run)}: " + "; ".join(wrong[:5]))


if __name__ == "__main__":
    main()
