/** Bodies of a megabyte, one for every text, array and object of every request of an API. */
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import type { Api } from "../../../src/api/Api.ts"
import type { MemoryApi } from "../../../src/api/memory/MemoryApi.ts"

/** As much of JSON Schema as the requests use. */
interface Part {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Part>
  readonly allOf?: ReadonlyArray<Part>
  readonly properties?: Readonly<Record<string, Part>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Part
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
}

export interface Case {
  readonly path: string
  readonly field: string
  readonly what: string
  readonly body: unknown
  /** The same with small texts, and as many elements where they are steps. */
  readonly small: unknown
}

const bytesMax = 990_000
const aText = "fix "
const uuid = "01890a5d-ac96-774b-bcce-b302099a8057"

/** Whether a path of a field is a name that the generator must choose with care. */
const chosen: Readonly<Record<string, unknown>> = {
  cluster: "code:hard", occurred_at: "2026-01-01T00:00:00.000Z", lane: "sextant:bench"
}

type Path = ReadonlyArray<string | number>

/** The part that a reference stands for; what is said of a field stands beside the reference in `allOf`. */
const resolved = (part: Part, definitions: Readonly<Record<string, Part>>): Part => {
  const $ref = part.$ref ?? part.allOf?.find((each) => each.$ref !== undefined)?.$ref
  return $ref === undefined ? part : definitions[$ref.split("/").at(-1) ?? ""] ?? {}
}

/** The members of a union that are not null; the part itself when it is none. */
const open = (part: Part, definitions: Readonly<Record<string, Part>>): Part => {
  const own = resolved(part, definitions)
  const member = own.anyOf?.find((each) => each.type !== "null")
  return member === undefined ? own : open(member, definitions)
}

const isUuid = ({ format, pattern, allOf }: Part): boolean =>
  format === "uuid" || pattern?.includes("0-9a-f") === true || allOf?.some(isUuid) === true

/** The smallest valid value. */
const least = (part: Part, definitions: Readonly<Record<string, Part>>, name: string): unknown => {
  const own = open(part, definitions)
  if (name in chosen) return chosen[name]
  if (own.enum !== undefined) return own.enum[0]
  switch (own.type) {
    case "object":
      return Object.fromEntries((own.required ?? []).map((key) =>
        [key, least(own.properties?.[key] ?? {}, definitions, key)]))
    case "array":
      return Array.from({ length: own.minItems ?? 0 }, () => least(own.items ?? {}, definitions, name))
    case "number":
    case "integer":
      return Math.max(1, own.minimum ?? 0)
    case "boolean":
      return true
    default:
      return isUuid(own) ? uuid : "x"
  }
}

/** A copy of `whole` with `value` at `path`, whatever is missing on the way made. */
const put = (whole: unknown, [key, ...rest]: Path, value: unknown): unknown => {
  if (key === undefined) return value
  if (typeof key === "number") {
    const list = Array.isArray(whole) ? [...whole] : []
    list[key] = put(list[key], rest, value)
    return list
  }
  const record = typeof whole === "object" && whole !== null ? whole : {}
  return { ...record, [key]: put(Object.entries(record).find(([name]) => name === key)?.[1], rest, value) }
}

interface Spot {
  readonly path: Path
  readonly part: Part
  /** A valid request that has this spot. */
  readonly whole: unknown
}

/** Every place of a request where a value may stand, the first element of arrays included. */
const spotsOf = (part: Part, definitions: Readonly<Record<string, Part>>, path: Path, whole: unknown): Array<Spot> => {
  const own = open(part, definitions)
  const here = [{ path, part: own, whole }]
  if (own.type === "array" && own.items !== undefined) {
    const name = String(path.at(-1) ?? "")
    const inner = put(whole, [...path, 0], least(own.items, definitions, name))
    return [...here, ...spotsOf(own.items, definitions, [...path, 0], inner)]
  }
  return [...here, ...Object.entries(own.properties ?? {}).flatMap(([name, field]) => {
    const inner = put(whole, [...path, name], least(field, definitions, name))
    return spotsOf(field, definitions, [...path, name], inner)
  })]
}

const filled = (element: string): ReadonlyArray<unknown> =>
  Array.from({ length: Math.floor(bytesMax / (element.length + 1)) }, () => JSON.parse(element))

/** The values of a megabyte that a careless or hostile client puts where `part` is expected. */
const largeFor = (part: Part, definitions: Readonly<Record<string, Part>>) => {
  const { items, maxItems, type } = part
  const text = { what: "long text", value: aText.repeat(bytesMax / aText.length) }
  const own = type === "object" ? Object.entries(least(part, definitions, "") ?? {}) : []
  const keys = { what: "19,900 keys", value: Object.fromEntries([
    ...own,
    ...Array.from({ length: 19_900 }, (_, index) => [`unknown-key-with-a-name-of-a-length-${index}`, 0] as const)
  ]) }
  const values = { what: "a megabyte of {}", value: filled("{}") }
  const numbers = { what: "19,900 numbers", value: Array.from({ length: 19_900 }, () => 0) }
  if (type !== "array") return type === "object" ? [keys, values] : [text, numbers]
  const element = JSON.stringify(least(items ?? {}, definitions, ""))
  const count = Math.min(maxItems ?? 5_000, Math.floor(bytesMax / (element.length + 1)))
  return [
    values, numbers,
    { what: `${count} valid elements`, value: Array.from({ length: count }, () => JSON.parse(element)) },
    { what: "5,000 {}", value: Array.from({ length: 5_000 }, () => ({})) }
  ]
}

/** A workflow whose 100 steps share a megabyte of task text. */
const longSteps = (path: string): Case => {
  const count = 100
  const steps = (task: string) =>
    Array.from({ length: count }, (_, index) => ({ step_id: `step-${index}`, task: { task: `${index} ${task}` } }))
  const text = aText.repeat(Math.floor((bytesMax / count - 100) / aText.length))
  return { path, field: "steps", what: `${count} long tasks`, body: { steps: steps(text) }, small: { steps: steps("x") } }
}

/** Every case of every request with a body, derived from the schemas: a new field is covered by itself. */
export const casesOf = (api: typeof Api | typeof MemoryApi): ReadonlyArray<Case> => {
  const cases: Array<Case> = []
  HttpApi.reflect(api as typeof Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const [payload] = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
      if (payload === undefined) return
      // The seam to HttpApi's reflection, as in test/fuzz/endpoints.ts.
      const document = Schema.toJsonSchemaDocument(payload as Schema.Codec<unknown, unknown>)
      const definitions = document.definitions as Readonly<Record<string, Part>>
      const root = open(document.schema as Part, definitions)
      const steps = root.properties?.["steps"]
      if (endpoint.path.endsWith("/workflow") && steps !== undefined) cases.push(longSteps(endpoint.path))
      for (const { part, path, whole } of spotsOf(root, definitions, [], least(root, definitions, ""))) {
        if (part.enum !== undefined && part.type !== "string") continue
        for (const { value, what } of largeFor(part, definitions)) {
          const isAsMany = what.endsWith("valid elements")
          cases.push({
            path: endpoint.path,
            field: path.join("."),
            what,
            body: put(whole, path, value),
            small: isAsMany ? put(whole, path, value) : whole
          })
        }
      }
    }
  })
  return cases
}
