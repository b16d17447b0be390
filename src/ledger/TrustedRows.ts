import type { Turns } from "../domain/Turns.ts"
import { hashOfHex } from "../stats/Generator.ts"
import { Numbering } from "../stats/Numbering.ts"
import { doublesOf, type Packed, viewOf } from "./Binary.ts"
import { foldSettings } from "./FoldSettings.ts"
import type { TrustedOutcomes } from "./LedgerFolds.ts"

/** Trusted outcomes of one cluster in columns, in no order; the candidates as migration 0009 packs them. */
export interface TrustedRow {
  readonly n_reconciled: number
  readonly rows: number
  readonly cluster: string
  readonly lane: Packed
  readonly id: Packed
  readonly propensity: Packed
  readonly success: Packed
  readonly bill: Packed
  readonly ran: Packed
  readonly candidates: Packed
}

/** Bytes of what comes before the candidates, of one candidate, of a UUID, and of a position. */
const headSize = 4
const candidateSize = 23
const idSize = 16
const positionSize = 2
const numberSize = 8

/** Numbers of models by the six bytes that stand for them; a small table in front of the large one. */
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

const hyphenated = (id: string): string =>
  [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join("-")

/** Which part each row is in. */
const partsOf = (parts: ReadonlyArray<TrustedRow>): Uint16Array => {
  const numbers = new Uint16Array(parts.reduce((total, { rows }) => total + rows, 0))
  let at = 0
  parts.forEach(({ rows }, part) => {
    numbers.fill(part, at, at + rows)
    at += rows
  })
  return numbers
}

/** Several parts as one. */
const joined = (parts: ReadonlyArray<TrustedRow>) => {
  const none = new Uint8Array()
  const bytes = (of: (part: TrustedRow) => Packed): Buffer =>
    Buffer.concat(parts.map((part) => of(part) ?? none))
  const sum = (of: (part: TrustedRow) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    nReconciled: sum((part) => part.n_reconciled),
    rows: sum((part) => part.rows),
    part: partsOf(parts),
    lane: viewOf(bytes(({ lane }) => lane)),
    ids: bytes(({ id }) => id),
    propensity: doublesOf(bytes(({ propensity }) => propensity)),
    success: doublesOf(bytes(({ success }) => success)),
    bill: doublesOf(bytes(({ bill }) => bill)),
    ran: viewOf(bytes(({ ran }) => ran)),
    candidates: viewOf(bytes(({ candidates }) => candidates))
  }
}

/** A whole number holds so many bits exactly: the time since the oldest in front, the row behind. */
const exactBits = 53

/** The rows by the time inside their ids, oldest first; those of one millisecond as they came. */
const orderOf = (ids: Uint8Array, rows: number): Float64Array => {
  const view = viewOf(ids)
  const times = new Float64Array(rows)
  for (let row = 0; row < rows; row++) {
    times[row] = view.getUint32(row * idSize) * 65_536 + view.getUint16(row * idSize + 4)
  }
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  const newest = times.reduce((most, time) => Math.max(most, time), 0)
  if (rows > 0 && (newest - oldest + 1) * rows >= 2 ** exactBits) {
    return Float64Array.from(times.keys()).sort((one, other) => times[one]! - times[other]! || one - other)
  }
  // Sorting plain numbers takes a tenth of the time of sorting by a function.
  const keys = times.map((time, row) => (time - oldest) * rows + row).sort()
  return keys.map((key) => key % rows)
}

/** Where every row's candidates begin. */
const offsetsOf = (packed: DataView, rows: number): Float64Array => {
  const offsets = new Float64Array(rows)
  let at = 0
  for (let row = 0; row < rows; row++) {
    offsets[row] = at
    at += headSize + packed.getInt16(at + positionSize) * candidateSize
  }
  return offsets
}

/** The outcomes but for their models' names, and per model that ran a recommendation that tells its name. */
export interface Decoded {
  readonly runs: ReadonlyMap<number, string>
  /** @param names of models by the recommendation that `runs` gives for them */
  readonly outcomes: (names: ReadonlyMap<string, string>) => TrustedOutcomes
}

/** Decodes parts in turns, and puts them in order. */
export function* decodeTrusted(parts: ReadonlyArray<TrustedRow>): Turns<Decoded> {
  const all = joined(parts)
  const { candidates: packed, ids, nReconciled, rows } = all
  yield
  const order = orderOf(ids, rows)
  yield
  const offsets = offsetsOf(packed, rows)
  const count = (packed.byteLength - rows * headSize) / candidateSize
  const models = makeModels()
  const runs = new Map<number, string>()
  const columns = {
    lane: new Float64Array(rows),
    cluster: Array.from({ length: rows }, () => ""),
    hash: new Uint32Array(rows),
    propensity: new Float64Array(rows),
    success: new Float64Array(rows),
    billUsd: new Float64Array(rows),
    recommended: new Int32Array(rows),
    ran: new Int32Array(rows),
    first: new Int32Array(rows + 1),
    model: new Int32Array(count),
    prediction: new Float64Array(count),
    costUsd: new Float64Array(count),
    isEligible: new Uint8Array(count)
  }

  const addCandidates = (row: number, offset: number): void => {
    const { costUsd, first, isEligible, model, prediction } = columns
    const end = first[row]! + packed.getInt16(offset + positionSize)
    let at = offset + headSize
    for (let next = first[row]!; next < end; next++) {
      model[next] = models.of(packed, at)
      prediction[next] = packed.getFloat64(at + 6)
      costUsd[next] = packed.getFloat64(at + 14)
      isEligible[next] = packed.getUint8(at + 22)
      at += candidateSize
    }
    first[row + 1] = end
  }

  const add = (row: number, from: number): void => {
    addCandidates(row, offsets[from]!)
    // Positions count from 1, and 0 is none.
    const entry = (position: number) => position === 0 ? -1 : columns.first[row]! + position - 1
    columns.recommended[row] = entry(packed.getInt16(offsets[from]!))
    const ran = columns.ran[row] = entry(all.ran.getInt16(from * positionSize))
    columns.cluster[row] = parts[all.part[from]!]!.cluster
    columns.propensity[row] = all.propensity[from]!
    columns.success[row] = all.success[from]!
    columns.billUsd[row] = all.bill[from]!
    // 44 bits of a hash: enough to tell lanes apart, and exact beside a cluster's number.
    columns.lane[row] = all.lane.getUint32(from * numberSize) % 4_096 * 2 ** 32
      + all.lane.getUint32(from * numberSize + 4)
    const end = (from + 1) * idSize
    // The last twelve characters, as the pure fold hashes them.
    columns.hash[row] = hashOfHex(ids, end - 6, end)
    if (ran < 0 || runs.has(columns.model[ran]!)) return
    runs.set(columns.model[ran]!, hyphenated(ids.toString("hex", end - idSize, end)))
  }

  for (let row = 0; row < rows;) {
    yield
    for (const end = Math.min(rows, row + foldSettings.turnRows); row < end; row++) add(row, order[row]!)
  }
  return {
    runs,
    outcomes: (names) => ({
      nReconciled,
      rows,
      ...columns,
      modelIds: Array.from({ length: models.count() }, (_, number) => names.get(runs.get(number) ?? "") ?? "")
    })
  }
}
