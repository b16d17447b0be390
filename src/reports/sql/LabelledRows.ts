/* Packs trusted outcomes in SQL, and decodes them into columns. */
import { ofHex, type RecommendationId } from "../../domain/RecommendationId.ts"
import type { CooperativeYield } from "../../resilience/CooperativeYield.ts"
import { hashOfHex } from "../../stats/Hash.ts"
import { Numbering } from "../../stats/Numbering.ts"
import type { LabelledOutcomes } from "../Aggregates.ts"
import { reportSettings } from "../ReportSettings.ts"
import { type Packed, viewOf } from "./PackedColumns.ts"

/** Packed trusted outcomes of one cluster, in no order. {@link place} has the offset of each value. */
export interface LabelledRow {
  readonly n_reconciled: number
  readonly rows: number
  readonly cluster: string
  readonly packed: Packed
}

/** Byte offsets in a packed outcome. `PackedCandidates.ts` packs `recommended`, `count` and `candidates`. */
const place = {
  id: 0, lane: 16, propensity: 24, success: 32, bill: 40, baseline: 48, ran: 54, recommended: 56, count: 58,
  candidates: 60
} as const

const candidateSize = 23
const idSize = 16

/** In shadow the propensity is 1, because the caller ran its default model whichever model was drawn. */
export const packedOutcome = `uuid_send(recommendation_id) || int8send(hashtextextended(lane, 0))
  || float8send(case when is_shadow then 1 else propensity end) || float8send(success)
  || float8send(coalesce(actual_cost_usd, 'NaN'))
  || substr(decode(md5(coalesce(baseline_model_id, '')), 'hex'), 1, 6)
  || int2send(coalesce(chosen_position, 0::int2)) || candidates`

/** Numbers models by the six bytes that identify them. */
const makeModels = () => {
  const all = new Numbering<number>()
  const codes = new Float64Array(1024).fill(-1)
  const numbers = new Int32Array(1024)
  const of = (view: DataView, at: number): number => {
    const low = view.getUint16(at + 4)
    const code = view.getUint32(at) * 65_536 + low
    const place = low % 1024
    if (codes[place] === code) return numbers[place]!
    codes[place] = code
    return numbers[place] = all.of(code)
  }
  return { of, count: () => all.keys.length }
}

const nameOf = (names: ReadonlyMap<RecommendationId, string>, id: RecommendationId | undefined): string =>
  (id === undefined ? undefined : names.get(id)) ?? ""

const placesOf = (parts: ReadonlyArray<LabelledRow>, views: ReadonlyArray<DataView>) => {
  const rows = parts.reduce((total, part) => total + part.rows, 0)
  const part = new Uint16Array(rows)
  const begin = new Uint32Array(rows)
  const time = new Float64Array(rows)
  let [row, candidates] = [0, 0]
  views.forEach((view, number) => {
    for (let at = 0; at < view.byteLength; row++) {
      part[row] = number
      begin[row] = at
      time[row] = view.getUint32(at) * 65_536 + view.getUint16(at + 4)
      const count = view.getInt16(at + place.count)
      candidates += count
      at += place.candidates + count * candidateSize
    }
  })
  return { rows, part, begin, time, candidates }
}

type PackedPlaces = ReturnType<typeof placesOf>

/** A number holds whole numbers of up to 53 bits exactly. A sort key is (time - oldest) · rows + row. */
const exactBits = 53

const orderByTime = (times: Float64Array): Float64Array => {
  const rows = times.length
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const newest = times.reduce((most, time) => Math.max(most, time), 0)
  if (rows > 0 && (newest - oldest + 1) * rows >= 2 ** exactBits) {
    return Float64Array.from(times.keys()).sort((one, other) => times[one]! - times[other]!)
  }
  // Sorting numbers is faster than sorting with a comparison function.
  const keys = times.map((time, row) => (time - oldest) * rows + row).sort()
  return keys.map((key) => key % rows)
}

/**
 * Returns the order of the rows: the oldest first, and by id within a millisecond. The order must not change
 * between readings, because a small report resamples by the order of its rows.
 */
const orderOf = ({ begin, part, rows, time }: PackedPlaces, bytes: ReadonlyArray<Buffer>): Float64Array => {
  const order = orderByTime(time)
  const byId = (one: number, other: number): number => {
    const [from, of] = [begin[one]!, begin[other]!]
    return bytes[part[one]!]!.compare(bytes[part[other]!]!, of, of + idSize, from, from + idSize)
  }
  for (let from = 0, to = 1; from < rows; from = to++) {
    while (to < rows && time[order[to]!] === time[order[from]!]) to++
    if (to > from + 1) order.subarray(from, to).sort(byId)
  }
  return order
}

