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

/** Stripes, so that estimates differ from bills without their colour. */
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
  // A click would hide what the legend names, and the keyboard has no way to do so.
  Chart.defaults.plugins.legend.onClick = () => {}
  Chart.defaults.maintainAspectRatio = false
  drawings.set(canvas, { drawing, chart: new Chart(canvas, drawing(colours)) })
}

const waiting: Array<readonly [canvas: HTMLCanvasElement, drawing: Drawing]> = []

/** A chart's place, filled by {@link drawAll} once it is on the page; `label` says what it shows. */
export const chart = (label: string, drawing: Drawing, size = "medium"): HTMLElement => {
  const canvas = element("canvas", { role: "img", "aria-label": label })
  waiting.push([canvas, drawing])
  return element("div", { class: `chart ${size}` }, canvas)
}

/** Removes the charts of an earlier report; before the next one is built. */
export const clear = (): void => {
  for (const { chart } of drawings.values()) chart.destroy()
  drawings.clear()
  waiting.length = 0
}

/** Draws what was built and is on the page by now: a chart takes its size from there. */
export const drawAll = (): void => {
  for (const [canvas, drawing] of waiting.splice(0)) start(canvas, drawing)
}

// A canvas does not follow the style sheet, so a change between light and dark draws it anew.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const [canvas, { chart, drawing }] of [...drawings]) {
    chart.destroy()
    start(canvas, drawing)
  }
})
