import { hashOf } from "../stats/Generator.ts"
import { Numbering } from "../stats/Numbering.ts"
import { doublesOf, type Packed, viewOf } from "./Binary.ts"
import type { TrustedOutcomes } from "./LedgerFolds.ts"

/** A part of the trusted outcomes, oldest first, in columns; the candidates as migration 0008 packs them. */
export interface TrustedRow {
  readonly n_reconciled: number
  readonly rows: number
  readonly cluster: string | null
  readonly lane: Packed
  readonly id: Packed
  readonly propensity: Packed
  readonly success: Packed
  readonly bill: Packed
  readonly ran: Packed
  readonly size: Packed
  readonly candidates: Packed
}

/** Bytes of the recommended one's position, of one candidate, and of a UUID. */
const headSize = 2
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

const sum = (rows: ReadonlyArray<TrustedRow>, of: (row: TrustedRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)

/**
 * The columns of so many parts, to be filled one part at a time so that others get a turn in between.
 * `runs` are, per model that ran, the id of a recommendation where it did: the models' names are there.
 */
export const makeTrusted = (parts: ReadonlyArray<TrustedRow>) => {
  const rows = sum(parts, (part) => part.rows)
  const candidates = sum(parts, (part) =>
    ((part.candidates?.length ?? 0) - headSize * part.rows) / candidateSize)
  const models = makeModels()
  const cluster: Array<string> = []
  const lane = new Float64Array(rows)
  const hash = new Uint32Array(rows)
  const propensity = new Float64Array(rows)
  const success = new Float64Array(rows)
  const billUsd = new Float64Array(rows)
  const recommended = new Int32Array(rows)
  const ran = new Int32Array(rows)
  const first = new Int32Array(rows + 1)
  const model = new Int32Array(candidates)
  const prediction = new Float64Array(candidates)
  const costUsd = new Float64Array(candidates)
  const isEligible = new Uint8Array(candidates)
  const runs = new Map<number, string>()

  /** Entry of the candidate at a position from 1, or -1. */
  const entry = (row: number, position: number): number => position === 0 ? -1 : first[row]! + position - 1

  const addCandidates = (part: TrustedRow, from: number): void => {
    const packed = viewOf(part.candidates)
    const sizes = viewOf(part.size)
    const positions = viewOf(part.ran)
    let at = 0
    for (let i = 0; i < part.rows; i++) {
      const row = from + i
      const end = at + sizes.getInt32(i * 4)
      recommended[row] = entry(row, packed.getInt16(at))
      ran[row] = entry(row, positions.getInt16(i * positionSize))
      let next = first[row]!
      for (at += headSize; at < end; at += candidateSize) {
        model[next] = models.of(packed, at)
        prediction[next] = packed.getFloat64(at + 6)
        costUsd[next] = packed.getFloat64(at + 14)
        isEligible[next] = packed.getUint8(at + 22)
        next += 1
      }
      first[row + 1] = next
    }
  }

  const addIds = (part: TrustedRow, from: number): void => {
    const lanes = viewOf(part.lane)
    const ids = Buffer.from(part.id ?? []).toString("hex")
    for (let i = 0; i < part.rows; i++) {
      const row = from + i
      const end = (i + 1) * idSize * 2
      // The last twelve characters, as the pure fold hashes them.
      hash[row] = hashOf(ids, end - 12, end)
      // 44 bits of a hash: enough to tell lanes apart, and exact beside a cluster's number.
      lane[row] = lanes.getUint32(i * numberSize) % 4_096 * 2 ** 32 + lanes.getUint32(i * numberSize + 4)
      const own = ran[row]! < 0 ? -1 : model[ran[row]!]!
      if (own >= 0 && !runs.has(own)) runs.set(own, hyphenated(ids.slice(end - idSize * 2, end)))
    }
  }

  let filled = 0
  /** Adds the next part. */
  const add = (part: TrustedRow): void => {
    if (part.rows === 0) return
    addCandidates(part, filled)
    addIds(part, filled)
    propensity.set(doublesOf(part.propensity), filled)
    success.set(doublesOf(part.success), filled)
    billUsd.set(doublesOf(part.bill), filled)
    for (const name of (part.cluster ?? "").split(",")) cluster.push(name)
    filled += part.rows
  }

  /** @param names of models by the recommendation that `runs` gives for them */
  const outcomes = (names: ReadonlyMap<string, string>): TrustedOutcomes => ({
    nReconciled: sum(parts, (part) => part.n_reconciled),
    rows, lane, cluster, hash, propensity, success, billUsd, recommended, ran, first, model, prediction,
    costUsd, isEligible,
    modelIds: Array.from({ length: models.count() }, (_, number) => names.get(runs.get(number) ?? "") ?? "")
  })
  return { add, runs, outcomes }
}
