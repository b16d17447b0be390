/*
 * The labels of all files, by the call that they are about: logs keep them in other rows or files than the
 * calls, in no order. Memory is bounded by the labels and not by the calls.
 */
import type { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import type { LeftOut } from "../LoggedCall.ts"
import { type FoundLabel, isOfQuality } from "./FoundLabel.ts"

/** What all labels of a call come to. */
interface CallLabel {
  /** In [0, 1]. */
  readonly quality: number
  readonly evidenceSource: EvidenceSource | null
}

export interface LabelTable {
  readonly add: (label: FoundLabel) => void
  /** The label of a call that has one of these keys, the first key with any before the others. */
  readonly find: (keys: ReadonlyArray<string>) => CallLabel | null
  /** Labels that say nothing of quality, are on no known scale, or that no call has asked for. */
  readonly unused: () => Iterable<LeftOut>
}

/** The strongest source of a call's labels counts; a label whose source is unknown is the weakest. */
const sources: ReadonlyArray<EvidenceSource | null> = [null, "judge", "gate", "human"]

/** The scores of one name, which are of one scale. */
interface Scale {
  readonly name: string
  isOffScale: boolean
}

interface ScaledLabel {
  readonly value: number
  /** Its place among the sources. */
  readonly rank: number
  readonly scale: Scale
  isUsed: boolean
}

/** `labelNames`: the names of scores that count; all that are of quality where it is null. */
export const makeLabelTable = (labelNames: ReadonlyArray<string> | null): LabelTable => {
  const scales = new Map<string, Scale>()
  const labelsOf = new Map<string, Array<ScaledLabel>>()
  const unfit: Array<LeftOut> = []
  const wanted = labelNames === null ? null : new Set(labelNames)

  const scaleNamed = (name: string): Scale => {
    const scale = scales.get(name) ?? { name, isOffScale: false }
    scales.set(name, scale)
    return scale
  }

  /** The mean of the labels of the strongest source; a 1 on a scale of 1 to 5 is none. */
  const meanOf = (labels: ReadonlyArray<ScaledLabel>): CallLabel | null => {
    const onScale = labels.filter(({ scale }) => !scale.isOffScale)
    for (const label of onScale) label.isUsed = true
    const rank = Math.max(...onScale.map((label) => label.rank))
    const strongest = onScale.filter((label) => label.rank === rank)
    return strongest.length === 0 ? null : {
      quality: strongest.reduce((sum, { value }) => sum + value, 0) / strongest.length,
      evidenceSource: sources[rank] ?? null
    }
  }

  return {
    add: ({ key, name, source, value }) => {
      const shown = name.slice(0, 40)
      if (typeof value !== "number") unfit.push(value)
      else if (!(wanted?.has(name) ?? isOfQuality(name))) {
        unfit.push({ reason: "label_not_quality", detail: shown })
      } else if (!(value >= 0 && value <= 1)) {
        scaleNamed(name).isOffScale = true
        unfit.push({ reason: "label_out_of_range", detail: `${shown}: ${value}` })
      } else {
        const label = { value, rank: sources.indexOf(source), scale: scaleNamed(name), isUsed: false }
        const labels = labelsOf.get(key)
        if (labels === undefined) labelsOf.set(key, [label])
        else labels.push(label)
      }
    },
    find: (keys) => {
      // Every label of the call is used, whichever counts.
      const found = keys.map((key) => meanOf(labelsOf.get(key) ?? []))
      return found.find((label) => label !== null) ?? null
    },
    *unused() {
      yield* unfit
      for (const { isUsed, scale: { isOffScale, name } } of [...labelsOf.values()].flat()) {
        if (isUsed) continue
        yield { reason: isOffScale ? "label_out_of_range" : "label_without_call", detail: name.slice(0, 40) }
      }
    }
  }
}
