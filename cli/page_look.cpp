// The style sheet and the script of a page. Colours are after Okabe and Ito, whose the colour-blind
// can tell apart, some darker or lighter for contrast; and nothing is said by colour alone.
#include "cli/page_look.hpp"

namespace lockstep::cli {

const char* const kPageStyle = R"css(
:root { color-scheme: light dark;
  --paper: #fff; --soft: #f3f5f7; --ink: #1b1f24; --dim: #5a6570; --line: #c9d1d9; --alarm: #b00020;
  --alarm-soft: #fde7ea; --now: #fff3c4; --good: #00694d; --fault: #8a4b00;
  --p0: #0072b2; --p1: #d55e00; --p2: #009e73; --p3: #b0568a;
  --p4: #a87400; --p5: #3a8fc4; --p6: #85800a; --p7: #444; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14181d; --soft: #1e242b; --ink: #e8edf2; --dim: #9fabb7; --line: #3b444e; --alarm: #ff8a9a;
  --alarm-soft: #43151d; --now: #3d3712; --good: #4fd1a5; --fault: #f0b35a;
  --p0: #56b4e9; --p1: #f08a3c; --p2: #2fc79a; --p3: #cc79a7; --p4: #e69f00; --p5: #8ecbf0; --p6: #f0e442;
  --p7: #ccc; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; background: var(--paper); color: var(--ink);
  font: 16px/1.45 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.45rem; margin: 0 0 .3rem; line-height: 1.25; }
h1 .verdict { padding: .05em .45em; border: 2px solid; border-radius: .3em; margin-right: .4em;
  display: inline-block; }
.verdict.violated { color: var(--alarm); } .verdict.holds { color: var(--good); } .verdict.open { color: var(--fault); }
h2 { font-size: 1.1rem; margin: 1.4rem 0 .4rem; }
p { margin: .4rem 0; }
.what { font-size: 1.15rem; font-weight: 600; border-left: .35rem solid var(--alarm); background: var(--alarm-soft);
  padding: .55rem .8rem; margin: .6rem 0; }
.avoidable { border-left: .35rem solid var(--good); background: var(--soft); padding: .45rem .8rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: .1rem 1.2rem;
  margin: .6rem 0; font-size: .93rem; }
dl div { display: flex; gap: .7rem; } dt { color: var(--dim); min-width: 4.6rem; } dd { margin: 0; }
summary { cursor: pointer; color: var(--dim); }
code, pre, .keys td { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: .3rem; overflow-wrap: normal;
  margin: .4rem 0; }
mark { background: none; color: inherit; font-weight: 700; border-left: .25rem solid var(--good);
  margin-left: -.5rem; padding-left: .25rem; }
.source { color: var(--dim); font-size: .88rem; overflow-x: auto; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin-top: 1rem; }
.diagram { overflow: auto; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); }
.diagram svg { display: block; max-width: 100%; height: auto; }
.diagram .head { position: sticky; top: 0; background: var(--paper); border-bottom: 1px solid var(--line);
  z-index: 1; }
nav { display: none; gap: .4rem; align-items: center; flex-wrap: wrap; }
nav button { font: inherit; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--soft); color: inherit; cursor: pointer; }
nav .keys-help { color: var(--dim); font-size: .85rem; }
.steps ol { list-style: none; margin: 0; padding: 0; }
.steps > ol > li { padding: .7rem .8rem; border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; }
.steps .when { color: var(--dim); font-variant-numeric: tabular-nums; }
.steps .told { font-size: 1.08rem; }
.steps .fault .told::before { content: "⚡ "; }
.steps ul { margin: .3rem 0; padding-left: 1.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .4rem 0; font-size: .93rem; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--dim); font-weight: 500; }
th, td:first-child, td .verdict { white-space: nowrap; overflow-wrap: normal; }
.scroll.even table { table-layout: fixed; width: 100%; min-width: 50rem; }
.even th:nth-child(1) { width: 24%; } .even th:nth-child(2) { width: 8.5rem; } .even th:nth-child(3) { width: 34%; }
.even td:first-child { white-space: normal; overflow-wrap: anywhere; }
.toc { columns: 14rem; list-style: none; padding: 0; font-size: .93rem; }
.wrong td { color: var(--alarm); font-weight: 600; }
.who { font-weight: 700; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .88rem; color: var(--dim);
  list-style: none; padding: 0; }