interface Decoded {
  readonly runs: ReadonlyMap<number, RecommendationId>
  /** Returns the outcomes. `names` maps recommendations in `runs` to the names of the models that ran. */
  readonly outcomes: (names: ReadonlyMap<RecommendationId, string>) => LabelledOutcomes
}

const makeColumns = (rows: number, candidates: number) => ({
  lane: new Float64Array(rows),
  cluster: Array.from({ length: rows }, () => ""),
  hash: new Uint32Array(rows),
  propensity: new Float64Array(rows),
  success: new Float64Array(rows),
  billUsd: new Float64Array(rows),
  recommended: new Int32Array(rows),
  ran: new Int32Array(rows),
  baseline: new Int32Array(rows),
  first: new Int32Array(rows + 1),
  model: new Int32Array(candidates),
  prediction: new Float64Array(candidates),
  costUsd: new Float64Array(candidates),
  isEligible: new Uint8Array(candidates)
})

const makeDecoder = (
  parts: ReadonlyArray<LabelledRow>,
  views: ReadonlyArray<DataView>,
  bytes: ReadonlyArray<Buffer>,
  { begin, candidates, part, rows }: PackedPlaces
) => {
  const models = makeModels()
  const runs = new Map<number, RecommendationId>()
  const columns = makeColumns(rows, candidates)

  const addCandidates = (row: number, view: DataView, from: number): void => {
    const { costUsd, first, isEligible, model, prediction } = columns
    const end = first[row]! + view.getInt16(from + place.count)
    let at = from + place.candidates
    for (let next = first[row]!; next < end; next++) {
      model[next] = models.of(view, at)
      prediction[next] = view.getFloat64(at + 6)
      costUsd[next] = view.getFloat64(at + 14)
      isEligible[next] = view.getUint8(at + 22)
      at += candidateSize
    }
    first[row + 1] = end
  }

  const candidateOf = (row: number, model: number): number => {
    const found = columns.model.subarray(columns.first[row]!, columns.first[row + 1]!).indexOf(model)
    return found < 0 ? -1 : columns.first[row]! + found
  }

  const add = (row: number, from: number): void => {
    const view = views[part[from]!]!
    const at = begin[from]!
    addCandidates(row, view, at)
    // Positions of candidates begin with 1. The position 0 means that there is no candidate.
    const entry = (position: number) => position === 0 ? -1 : columns.first[row]! + position - 1
    columns.recommended[row] = entry(view.getInt16(at + place.recommended))
    const ran = columns.ran[row] = entry(view.getInt16(at + place.ran))
    columns.baseline[row] = candidateOf(row, models.of(view, at + place.baseline))
    columns.cluster[row] = parts[part[from]!]!.cluster
    columns.propensity[row] = view.getFloat64(at + place.propensity)
    columns.success[row] = view.getFloat64(at + place.success)
    columns.billUsd[row] = view.getFloat64(at + place.bill)
    // A lane's number is 44 bits of a hash, so that it can be combined with a cluster's number exactly.
    columns.lane[row] = view.getUint32(at + place.lane) % 4_096 * 2 ** 32
      + view.getUint32(at + place.lane + 4)
    const own = bytes[part[from]!]!
    // The last twelve characters are hashed, as in the reference of `test/reports`.
    columns.hash[row] = hashOfHex(own, at + idSize - 6, at + idSize)
    if (ran < 0 || runs.has(columns.model[ran]!)) return
    runs.set(columns.model[ran]!, ofHex(own.toString("hex", at, at + idSize)))
  }

  return { add, columns, modelCount: models.count, runs }
}

/** Decodes and sorts the outcomes of all parts, and lets the event loop run in between. */
export function* decodeTrusted(parts: ReadonlyArray<LabelledRow>): CooperativeYield<Decoded> {
  const views = parts.map(({ packed }) => viewOf(packed))
  const bytes = views.map(({ buffer, byteLength, byteOffset }) => Buffer.from(buffer, byteOffset, byteLength))
  const places = placesOf(parts, views)
  const { rows } = places
  yield
  const order = orderOf(places, bytes)
  yield
  const { add, columns, modelCount, runs } = makeDecoder(parts, views, bytes, places)

  for (let row = 0; row < rows;) {
    yield
    for (const end = Math.min(rows, row + reportSettings.turnRows); row < end; row++) add(row, order[row]!)
  }
  return {
    runs,
    outcomes: (names) => ({
      nReconciled: parts.reduce((total, part) => total + part.n_reconciled, 0),
      rows,
      ...columns,
      modelIds: Array.from({ length: modelCount() }, (_, number) => nameOf(names, runs.get(number)))
    })
  }
}
