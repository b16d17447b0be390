/* The labels in all files, by call. Labels may be in other rows or files than their calls. */
import type { EvidenceSource } from "../../domain/feedback/Feedback.ts"
import type { LeftOut } from "../LoggedCall.ts"
import { type FoundLabel, isOfQuality } from "./FoundLabel.ts"

interface CallLabel {
  /** Quality of the call, in [0, 1]. */
  readonly quality: number
  readonly evidenceSource: EvidenceSource | null
}

export interface LabelTable {
  readonly add: (label: FoundLabel) => void
  /** Returns the combined label of the first key that has usable labels; null if no key has any. */
  readonly find: (keys: ReadonlyArray<string>) => CallLabel | null
  /** Returns the labels that no call used. */
  readonly unused: () => Iterable<LeftOut>
}

/** Sources of labels, weakest first. If several sources label a call, the strongest source decides. */
const sources: ReadonlyArray<EvidenceSource | null> = [null, "judge", "gate", "human"]

/** The scale of all scores of a name. `isOffScale` is true if a score of the name was outside 0 to 1. */
interface Scale {
  readonly name: string
  isOffScale: boolean
}

interface ScaledLabel {
  readonly value: number
  readonly rank: number
  readonly scale: Scale
  isUsed: boolean
}

/** If `labelNames` is null, all scores whose name is about quality are used. */
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

  /** Returns the strongest source's mean label. Labels whose scale exceeds 0 to 1 are left out. */
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
      // All usable labels of the call are marked as used, including labels that do not decide.
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
