/* Draws charts in the colours of the style sheet. */
import {
  BarController, BarElement, CategoryScale, Chart, type ChartConfiguration, Legend, LinearScale,
  LineController, LineElement, PointElement, ScatterController, Tooltip
} from "chart.js"
import { element } from "./Element.ts"

Chart.register(
  BarController, BarElement, CategoryScale, Legend, LinearScale, LineController, LineElement, PointElement,
  ScatterController, Tooltip
)

/** The colours of the style sheet, light or dark, as a canvas needs them. */
interface Palette {
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly surface: string
  readonly estimated: string
  readonly realized: string
}

const palette = (): Palette => {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    text: of("text"),
    muted: of("muted"),
    line: of("line"),
    surface: of("surface"),
    estimated: of("estimated"),
    realized: of("realized")
  }
}

/** Stripes, which distinguish estimates from bills without colour. */
export const striped = (colour: string, surface: string): CanvasPattern | string => {
  const size = 8
  const canvas = element("canvas", { width: String(size), height: String(size) })
  const context = canvas.getContext("2d")
  if (context === null) return colour
  context.fillStyle = surface
  context.fillRect(0, 0, size, size)
  context.strokeStyle = colour
  context.lineWidth = 2
  for (const offset of [-size, 0, size]) {
    context.moveTo(offset, size)
    context.lineTo(offset + size, 0)
  }
  context.stroke()
  return context.createPattern(canvas, "repeat") ?? colour
}

export type Drawing = (palette: Palette) => ChartConfiguration

const drawings = new Map<HTMLCanvasElement, { readonly drawing: Drawing; readonly chart: Chart }>()

const start = (canvas: HTMLCanvasElement, drawing: Drawing): void => {
  const colours = palette()
  Chart.defaults.color = colours.muted
  Chart.defaults.borderColor = colours.line
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily
  Chart.defaults.font.size = 13
  Chart.defaults.animation = false
  // By default a click hides a data set, which the keyboard cannot do.
  Chart.defaults.plugins.legend.onClick = () => {}
  Chart.defaults.maintainAspectRatio = false
  drawings.set(canvas, { drawing, chart: new Chart(canvas, drawing(colours)) })
}

const undrawn: Array<readonly [canvas: HTMLCanvasElement, drawing: Drawing]> = []

/** The canvas of a chart, which {@link drawAll} draws once it is on the page; `label` describes it. */
export const chart = (label: string, drawing: Drawing, size = "medium"): HTMLElement => {
  const canvas = element("canvas", { role: "img", "aria-label": label })
  undrawn.push([canvas, drawing])
  return element("div", { class: `chart ${size}` }, canvas)
}

/** Removes the charts of the previous report; call it before the next one is built. */
export const clear = (): void => {
  for (const { chart } of drawings.values()) chart.destroy()
  drawings.clear()
  undrawn.length = 0
}

/** Draws the charts that are on the page now, from which they take their sizes. */
export const drawAll = (): void => {
  for (const [canvas, drawing] of undrawn.splice(0)) start(canvas, drawing)
}

// A canvas does not follow the style sheet: a change between light and dark redraws it.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const [canvas, { chart, drawing }] of [...drawings]) {
    chart.destroy()
    start(canvas, drawing)
  }
})
