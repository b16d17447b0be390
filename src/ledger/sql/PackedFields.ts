/* Packs a decision's fields, except user, tags and texts, into fewer bytes than JSON takes. */
import type { Decision } from "../../domain/Decision.ts"
import { clusterOf, type Unit, unitOf } from "../../domain/Task.ts"
import { wellFormedJson } from "../../sql/RowSet.ts"

/** Version of the packed format. Reads skip decisions of an unknown version, but exports fail on these. */
const layout = 1

/** The fields that the JSON head holds as they are, with their types in exported files. `?` allows null. */
export const plainColumns = {
  lane: "text", workflowId: "text?", taskType: "text", difficulty: "text", recommendedModelId: "text",
  predictedSuccess: "double precision", threshold: "double precision", successValueUsd: "double precision?",
  decisionBasis: "text", selectionPolicy: "text", propensity: "double precision", isExploration: "boolean",
  isEscalated: "boolean", isShadow: "boolean", guaranteeBaselineId: "text?", guaranteeCandidateId: "text?",
  taskKey: "text?", attemptNumber: "smallint?", costRecommendedUsd: "double precision",
  costMarginUsd: "double precision?", costPremiumUsd: "double precision", baselineModelId: "text?",
  costDeclaredUsd: "double precision?", warnings: "jsonb", catalogVersion: "text",
  latencyMs: "double precision", reasonerCostUsd: "double precision?"
} as const satisfies { readonly [Field in keyof Decision]?: string }

export type PlainField = keyof typeof plainColumns

export const plainFields = Object.keys(plainColumns) as ReadonlyArray<PlainField>

export type PackedFields = Pick<
  Decision, PlainField | "candidates" | "cluster" | "forecasts" | "neighbours" | "untriedCheaper"
>

/** The JSON names each model once, and then refers to it by its index. */
interface Head {
  readonly layout: number
  /** A later version of the format appends fields, and defines their value for older rows. */
  readonly plain: ReadonlyArray<unknown>
  readonly untriedCheaper?: Decision["untriedCheaper"]
  readonly unit: Unit
  readonly models: ReadonlyArray<string>
  readonly candidates: ReadonlyArray<readonly [model: number, isEligible: 0 | 1]>
  /** For each forecast: the index of its model, and how many float64 numbers it has. */
  readonly forecasts: ReadonlyArray<readonly [model: number, numbers: number]>
  readonly neighbours: ReadonlyArray<number>
  /** Ids of memory entries; null if all are UUIDs, which are stored after the numbers, 16 bytes each. */
  readonly entryIds: ReadonlyArray<string> | null
}

const lengthBytes = 4
const numberBytes = 8
const idBytes = 16

/** For each character code, its value as a lower-case hexadecimal digit; 16 for other characters. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code))
  return value < 0 ? 16 : value
})
const dashes = [8, 13, 18, 23]
const pairs = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const uuidLength = 36

const uuidBytes = (ids: ReadonlyArray<string>): Uint8Array | null => {
  const bytes = new Uint8Array(idBytes * ids.length)
  let at = 0
  for (const id of ids) {
    if (id.length !== uuidLength || !dashes.every((place) => id.charCodeAt(place) === 45)) return null
    for (const place of pairs) {
      const high = digits[id.charCodeAt(place)] ?? 16
      const low = digits[id.charCodeAt(place + 1)] ?? 16
      if ((high | low) > 15) return null
      bytes[at++] = 16 * high + low
    }
  }
  return bytes
}

/** Returns a forecast as a list of numbers. If `given` is undefined, `given` and `bySpread` are left out. */
const forecastNumbers = (
  { base, bySpread = [], cells, given, local, mixed }: PackedFields["forecasts"][number]
): ReadonlyArray<number> =>
  given === undefined ? [base, cells, local, mixed] : [base, cells, local, mixed, given, ...bySpread]

const makeModels = () => {
  const places = new Map<string, number>()
  return {
    names: () => [...places.keys()],
    placeOf: (modelId: string): number => {
      const known = places.get(modelId)
      if (known !== undefined) return known
      places.set(modelId, places.size)
      return places.size - 1
    }
  }
}

