#!/usr/bin/env python3
"""Opens runs in every format with what really reads it: Mermaid's parser, markdown-it, Chromium.
Walks through each page by its keys, buttons and rows.
In continuous integration with a few scenarios, once a week with all: it needs npm (and the network),
and takes minutes then.

usage: formats.py LOCKSTEP [NAME ...]    every scenario, or those that begin with one of these
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

READER = """
import fs from 'node:fs';
import { JSDOM } from 'jsdom';
const dom = new JSDOM('<body></body>');
Object.assign(globalThis, { window: dom.window, document: dom.window.document });
const { default: mermaid } = await import('mermaid');
const { default: MarkdownIt } = await import('markdown-it');
const markdown = new MarkdownIt({ html: true });
const walk = (name, steps) => {
  const page = fs.readFileSync(name + '.html', 'utf8');
  const open = at => new JSDOM(page, { runScripts: 'dangerously', url: 'http://page/' + at }).window;
  const { document, Event, KeyboardEvent } = open('');
  const at = (what, step, place = document) => {
    const shown = [...place.querySelectorAll('.steps > ol > li')].findIndex(li => li.matches('.now')) + 1;
    const row = [...place.querySelectorAll('.diagram .row')].findIndex(one => one.matches('.now')) + 1;
    const says = place.querySelector('nav output').textContent;
    if (shown !== step || row !== step || says !== `${step} of ${steps}`)
      throw new Error(`page: ${what}: ${says}, step ${shown}, row ${row}; not ${step}`);
  };
  const key = (name, more) =>
    document.dispatchEvent(new KeyboardEvent('keydown', { key: name, cancelable: true, ...more }));
  const press = name => document.querySelector(`nav button[name=${name}]`).click();
  at('opened', 1);
  const walked = [
    ['ArrowDown', 2], ['j', 3], ['k', 2], ['ArrowRight', 3], ['ArrowLeft', 2], ['ArrowUp', 1], ['ArrowUp', 1],
    ['End', steps], ['ArrowDown', steps], ['Home', 1], ['x', 1]
  ];
  for (const [name, step] of walked) key(name), at(name, step);
  key('End', { ctrlKey: true }), at('with Ctrl', 1);
  if (key('ArrowDown') || !key('x')) throw new Error('page: which keys it keeps from the browser');
  for (const [name, step] of [['next', 3], ['back', 2], ['last', steps], ['first', 1]]) press(name), at(name, step);
  document.querySelectorAll('.diagram .row')[steps - 2].dispatchEvent(new Event('click'));
  at('a click on the row before the last', steps - 1);
  at('asked for step 2', 2, open('#' + document.querySelectorAll('.steps > ol > li')[1].id).document);
};
for (const name of JSON.parse(fs.readFileSync('names.json', 'utf8'))) {
  try {
    await mermaid.parse(fs.readFileSync(name + '.mmd', 'utf8'));
    const page = new JSDOM(markdown.render(fs.readFileSync(name + '.md', 'utf8'))).window.document;
    const fences = [...page.querySelectorAll('code.language-mermaid')];
    if (fences.length !== 1) throw new Error(fences.length + ' Mermaid blocks');
    await mermaid.parse(fences[0].textContent);
    const rows = [...page.querySelectorAll('table tbody tr')].map(row => row.children.length);
    const steps = JSON.parse(fs.readFileSync(name + '.json', 'utf8')).steps.length;
    if (rows.length !== steps || rows.some(cells => cells !== 4))
      throw new Error('rows of the table: ' + rows);
    if (page.querySelector('script, img, iframe, a'))
      throw new Error('an element that nobody has written');
    walk(name, steps);
  } catch (error) {
    console.log(name + ': ' + error.message.split('\\n').slice(0, 4).join(' '));
  }
}
"""
READERS = ["mermaid@11", "jsdom@26", "markdown-it@14"]
FORMATS = {"mermaid": ".mmd", "markdown": ".md", "html": ".html", "json": ".json"}


def told(lockstep, scenario, folder):
    """Whether the scenario has a run, which then lies in the folder in every format."""
    for form, ending in FORMATS.items():
        result = subprocess.run([lockstep, "replay", scenario, "--format", form],
                                capture_output=True)
        if result.returncode == 2 and not result.stdout:
            return False
        if result.returncode not in (0, 1):
            sys.exit(f"{scenario} --format {form}: {result.stderr.decode()}")
        (folder / (scenario + ending)).write_bytes(result.stdout)
    return True


def parsed(folder):
    """What Mermaid's and a Markdown parser find wrong, a line each."""
    installed = subprocess.run(["npm", "install", "--silent", "--no-audit", *READERS], cwd=folder,
                               stdout=subprocess.DEVNULL)
    if installed.returncode != 0:
        print("SKIPPED: npm cannot install " + ", ".join(READERS) + " here")
        return ""
    return subprocess.run(["node", "reader.mjs"], cwd=folder, check=True,
                          capture_output=True, text=True).stdout


def walked(folder, name):
    """What is wrong with what Chromium makes of a page, whose script has to run; else None."""
    page = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                           "--dump-dom", f"file://{folder / name}.html"],
                          capture_output=True, text=True)
    steps = len(json.loads((folder / f"{name}.json").read_text())["steps"])
    if f"<output>1 of {steps}</output>" not in page.stdout:
        return f"{name}: the page's script does not show step 1 of {steps}"
    shown = len(re.findall(r'<g class="row[^"]*" data-step=', page.stdout))
    return None if shown == steps else f"{name}: {shown} rows, {steps} steps"


def main():
    lockstep, wanted = str(pathlib.Path(sys.argv[1]).resolve()), tuple(sys.argv[2:])
    names = sorted(path.stem for path in pathlib.Path("scenarios").glob("*.json"))
    names = [name for name in names
             if name != "scenario.schema" and (not wanted or name.startswith(wanted))]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        names = [name for name in names if told(lockstep, name, folder)]
        (folder / "names.json").write_text(json.dumps(names))
        (folder / "reader.mjs").write_text(READER)
        wrong = parsed(folder)
        for trouble in filter(None, (walked(folder, name) for name in names)):
            wrong += trouble + "\n"
    print(wrong + f"{len(names)} runs, each in {len(FORMATS)} formats")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
