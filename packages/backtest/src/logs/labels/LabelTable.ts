/*
 * The labels of all files, by the call that they are about: logs keep them in other rows or files than the
 * calls, in no order. Memory is bounded by the labels and not by the calls.
 */
import type { EvidenceSource } from "../../../../../src/domain/Feedback.ts"
import type { LeftOut, LeftOutReason } from "../LoggedCall.ts"
import { type FoundLabel, isOfQuality } from "./FoundLabel.ts"

/** What all labels of a call come to. */
interface CallLabel {
  /** In [0, 1]. */
  readonly quality: number
  readonly evidenceSource: EvidenceSource | null
}

/** A label that no call takes, and where it stands. */
export interface LabelLeftOut {
  readonly file: number
  readonly line: number
  readonly reason: LeftOutReason
  readonly detail: string | null
}

export interface LabelTable {
  /** Adds a label from a row of a file. */
  readonly add: (label: FoundLabel, file: number, line: number) => void
  /** The label of a call that has one of these keys, the first key with any before the others. */
  readonly find: (keys: ReadonlyArray<string>) => CallLabel | null
  readonly size: () => number
  /**
   * Labels that say nothing of quality or are on no known scale; and where all calls are known (`isWhole`),
   * those that no call has asked for.
   */
  readonly unused: (isWhole: boolean) => Iterable<LabelLeftOut>
}

/** The strongest source of a call's labels counts; a label whose source is unknown is the weakest. */
const sources: ReadonlyArray<EvidenceSource | null> = [null, "judge", "gate", "human"]

/** The scores of one name, which are of one scale. */
interface Scale {
  readonly name: string
  isOffScale: boolean
}

/** `labelNames`: the names of scores that count; all that are of quality where it is null. */
export const makeLabelTable = (labelNames: ReadonlyArray<string> | null): LabelTable => {
  const scales = new Map<string, Scale>()
  /** The last label of each call, from which `earlier` leads to those before it. */
  const lastOf = new Map<string, number>()
  // One entry of each list is a label: lists of numbers take a tenth of the memory of objects.
  const values: Array<number> = []
  const ranks: Array<number> = []
  const scaleOf: Array<Scale> = []
  const earlier: Array<number> = []
  const files: Array<number> = []
  const lines: Array<number> = []
  const isUsed: Array<boolean> = []
  const unfit: Array<LabelLeftOut> = []
  const wanted = labelNames === null ? null : new Set(labelNames)
  const isWanted = (name: string): boolean => wanted?.has(name) ?? isOfQuality(name)

  const scaleNamed = (name: string): Scale => {
    const known = scales.get(name)
    const scale = known ?? { name, isOffScale: false }
    if (known === undefined) scales.set(name, scale)
    return scale
  }

  /** Why a label says nothing of quality by itself; null for one that may. */
  const unfitOf = (name: string, value: number | LeftOut): LeftOut | null => {
    if (typeof value !== "number") return value
    if (!isWanted(name)) return { reason: "label_not_quality", detail: name.slice(0, 40) }
    if (value >= 0 && value <= 1) return null
    scaleNamed(name).isOffScale = true
    return { reason: "label_out_of_range", detail: `${name.slice(0, 40)}: ${value}` }
  }

  const add = ({ key, name, source, value }: FoundLabel, file: number, line: number): void => {
    const why = unfitOf(name, value)
    if (why !== null || typeof value !== "number") {
      if (why !== null) unfit.push({ file, line, ...why })
      return
    }
    const scale = scaleNamed(name)
    earlier.push(lastOf.get(key) ?? -1)
    lastOf.set(key, values.length)
    values.push(value)
    ranks.push(sources.indexOf(source))
    scaleOf.push(scale)
    files.push(file)
    lines.push(line)
    isUsed.push(false)
  }

  /** The mean of the labels of the strongest source; a 1 on a scale of 1 to 5 is none. */
  const labelAt = (last: number): CallLabel | null => {
    let [rank, sum, count] = [-1, 0, 0]
    for (let i = last; i >= 0; i = earlier[i] ?? -1) {
      if (scaleOf[i]?.isOffScale === true) continue
      isUsed[i] = true
      const own = ranks[i] ?? 0
      if (own < rank) continue
      if (own > rank) [rank, sum, count] = [own, 0, 0]
      sum += values[i] ?? 0
      count++
    }
    return count === 0 ? null : { quality: sum / count, evidenceSource: sources[rank] ?? null }
  }

  return {
    add,
    find: (keys) => {
      let found: CallLabel | null = null
      for (const key of keys) {
        const last = lastOf.get(key)
        const label = last === undefined ? null : labelAt(last)
        found ??= label
      }
      return found
    },
    size: () => values.length,
    *unused(isWhole) {
      yield* unfit
      for (const [i, scale] of scaleOf.entries()) {
        const reason = scale.isOffScale ? "label_out_of_range" : "label_without_call"
        if (scale.isOffScale || (isWhole && isUsed[i] !== true)) {
          yield { file: files[i] ?? 0, line: lines[i] ?? 0, reason, detail: scale.name.slice(0, 40) }
        }
      }
    }
  }
}
