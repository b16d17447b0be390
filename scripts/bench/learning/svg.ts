/* Elements, escapes and axis ticks of an SVG. */

/** Text for an element or an attribute in double quotes. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

export type Attributes = Readonly<Record<string, string | number>>

/** One element; the children are markup already. Numbers are written to two decimals. */
export const element = (
  name: string,
  attributes: Attributes,
  children: ReadonlyArray<string> = []
): string => {
  const written = Object.entries(attributes).map(([key, value]) =>
    ` ${key}="${typeof value === "number" ? String(Number(value.toFixed(2))) : escaped(value)}"`)
  return children.length === 0
    ? `<${name}${written.join("")}/>`
    : `<${name}${written.join("")}>${children.join("")}</${name}>`
}

export const text = (content: string, attributes: Attributes): string =>
  element("text", attributes, [escaped(content)])

/** Maps a domain onto a range, straight on beyond both. */
export type Scale = (value: number) => number

export const linear = (
  [low, high]: readonly [number, number],
  [from, to]: readonly [number, number]
): Scale =>
(value) => from + ((value - low) / (high - low || 1)) * (to - from)

/** The step among 1, 2 and 5 times a power of ten that gives at most `count` steps. */
const stepFor = (span: number, count: number): number => {
  const power = 10 ** Math.floor(Math.log10(span / count))
  return power * ([1, 2, 5].find((factor) => span / (factor * power) <= count) ?? 10)
}

/** Spans below this are no span: their ticks could not be distinguished. */
const spanMin = 1e-9

/** Round numbers that enclose both values: at least two of them, and at most `count` + 2. */
export const ticksOf = (low: number, high: number, count: number): ReadonlyArray<number> => {
  const step = stepFor(high - low > spanMin ? high - low : 1, count)
  // Without the slack, 0.3 / 0.1 would be rounded up to one step more.
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
  return Array.from({ length: Math.max(1, last - first) + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)))
}

export type Position = readonly [x: number, y: number]

/** Path data through the points, from the first to the last. */
export const pathOf = (points: ReadonlyArray<Position>): string =>
  points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`).join("")
