/* The four figures of `bench:learning` as one SVG. */
import { fixed, withError } from "../arena/table.ts"
import { copies, type Copy, type LearningReport } from "./copies.ts"
import { type Compared, compare, deciles, type Figure } from "./summary.ts"
import { element, escaped, linear, pathOf, type Position, type Scale, text, ticksOf } from "./svg.ts"

const [width, height] = [960, 810]
const panel = { width: 390, height: 240 }
/** Upper left corners of the panels' plots. */
const corners: ReadonlyArray<Position> = [[70, 175], [540, 175], [70, 500], [540, 500]]

interface Panel {
  readonly figure: Figure
  readonly title: string
  readonly note: string
  readonly digits: number
  /** Whether 0 is the ideal, and belongs on the axis. */
  readonly hasZero: boolean
}

const panels: ReadonlyArray<Panel> = [
  {
    figure: "quality", title: "Quality", note: "of the picks, higher is better",
    digits: 3, hasZero: false
  },
  {
    figure: "costRatio", title: "Cost", note: "lower is cheaper; 1 is the best single model's",
    digits: 2, hasZero: false
  },
  {
    figure: "ece", title: "Calibration error", note: "lower is better; thin line: perfect predictions",
    digits: 3, hasZero: true
  },
  {
    figure: "regret", title: "Regret", note: "quality under hindsight's best mixture, same cost",
    digits: 3, hasZero: true
  }
]

const names: Readonly<Record<Copy, string>> = {
  learning: "learning", cold: "cold, never learns", shuffled: "fed shuffled labels"
}

/** Colours by Okabe and Ito, distinguished without colour by dashes and marks. */
const style = `
.figure{--paper:#ffffff;--ink:#1b1f24;--quiet:#57606a;--grid:#e3e6ea;
--learning:#0063a6;--cold:#b84a00;--shuffled:#00775a;font-family:system-ui,sans-serif;font-size:13px}
@media (prefers-color-scheme:dark){.figure{--paper:#0f1419;--ink:#e8ebee;--quiet:#a3adb8;--grid:#2b333c;
--learning:#63b8f2;--cold:#f0934a;--shuffled:#3cc9a1}}
.figure .paper{fill:var(--paper)}.figure text{fill:var(--ink)}.figure .quiet{fill:var(--quiet)}
.figure .head{font-size:20px;font-weight:600}.figure .name{font-size:15px;font-weight:600}
.figure .grid{stroke:var(--grid);stroke-width:1}.figure .zero{stroke:var(--quiet);stroke-width:1}
.figure .line{fill:none;stroke-width:2.25;stroke-linejoin:round}.figure .band{stroke:none;opacity:.16}
.figure .floor{fill:none;stroke:var(--quiet);stroke-width:1.25}
.figure .cold .line{stroke-dasharray:8 4}.figure .shuffled .line{stroke-dasharray:2 3}
${copies.map((copy) => `.figure .${copy}{color:var(--${copy})}`).join("")}
.figure .line{stroke:currentColor}.figure .band,.figure .mark{fill:currentColor}`

/** A disc, a square or a triangle, about as large as each other. */
const mark = (copy: Copy, [x, y]: Position, label: string): string => {
  const title = label === "" ? [] : [element("title", {}, [escaped(label)])]
  switch (copy) {
    case "learning": return element("circle", { class: "mark", cx: x, cy: y, r: 4 }, title)
    case "cold": return element("rect", { class: "mark", x: x - 3.5, y: y - 3.5, width: 7, height: 7 }, title)
    case "shuffled":
      return element("path", {
        class: "mark", d: `${pathOf([[x, y - 4.5], [x + 4.5, y + 3.5], [x - 4.5, y + 3.5]])}Z`
      }, title)
  }
}

const lineOf = (copy: Copy, rows: ReadonlyArray<Compared>, digits: number, x: Scale, y: Scale): string => {
  const edge = (sign: number) =>
    rows.map((row, i): Position => [x(i + 1), y(row[copy].mean + sign * row[copy].error)])
  const points = rows.map((row, i): Position => [x(i + 1), y(row[copy].mean)])
  return element("g", { class: copy }, [
    element("path", { class: "band", d: `${pathOf([...edge(1), ...edge(-1).reverse()])}Z` }),
    element("path", { class: "line", d: pathOf(points) }),
    ...rows.map((row, i) =>
      mark(copy, points[i]!, `decile ${i + 1}, ${names[copy]}: ${withError(row[copy], digits)}`))
  ])
}

