/* The style sheet of all pages: neutral surfaces and one accent colour. */
import { chartStyle } from "./charts/ChartStyle.ts"

/** The colours of the light and the dark scheme. The colour `bad` marks losses, failures and alerts. */
export const colours = `
:root {
  --page: #f7f7f5; --surface: #ffffff; --text: #16181d; --muted: #575c67; --line: #e0e0da;
  --accent: #1d4ed8; --on-accent: #ffffff; --bad: #b42318;
  --hue-0: #2456d6; --hue-1: #e58a00; --hue-2: #0b8f6e; --hue-3: #b1489b;
  --hue-4: #58a6dd; --hue-5: #8a6d3b; --hue-6: #d5503c; --hue-7: #7c828e;
  color-scheme: light dark; accent-color: var(--accent);
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #121418; --surface: #1a1d23; --text: #eceef2; --muted: #a6adba; --line: #31363f;
    --accent: #8fb1ff; --on-accent: #10131a; --bad: #ff9b8f;
    --hue-0: #7da2ff; --hue-1: #f3ab3d; --hue-2: #44c9a5; --hue-3: #df86cb;
    --hue-4: #9bd0f5; --hue-5: #c7a874; --hue-6: #ff8b78; --hue-7: #a3a9b5;
  }
}
`

const text = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  max-width: 78rem; margin: 0 auto; padding: 1rem clamp(1rem, 3vw, 2.5rem) 4rem;
  background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus, h1:focus, h2:focus { outline: none; }
a { color: var(--accent); }
code { font-size: 0.92em; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; margin: 0; }
h1 { font-size: 1.15rem; letter-spacing: -0.01em; }
h2 { font-size: 1.35rem; letter-spacing: -0.012em; margin-bottom: 0.3rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; }
section > h3 { margin-top: 1.4rem; }
p { margin: 0.35rem 0; }
ul.plain { padding-left: 1.1rem; margin: 0.4rem 0; }
.note { color: var(--muted); max-width: 48rem; font-size: 0.95rem; }
.flags { list-style: none; padding: 0; margin: 0.4rem 0 0; }
.flags .over_predicting { color: var(--bad); }
details { margin-top: 0.7rem; }
summary { cursor: pointer; color: var(--accent); width: fit-content; padding: 0.2rem 0; font-size: 0.92rem; }
details > p, details > ul { max-width: 48rem; font-size: 0.95rem; }
`

const frame = `
.skip { position: absolute; left: -100vw; background: var(--surface); padding: 0.5rem 1rem; z-index: 1; }
.skip:focus { left: 1rem; top: 0.5rem; }
header {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.4rem 1.5rem;
}
.brand { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.7rem; }
.brand p { color: var(--muted); margin: 0; font-size: 0.92rem; }
footer { margin-top: 0.5rem; color: var(--muted); font-size: 0.88rem; }
form { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem; margin: 0; }
label { display: block; font-size: 0.78rem; color: var(--muted); }
input, select, button {
  font: inherit; font-size: 0.9rem; padding: 0.2rem 0.55rem; border-radius: 6px; min-height: 2.1rem;
}
input, select {
  border: 1px solid var(--muted); background: var(--surface); color: var(--text); max-width: 100%;
}
button {
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer;
}
button.quiet { background: transparent; color: var(--accent); }
#key-form { display: grid; justify-items: start; max-width: 34rem; gap: 0.5rem; margin: 2.5rem 0; }
#key-form input { width: 100%; }
#search { margin: 0.6rem 0; }
#recommendation { width: 22rem; }
#status { min-height: 1.5rem; margin: 3rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: 0.88rem; }
#problem { border-left: 4px solid var(--bad); padding: 0.5rem 0.9rem; background: var(--surface); }
main { min-height: 60vh; }
main[aria-busy="true"] { opacity: 0.6; }
#namespace, #model { width: 10rem; }
#tag, #user { width: 5.5rem; }
.tabs { display: flex; flex-wrap: wrap; gap: 0.1rem 1.4rem; border-bottom: 1px solid var(--line);
  margin-top: 0.5rem; }
.tabs a { color: var(--muted); text-decoration: none; padding: 0.35rem 0;
  border-bottom: 3px solid transparent; }
.tabs a[aria-current] { color: var(--text); font-weight: 650; border-color: var(--accent); }
.tabs a:hover { color: var(--accent); }
section { margin-top: 2rem; position: relative; }
section.first { margin-top: 0.8rem; }
.exporting > h2 { padding-right: 7rem; }
button.export {
  position: absolute; right: 0; top: -0.1rem; border: 0; background: none; color: var(--accent);
  padding: 0.2rem 0; min-height: 1.9rem; font-size: 0.88rem; white-space: nowrap;
  text-decoration: underline; text-underline-offset: 0.15em;
}
`

const figures = `
.card, figure, .decision { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.window { color: var(--muted); font-size: 0.92rem; margin: 0; }
.first > h2 { font-size: clamp(1.15rem, 2.2vw, 1.5rem); line-height: 1.3; margin: 0.1rem 0 0.7rem; }
.asks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 0.8rem; align-items: start; }
.ask { border-left: 4px solid var(--accent); }
.card.ask h3 { font-size: 1.05rem; color: var(--text); }
.asks pre { background: var(--page); border-radius: 6px; padding: 0.3rem 0.6rem; margin: 0.35rem 0 0; }
.alerts ul { list-style: none; padding: 0; margin: 0; display: grid; gap: 0.8rem; }
.alerts details { margin: 0.3rem 0 0; }
.alerts details ul { margin-top: 0.5rem; }
.card.alert { border-left: 4px solid var(--bad); }
.card.alert strong { color: var(--text); }
.card.alert.past { border-left-color: var(--line); }
.when { white-space: nowrap; }
.steps { padding-left: 1.2rem; margin: 0.4rem 0; }
.steps li { margin: 0.35rem 0; }
.steps .done { color: var(--muted); }
.badge { border: 1px solid var(--line); border-radius: 999px; padding: 0 0.5rem; font-size: 0.85rem;
  width: fit-content; white-space: nowrap; }