.p0 { --own: var(--p0); } .p1 { --own: var(--p1); } .p2 { --own: var(--p2); } .p3 { --own: var(--p3); }
.p4 { --own: var(--p4); } .p5 { --own: var(--p5); } .p6 { --own: var(--p6); } .p7 { --own: var(--p7); }
.nobody, .server { --own: var(--dim); }
.who { color: var(--own, inherit); }
svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); }
svg text.name { font-size: 16px; font-weight: 700; text-anchor: middle; }
svg rect.name { fill: var(--paper); stroke: var(--own); stroke-width: 2.5; rx: 6px; }
svg text.below { fill: var(--dim); text-anchor: middle; font-size: 11px; }
.lane { stroke: var(--line); stroke-width: 1.5; }
.stripe { fill: transparent; cursor: pointer; }
.row:hover .stripe { fill: var(--soft); }
.row.now .stripe { fill: var(--now); }
svg text.number { text-anchor: end; font-weight: 700; }
svg text.time { text-anchor: end; fill: var(--dim); font-variant-numeric: tabular-nums; }
.passing { fill: var(--soft); opacity: .75; pointer-events: none; }
line.passes { stroke: var(--dim); stroke-width: 2; stroke-dasharray: 2 4; }
svg text.passes { fill: var(--dim); font-style: italic; font-size: 11px; text-anchor: end; }
.section { fill: var(--own); stroke: var(--own); stroke-width: 1.5; rx: 2px; }
.bare { fill: var(--paper); stroke: var(--own); stroke-width: 2; stroke-dasharray: 5 3; }
.hatched { fill: url(#hatch); } .hatch { stroke: var(--alarm); stroke-width: 3; }
svg text.inside { fill: var(--paper); font-size: 10px; font-weight: 700; text-anchor: middle; }
svg text.inside.bare { fill: var(--alarm); stroke: var(--paper); stroke-width: 3px; paint-order: stroke; }
.lease { fill: var(--own); fill-opacity: .38; stroke: var(--own); stroke-width: 1.5; }
.expiry { stroke: var(--own); stroke-width: 3; }
.paused { fill: var(--dim); fill-opacity: .22; stroke: var(--dim); stroke-dasharray: 4 3; }
.dead { fill: var(--ink); fill-opacity: .12; stroke: var(--ink); stroke-dasharray: 2 4; }
.cut { fill: var(--fault); fill-opacity: .5; stroke: var(--fault); stroke-dasharray: 3 2; }
svg text.plight { text-anchor: middle; fill: var(--dim); font-size: 11px; font-weight: 600; }
.arrow { stroke: var(--own); stroke-width: 2; } .arrow.reply { stroke-dasharray: 7 4; }
.arrow.under-way { stroke-dasharray: 1 5; stroke-linecap: round; }
.tip { fill: var(--own); }
svg text.message { font: 11px ui-monospace, "DejaVu Sans Mono", monospace; text-anchor: middle; }
svg text.message.dim { fill: var(--dim); } svg text.lost { fill: var(--alarm); font-weight: 700; }
svg text.end { text-anchor: end; } svg text.start { text-anchor: start; }
svg text.message, svg text.caption, svg text.change { stroke: var(--paper); stroke-width: 4px; paint-order: stroke;
  stroke-linejoin: round; }
svg text.caption { text-anchor: end; font-weight: 600; } svg text.caption.fault { fill: var(--fault); }
svg text.change { font-size: 11px; } svg text.change.dim { fill: var(--dim); }
  svg text.change.strong { fill: var(--ink); font-weight: 700; }
.dot { fill: var(--own); stroke: var(--paper); stroke-width: 1.5; } .dot.fault { fill: var(--fault); }
.cross { stroke: var(--alarm); stroke-width: 3.5; stroke-linecap: round; }
rect.overlap { fill: var(--alarm-soft); stroke: var(--alarm); stroke-dasharray: 6 4; }
svg text.overlap { fill: var(--alarm); font-weight: 700; text-anchor: middle; }
line.no-return { stroke: var(--good); stroke-width: 2; stroke-dasharray: 10 5; }
svg text.no-return { fill: var(--good); font-size: 11px; font-weight: 700; stroke: var(--paper);
  stroke-width: 4px; paint-order: stroke; }
path.loop { fill: none; stroke: var(--alarm); stroke-width: 2.5; } polygon.loop { fill: var(--alarm); }
svg text.loop { fill: var(--alarm); text-anchor: middle; font-size: 11px; }
rect.violation { fill: var(--alarm-soft); stroke: var(--alarm); stroke-width: 2; rx: 4px; }
svg text.violation { fill: var(--alarm); font-size: 15px; font-weight: 700; text-anchor: middle; }
svg text { pointer-events: none; }
.js nav { display: flex; }
.js .steps > ol > li { display: none; } .js .steps > ol > li.now { display: block; }
.js .diagram { max-height: 55vh; }
.js .steps { position: sticky; bottom: 0; background: var(--paper); max-height: 45vh; overflow-y: auto; }
@media (min-width: 75rem) {
  .js main { grid-template-columns: minmax(0, 1fr) 23rem; align-items: start; }
  .js .diagram { max-height: 94vh; } .js .steps { top: 0; bottom: auto; max-height: 94vh; } }
@media (max-width: 40rem) { nav .keys-help { display: none; } body { padding: .6rem; } h1 { font-size: 1.2rem;
  } .what { font-size: 1rem; } }
@media print {
  :root { --paper: #fff; --soft: #f3f5f7; --ink: #000; --dim: #444; --line: #bbb; --alarm: #b00020;
  --alarm-soft: #fff;
    --now: transparent; --good: #00694d; --fault: #8a4b00; --p0: #0072b2; --p1: #d55e00; --p2: #009e73;
  --p3: #b0568a; }
  body { padding: 0; font-size: 10pt; } .js main { display: block; } .js nav { display: none; }
  .diagram, .js .diagram, .js .steps { max-height: none; overflow: visible; position: static; border: 0; }
  .diagram svg { min-width: 0 !important; } .diagram .head { position: static; }
  .js .steps > ol > li, .js .steps > ol > li.now { display: block; break-inside: avoid; } }
)css";

const char* const kPageScript = R"js(
(() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const steps = all('.steps > ol > li'), rows = all('.diagram .row'), where = document.querySelector('nav output');
  const box = document.querySelector('.diagram');
  if (!steps.length) return;
  document.documentElement.classList.add('js');
  let now = -1;
  const show = (index, scroll) => {
    now = Math.max(0, Math.min(steps.length - 1, index));
    steps.forEach((step, i) => step.classList.toggle('now', i === now));
    rows.forEach((row, i) => row.classList.toggle('now', i === now));
    where.textContent = (now + 1) + ' of ' + steps.length;
    if (!scroll || !rows[now]) return;
    const main = document.querySelector('main').getBoundingClientRect();
    if (main.top < 0 || main.bottom > innerHeight + 8) scrollBy(0, main.top);
    const row = rows[now].getBoundingClientRect(), view = box.getBoundingClientRect();
    if (row.top < view.top + 60) box.scrollTop -= view.top + 60 - row.top;
    if (row.bottom > view.bottom - 30) box.scrollTop += row.bottom - view.bottom + 30;
    const x = Number(rows[now].dataset.x) - box.scrollLeft;
    if (x > 0 && (x < 60 || x > box.clientWidth - 60)) box.scrollLeft += x - box.clientWidth / 2;
  };
  const moves = {
    first: () => 0, back: () => now - 1, next: () => now + 1, last: () => steps.length - 1
  };
  const keys = {
    ArrowDown: 'next', ArrowRight: 'next', j: 'next', ArrowUp: 'back', ArrowLeft: 'back', k: 'back', Home: 'first',
    End: 'last'
  };
  document.addEventListener('keydown', event => {
    const move = keys[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(moves[move](), true);
  });
  all('nav button').forEach(button => button.addEventListener('click', () => show(moves[button.name](), true)));
  rows.forEach((row, i) => row.addEventListener('click', () => show(i, false)));
  const asked = steps.findIndex(step => '#' + step.id === location.hash);
  show(Math.max(asked, 0), asked > 0);
})();
)js";

}  // namespace lockstep::cli
