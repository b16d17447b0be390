import type { Draw } from "./draw.ts"
import type { Json } from "./endpoints.ts"

/** Stands for raw JSON text in a value: what `JSON.stringify` cannot say, such as 1e999 or a key twice. */
const marker = "\u0001raw:"

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

/** Raw JSON texts for one field. Those that no parser takes are refused as a whole, which is an answer too. */
const rawTexts = (draw: Draw): string =>
  draw.of([
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-999", "-0", "0.1e1", "01", "+1", "1.", "0x10",
    "9007199254740993", "18446744073709551616", "1".repeat(400), "undefined", "'x'", "",
    nested(20, "[", "]"), nested(33, "[", "]"), `${`{"a":`.repeat(31)}1${"}".repeat(31)}`,
    `{"__proto__":{"admin":true}}`, `{"__proto__":null,"__proto__":[]}`,
    `{"constructor":{"prototype":{"task":"x"}}}`, `{"toString":1,"valueOf":2,"hasOwnProperty":3}`,
    `{"toJSON":"x"}`, `{"then":1}`, `{"length":1e9}`, `"\\ud800"`, `"\\udc00\\ud800"`, `"\\u0000"`, `"a\\u0000b"`
  ])

const strings = (draw: Draw): string =>
  draw.of([
    "", " ", "\t\n\r", "\u0000", "a\u0000b", "\ud800", "\udfff", "x\ud83d", "\u0001\u0002\u001b[31m", "\u202e\u200b\ufeff",
    "__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "null", "undefined", "NaN", "Infinity",
    "-1", "0", "1e309", "true", "[]", "{}", "%00", "%s%n", "../../etc/passwd", "sextant:default", "default",
    "'; drop table decision; --", "\" or 1=1", "${7*7}", "{{7*7}}", "<script>alert(1)</script>", "\\", "\\u0000",
    "é".normalize("NFD"), "ﬁ", "İ", "ß".repeat(200), "𝕏".repeat(128), "a".repeat(256), "a".repeat(257),
    "z".repeat(70_000), "\n".repeat(5_000), "(".repeat(3_000), "a ".repeat(20_000), "```".repeat(2_000), "1".repeat(9_000),
    "\u{1f468}\u200d\u{1f469}".repeat(500), "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-7fff-bfff-ffffffffffff", "00000000-0000-7000-8000-000000000000"
  ])

const numbers = [
  0, -0, 1, -1, 0.5, 1.5, 2, 10, 11, 64, 65, 365, 366, 1e6, 1e6 + 1, 1e12, 1e12 + 1, 1e15, 1e16, 2 ** 31, 2 ** 32, 2 ** 53,
  2 ** 53 + 2, 2 ** 63, 2 ** 64, 1e308, -1e308, 5e-324, 1e-300, 0.1 + 0.2, 0.9999999999999999, 1.0000000000000002, -1e-9
]

const otherValue = (draw: Draw): Json => {
  switch (draw.below(9)) {
    case 0: return null
    case 1: return draw.chance(0.5)
    case 2:
    case 3: return draw.of(numbers)
    case 4:
    case 5: return strings(draw)
    case 6: return draw.of<Json>([[], [null], [[]], [{}], [1, "a", null], Array.from({ length: 1_500 }, (_, i) => `m${i}`)])
    case 7: return draw.of<Json>([{}, { a: 1 }, { task: "x" }, { length: 3, 0: "a" }])
    default: return marker + rawTexts(draw)
  }
}

interface Place {
  readonly holder: Record<string, Json> | Array<Json>
  readonly key: string | number
}

const placesOf = (value: Json): ReadonlyArray<Place> => {
  if (value === null || typeof value !== "object") return []
  const holder = value as Record<string, Json> | Array<Json>
  return Object.entries(holder).flatMap(([name, inner]): ReadonlyArray<Place> => {
    const key = Array.isArray(holder) ? Number(name) : name
    return [{ holder, key }, ...placesOf(inner)]
  })
}

const read = ({ holder, key }: Place): Json => (holder as Record<string | number, Json>)[key]
const write = ({ holder, key }: Place, value: Json): void => {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
}

const rename = (place: Place, name: string): void => {
  if (Array.isArray(place.holder)) return
  const value = read(place)
  delete place.holder[place.key]
  write({ holder: place.holder, key: name }, value)
}

const remove = ({ holder, key }: Place): void => {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

/** The value again and again: a list of many alike, long strings of it. */
const multiplied = (value: Json, draw: Draw): Json => {
  if (Array.isArray(value)) {
    const item: Json = value.length === 0 ? strings(draw) : value[0]
    return Array.from({ length: draw.of([2, 65, 101, 1_001]) }, () => item)
  }
  return typeof value === "string" ? value.repeat(draw.of([2, 300, 5_000]) % 8_000).slice(0, 100_000) : [value, value]
}

const toText = (value: Json): string =>
  JSON.stringify(value).replace(/"\\u0001raw:((?:[^"\\]|\\.)*)"/g, (_, escaped: string) => JSON.parse(`"${escaped}"`))

const kinds = ["value", "value", "value", "value", "remove", "rename", "extra", "duplicate", "multiply", "proto"] as const

/** The text of a body in which one thing was changed, and what. */
export const mutated = (body: Json, draw: Draw): { readonly text: string; readonly what: string } => {
  const copy: Json = structuredClone(body)
  const places = placesOf(copy)
  const kind = draw.of(kinds)
  if (places.length === 0) return { text: toText(otherValue(draw)), what: "whole body" }
  const place = draw.of(places)
  const what = `${kind} at ${String(place.key)}`
  switch (kind) {
    case "value": write(place, otherValue(draw)); break
    case "remove": remove(place); break
    case "rename": rename(place, draw.of(["__proto__", "constructor", "", String(place.key).toUpperCase(), "\ud800", "a\u0000b"])); break
    case "extra": write({ holder: place.holder, key: strings(draw) }, otherValue(draw)); break
    case "duplicate": {
      const text = toText(copy)
      const name = JSON.stringify(String(place.key))
      const twice = `${name}:${toText(otherValue(draw)) || "1"},`
      const at = text.indexOf(`${name}:`)
      return { text: at < 0 ? text : text.slice(0, at) + twice + text.slice(at), what }
    }
    case "multiply": write(place, multiplied(read(place), draw)); break
    case "proto": write({ holder: place.holder, key: draw.of(["__proto__", "constructor", "prototype"]) }, otherValue(draw)); break
  }
  return { text: toText(copy), what }
}

/** One parameter of a query changed, repeated, left out or added; not yet percent-encoded. */
export const mutatedQuery = (
  query: Readonly<Record<string, Json>>,
  names: ReadonlyArray<string>,
  draw: Draw
): ReadonlyArray<readonly [string, string]> => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const))
  const name = draw.chance(0.8) && names.length > 0 ? draw.of(names) : strings(draw).slice(0, 300)
  const value = draw.chance(0.5) ? String(draw.of([...numbers, NaN, Infinity, "1e999", "0x10", " 5", "5 ", ""])) : strings(draw)
  // Node refuses a request line past 16 kB before we see it: most of these stay below.
  const short = draw.chance(0.05) ? value : value.slice(0, 1_500)
  const others = draw.chance(0.5) ? pairs.filter(([each]) => each !== name) : pairs
  return [...others, ...Array.from({ length: draw.of([1, 1, 1, 2, 70]) }, () => [name, short] as const)]
}

export const hostileText = strings