const gridOf = (ticks: ReadonlyArray<number>, [left, top]: Position, x: Scale, y: Scale): string => {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0)
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return element("g", {}, [
    ...ticks.flatMap((tick) => [
      element("line", {
        class: tick === 0 ? "zero" : "grid", x1: left, x2: left + panel.width, y1: y(tick), y2: y(tick)
      }),
      text(fixed(tick, digits), { class: "quiet", x: left - 8, y: y(tick) + 4, "text-anchor": "end" })
    ]),
    ...deciles.map(({ title }, i) =>
      text(title, { class: "quiet", x: x(i + 1), y: top + panel.height + 20, "text-anchor": "middle" }))
  ])
}

const panelOf = (reports: ReadonlyArray<LearningReport>, shown: Panel, [left, top]: Position): string => {
  const rows = deciles.map((span) => compare(reports, shown.figure, span))
  const floor = shown.figure === "ece"
    ? deciles.map((span) => compare(reports, "eceFloor", span).learning.mean)
    : []
  const all = rows.flatMap((row) =>
    copies.flatMap((copy) => [row[copy].mean - row[copy].error, row[copy].mean + row[copy].error]))
  const values = [...all, ...floor, ...(shown.hasZero ? [0] : [])]
  const ticks = ticksOf(Math.min(...values), Math.max(...values), 5)
  const x = linear([0.5, deciles.length + 0.5], [left, left + panel.width])
  const y = linear([ticks[0]!, ticks.at(-1)!], [top + panel.height, top])
  return element("g", {}, [
    text(shown.title, { class: "name", x: left, y: top - 32 }),
    text(shown.note, { class: "quiet", x: left, y: top - 14 }),
    gridOf(ticks, [left, top], x, y),
    ...(floor.length === 0 ? [] : [
      element("path", { class: "floor", d: pathOf(floor.map((value, i): Position => [x(i + 1), y(value)])) })
    ]),
    // The learning line is drawn last, over the others.
    ...copies.toReversed().map((copy) => lineOf(copy, rows, shown.digits, x, y))
  ])
}

const legendLefts: Readonly<Record<Copy, number>> = { learning: 70, cold: 195, shuffled: 385 }

const legend = (): ReadonlyArray<string> =>
  copies.map((copy) => {
    const left = legendLefts[copy]
    return element("g", { class: copy }, [
      element("path", { class: "line", d: pathOf([[left, 94], [left + 36, 94]]) }),
      mark(copy, [left + 18, 94], ""),
      text(names[copy], { x: left + 44, y: 98 })
    ])
  })

/** The figures in words, for who does not see the lines. */
const described = (reports: ReadonlyArray<LearningReport>, subject: string): string => {
  const lines = panels.map(({ digits, figure, title }) => {
    const [first, last] = [deciles[0]!, deciles.at(-1)!].map((span) => compare(reports, figure, span))
    const change = copies.map((copy) =>
      `${names[copy]} from ${fixed(first![copy].mean, digits)} to ${fixed(last![copy].mean, digits)}`)
    return `${title}: ${change.join(", ")}.`
  })
  return `From the first tenth of the stream to the last. ${lines.join(" ")} ${subject}.`
}

/** The four figures over the tenths of the stream as one SVG that needs nothing else. */
export const figureOf = (reports: ReadonlyArray<LearningReport>, subject: string): string =>
  element("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    class: "figure",
    role: "img",
    "aria-labelledby": "learning-title learning-desc"
  }, [
    element("title", { id: "learning-title" }, ["Does it learn? Four figures by tenth of the stream"]),
    element("desc", { id: "learning-desc" }, [escaped(described(reports, subject))]),
    element("style", {}, [style]),
    element("rect", { class: "paper", width, height }),
    text("Does it learn?", { class: "head", x: 70, y: 40 }),
    text(subject, { class: "quiet", x: 70, y: 62, "font-size": 12 }),
    ...legend(),
    ...panels.map((shown, i) => panelOf(reports, shown, corners[i]!)),
    text("tenth of the stream, from cold to warm; bands are one standard error over orders of the stream",
      { class: "quiet", x: 70, y: 792 })
  ]) + "\n"
