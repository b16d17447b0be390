/* The styles of charts, which use the colours of the page. */
import { gutterMax } from "./Axis.ts"
import { hues } from "./ColumnChart.ts"

const gutters = Array.from({ length: gutterMax + 1 }, (_, length) =>
  length === 0 ? "" : `.gutter-${length} { padding-left: ${(0.75 + length * 0.5).toFixed(2)}rem; }`)
  .filter((rule) => rule !== "").join("\n")

/** Colours of parts: solid if billed, hollow at list prices. */
const hueStyle = Array.from({ length: hues }, (_, hue) => `.hue-${hue}.bar { fill: var(--hue-${hue}); `
  + `stroke: var(--hue-${hue}); }\n.hue-${hue}.bar.hollow { fill: var(--surface); }\n`
  + `.swatch.hue-${hue} { background: var(--hue-${hue}); border-color: var(--hue-${hue}); }`).join("\n")

export const chartStyle = `
.track, .at { overflow: visible; display: block; }
.chart svg { overflow: visible; display: block; max-width: 100%; }
${gutters}
.label { fill: var(--muted); font-size: 0.78rem; font-variant-numeric: tabular-nums; }
.label.name { fill: var(--text); font-weight: 600; }
.label.name { paint-order: stroke; stroke: var(--surface); stroke-width: 4; }
.track .grid, .plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .zero { stroke: var(--muted); stroke-width: 1; }
.track .reference, .plot .reference { stroke: var(--muted); stroke-width: 1.5; stroke-dasharray: 5 4; }
.interval { stroke: var(--accent); stroke-width: 5; stroke-linecap: round; stroke-opacity: 0.45; }
.interval.thin { stroke-width: 2.5; stroke-opacity: 0.6; }
.interval.hollow { stroke: var(--muted); }
.mark { fill: var(--accent); stroke: var(--surface); stroke-width: 1.5; }
.mark.hollow { fill: var(--surface); stroke: var(--muted); stroke-width: 2; }
.bar { fill: var(--accent); stroke: var(--accent); stroke-width: 1; }
.band { fill: transparent; }
[data-opens] { cursor: pointer; }
[data-state] > .band { cursor: pointer; }
[data-state]:hover > .band { fill: var(--line); }
.bar.hollow { fill: var(--surface); stroke: var(--muted); stroke-width: 1.5; }
.intervals .row {
  display: grid; grid-template-columns: minmax(8rem, 15rem) minmax(8rem, 1fr) 11.5rem;
  gap: 0 1.25rem; align-items: center;
}
.intervals .track { height: 100%; min-height: 30px; }
.intervals .name { overflow-wrap: anywhere; font-size: 0.92rem; line-height: 1.25; padding: 0.15rem 0; }
.intervals .words { color: var(--muted); font-size: 0.88rem; font-variant-numeric: tabular-nums; }
.intervals .emphasized .name { font-weight: 650; }
.intervals .emphasized .words { color: var(--text); }
.legend {
  display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; list-style: none; margin: 0.35rem 0 0; padding: 0;
  font-size: 0.85rem; color: var(--muted);
}
.swatch {
  display: inline-block; width: 0.85em; height: 0.85em; margin-right: 0.4em; border-radius: 2px;
  border: 1.5px solid var(--accent); background: var(--accent); vertical-align: -0.08em;
}
${hueStyle}
.own { stroke: var(--text); stroke-width: 2.5; stroke-linecap: round; }
.own.hollow { stroke-dasharray: 3 5; }
.own.way { stroke-width: 1; stroke-opacity: 0.6; }
.swatch.line { height: 0; border-width: 1.5px 0; border-color: var(--text); vertical-align: 0.25em; }
.swatch.hollow { background: var(--surface); border-color: var(--muted); }
@media (max-width: 46rem) {
  .intervals .row { grid-template-columns: 1fr auto; gap: 0 0.75rem; padding-top: 0.35rem; }
  .between { display: none; }
  .intervals .row svg { grid-row: 2; grid-column: 1 / -1; }
}
`