/**
 * Packs the length of a JSON head, the head, float64 numbers, and the neighbours' ids. The float64 numbers
 * are each candidate's prediction and estimated cost, the forecasts, and the neighbours' weights.
 */
export const packFields = (decision: PackedFields): Uint8Array => {
  const { candidates, cluster, forecasts, neighbours } = decision
  const { names, placeOf } = makeModels()
  const numbers: Array<number> = []
  const entryIds = neighbours.map(({ entryId }) => entryId)
  const ids = uuidBytes(entryIds)
  const head = wellFormedJson({
    layout,
    plain: plainFields.map((field) => decision[field]),
    untriedCheaper: decision.untriedCheaper,
    unit: unitOf(cluster),
    candidates: candidates.map(({ estCostUsd, isEligible, modelId, predictedSuccess }) => {
      numbers.push(predictedSuccess, estCostUsd)
      return [placeOf(modelId), isEligible ? 1 : 0]
    }),
    forecasts: forecasts.map((forecast) => {
      const own = forecastNumbers(forecast)
      numbers.push(...own)
      return [placeOf(forecast.modelId), own.length]
    }),
    neighbours: neighbours.map(({ modelId, weight }) => {
      numbers.push(weight)
      return placeOf(modelId)
    }),
    entryIds: ids === null ? entryIds : null,
    models: names()
  } satisfies Head)
  const headBytes = Buffer.byteLength(head)
  const bytes = Buffer.allocUnsafe(
    lengthBytes + headBytes + numberBytes * numbers.length + (ids?.length ?? 0)
  )
  let at = bytes.writeUInt32BE(headBytes)
  at += bytes.write(head, at)
  for (const number of numbers) at = bytes.writeDoubleBE(number, at)
  if (ids !== null) bytes.set(ids, at)
  return bytes
}

const uuidAt = (bytes: Buffer, at: number): string => {
  const hex = bytes.toString("hex", at, at + idBytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const forecastOf = (
  modelId: string,
  [base = 0, cells = 0, local = 0, mixed = 0, given, ...bySpread]: ReadonlyArray<number>
): PackedFields["forecasts"][number] => ({
  modelId, base, cells, local, mixed,
  ...(given === undefined ? {} : { given }),
  ...(bySpread.length === 0 ? {} : { bySpread })
})

/** Unpacks a decision's fields; returns null if they have another layout than this version's. */
export const unpackFields = (stored: Uint8Array): PackedFields | null => {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  let at = lengthBytes + bytes.readUInt32BE(0)
  // The cast to `Head` is safe, because only this file writes heads, and `head.layout` is checked.
  const head = JSON.parse(bytes.toString("utf8", lengthBytes, at)) as Head
  if (head.layout !== layout) return null
  const nextNumber = (): number => {
    at += numberBytes
    return bytes.readDoubleBE(at - numberBytes)
  }
  const nameOf = (model: number): string => head.models[model] ?? ""
  const plain = Object.fromEntries(plainFields.map((field, i) => [field, head.plain[i] ?? null]))
  const fields = plain as unknown as Pick<Decision, PlainField>
  const candidates = head.candidates.map(([model, isEligible]) => ({
    modelId: nameOf(model), predictedSuccess: nextNumber(), estCostUsd: nextNumber(),
    isEligible: isEligible === 1
  }))
  const forecasts = head.forecasts.map(([model, count]) =>
    forecastOf(nameOf(model), Array.from({ length: count }, nextNumber)))
  const weights = head.neighbours.map(nextNumber)
  const neighbours = head.neighbours.map((model, i) => ({
    entryId: head.entryIds?.[i] ?? uuidAt(bytes, at + idBytes * i),
    modelId: nameOf(model),
    weight: weights[i] ?? 0
  }))
  return {
    ...fields,
    ...(head.untriedCheaper === undefined ? {} : { untriedCheaper: head.untriedCheaper }),
    cluster: clusterOf(fields.taskType, fields.difficulty, head.unit),
    candidates, forecasts, neighbours
  }
}
