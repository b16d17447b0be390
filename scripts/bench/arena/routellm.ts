/* RouteLLM's figures: how much of the gap between a weak and a strong model a router recovers. */
import { Effect } from "effect"
import { generator } from "../../../src/stats/Generator.ts"
import { mean } from "./figures.ts"
import { recordedOf } from "./outcomes.ts"
import { pickFrom } from "./random.ts"
import { type ReplayTask, serviceOf, streamOf, turn } from "./replay.ts"

/** One call: what was predicted to be gained by the strong model, and both models' real quality. */
export interface Call {
  readonly predictedGain: number
  readonly strong: number
  readonly weak: number
}

/**
 * Performance gap recovered, at shares 0, 1/n, ... 1 of calls to the strong model, when the calls of highest
 * predicted gain go there first; null when the models are alike and there is no gap.
 *
 * @see Ong et al., RouteLLM (2024), section 2
 */
export const gapRecovered = (calls: ReadonlyArray<Call>): ReadonlyArray<number> | null => {
  const gap = calls.reduce((sum, call) => sum + call.strong - call.weak, 0)
  if (gap <= 0) return null
  let recovered = 0
  return [
    0,
    ...calls.toSorted((a, b) => b.predictedGain - a.predictedGain).map((call) => {
      recovered += call.strong - call.weak
      return recovered / gap
    })
  ]
}

/** APGR: the gap recovered, averaged over the share of strong calls (trapezoids); 0.5 at random. */
export const averageGapRecovered = (recovered: ReadonlyArray<number>): number =>
  mean(recovered.slice(1).map((right, i) => (right + recovered[i]!) / 2))

/** CPT(x): the least share of strong calls that recovers the share `target` of the gap; both in [0, 1]. */
export const callsForTarget = (recovered: ReadonlyArray<number>, target: number): number =>
  recovered.findIndex((share) => share >= target - 1e-9) / (recovered.length - 1)

export interface SliceReport {
  readonly slice: string
  readonly calls: number
  readonly apgr: number
  readonly cpt50: number
  readonly cpt80: number
}

const sliceReport = (slice: string, calls: ReadonlyArray<Call>): ReadonlyArray<SliceReport> => {
  const recovered = gapRecovered(calls)
  return recovered === null ? [] : [{
    slice,
    calls: calls.length,
    apgr: averageGapRecovered(recovered),
    cpt50: callsForTarget(recovered, 0.5),
    cpt80: callsForTarget(recovered, 0.8)
  }]
}

export interface RouteReport {
  readonly seed: number
  readonly strongModelId: string
  readonly weakModelId: string
  readonly slices: ReadonlyArray<SliceReport>
}

/**
 * RouteLLM's figures for the engine's own predictions, learned online in one lane from nothing: a coin says
 * which of the two models runs, whatever was recommended, and only its outcome is revealed.
 */
export const route = (task: ReplayTask) =>
  Effect.gen(function*() {
    const stream = streamOf(task)
    const [first = "", second = ""] = stream.modelIds
    const qualityOf = (modelId: string) =>
      mean(stream.truth.map((truth) => recordedOf(truth, modelId).quality))
    const isFirstStrong = qualityOf(first) >= qualityOf(second)
    const [strong, weak] = isFirstStrong ? [first, second] : [second, first]
    const random = generator(task.seed + 13)
    const lane = `route-${task.seed}-${process.pid}`
    const calls: Array<Call & { readonly slice: string }> = []
    for (let index = 0; index < stream.rows.length; index++) {
      const slider = pickFrom(task.sliders, random)
      const ran = random() < 0.5 ? weak : strong
      const { advice } = yield* turn(task, stream, index, slider, lane, () => ran)
      const truth = stream.truth[index]!
      calls.push({
        slice: stream.rows[index]!.sub?.split(":")[0] ?? "all",
        predictedGain: (advice.predictions.get(strong) ?? 0) - (advice.predictions.get(weak) ?? 0),
        strong: recordedOf(truth, strong).quality,
        weak: recordedOf(truth, weak).quality
      })
    }
    const bySlice = [...Map.groupBy(calls, (call) => call.slice)].toSorted(([a], [b]) => a < b ? -1 : 1)
    const report: RouteReport = {
      seed: task.seed,
      strongModelId: strong,
      weakModelId: weak,
      slices: [
        ...sliceReport("all", calls),
        ...sliceReport("all, 2nd half", calls.slice(Math.floor(calls.length / 2))),
        ...bySlice.flatMap(([slice, own]) => [
          ...sliceReport(slice, own),
          ...sliceReport(`${slice}, 2nd half`, own.slice(Math.floor(own.length / 2)))
        ])
      ]
    }
    return report
  }).pipe((routing) => Effect.suspend(() => Effect.provide(routing, serviceOf(task, streamOf(task)))))