.cards { list-style: none; padding: 0; margin: 0.8rem 0 0; display: grid; gap: 0.8rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 13.5rem), 1fr)); }
.card { padding: 0.7rem 1rem; min-width: 0; }
.card h3 { color: var(--muted); font-weight: 600; font-size: 0.88rem; overflow-wrap: anywhere; }
.card p { font-size: 0.88rem; color: var(--muted); margin: 0.1rem 0 0; overflow-wrap: anywhere; }
.card .figure {
  font-size: 1.65rem; font-weight: 680; line-height: 1.2; letter-spacing: -0.02em; color: var(--text);
  margin: 0.1rem 0 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
.card .figure.loss { color: var(--bad); }
.choices {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2rem;
}
.choices details { margin-top: 0.3rem; }
.choices p { margin: 0.2rem 0; font-size: 0.92rem; overflow-wrap: anywhere; }
pre { margin: 0.4rem 0; white-space: pre-wrap; }
.grounds h3 { margin-top: 0.9rem; }
.grounds p { max-width: 48rem; font-size: 0.95rem; }
.rationale { font-size: 1.1rem; max-width: 52rem; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.pair { display: grid; align-items: start; gap: 0.9rem 2.2rem; grid-template-columns: 4fr 5fr; }
.pair > * { min-width: 0; }
figure { margin: 0.8rem 0 0; padding: 1rem 1.1rem; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 0.6rem; overflow-wrap: anywhere; }
`

const tables = `
.scroll { overflow-x: auto; margin-top: 0.7rem; }
.scroll + .scroll, details + .scroll { margin-top: 1.6rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.4rem; }
th, td { text-align: left; padding: 0.42rem 0.8rem 0.42rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
thead th { overflow-wrap: normal;
  color: var(--muted); font-weight: 600; font-size: 0.85rem; vertical-align: bottom; }
tbody th { font-weight: 500; overflow-wrap: break-word; }
td:not(.number) { min-width: 10rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; overflow-wrap: normal; }
thead .number { white-space: normal; }
.decisions { list-style: none; padding: 0; display: grid; gap: 0.5rem; margin: 0.8rem 0 0; }
.decision { padding: 0.65rem 1rem; }
.decision.failure { border-left: 4px solid var(--bad); }
.decision p { margin: 0.1rem 0; overflow-wrap: anywhere; }
.decision .outcome { font-weight: 600; }
dl { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; margin: 0.4rem 0 0; font-size: 0.9rem; }
dl div { min-width: 0; }
dt { display: inline; color: var(--muted); }
dt::after { content: ": "; }
dd { display: inline; margin: 0; overflow-wrap: anywhere; }
`

const narrow = `
@media (max-width: 78rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 60rem) {
  .cards { grid-template-columns: 1fr 1fr; }
}
@media (max-width: 40rem) {
  section { margin-top: 1.8rem; }
  .cards { gap: 0.5rem; grid-template-columns: 1fr; }
  .card { padding: 0.55rem 0.8rem; }
  .cards .card { display: grid; grid-template-columns: 8.5rem 1fr; gap: 0 0.8rem; grid-auto-flow: dense;
    align-items: start; }
  .cards .card > * { grid-column: 2; }
  .cards .card > h3, .cards .card > .figure { grid-column: 1; }
  .card .figure { font-size: 1.35rem; }
  .tabs { gap: 0.1rem 0.8rem; font-size: 0.92rem; }
  #controls > div { flex: 1 1 40%; }
  #controls select, #controls input, #recommendation { width: 100%; }
  table, caption, tbody, tbody th { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr {
    display: grid; grid-template-columns: 1fr 1fr; gap: 0.3rem 1rem; padding: 0.6rem 0;
    border-bottom: 1px solid var(--line);
  }
  tbody th, td, td:not(.number), td.number {
    min-width: 0; border: 0; padding: 0; white-space: normal; text-align: left;
  }
  tbody th { font-weight: 600; }
  tbody th, td:not(.number) { grid-column: 1 / -1; }
  td { display: block; line-height: 1.3; }
  td::before { content: attr(data-label); display: block; color: var(--muted); font-size: 0.78rem; }
}
@media print {
  body { background: none; max-width: none; padding: 0; font-size: 10.5pt; }
  form, .tabs, .skip, button { display: none !important; }
  .card, figure, .decision, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .scroll { overflow: visible; }
  table, thead th { font-size: 8pt; }
  tbody th, td, td:not(.number), .number { min-width: 0; white-space: normal; padding-right: 0.4rem; }
  section { margin-top: 1.2rem; }
}
`

export const style = [colours, text, frame, figures, tables, chartStyle, narrow].join("")
