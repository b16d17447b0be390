/* The finding that a report begins with: the saving at the same quality, and what a fixed model comes to. */
import type { BacktestPolicy, BacktestSameQuality } from "./Report.ts"
import { share, span } from "./Sentences.ts"
import { sameWithin, type SameQuality } from "./stats/SameQuality.ts"

/** A fixed model beats a setting that costs at least this part more. Chosen. */
const cheaperLeast = 0.01

const beats = (one: BacktestPolicy, other: BacktestPolicy): boolean =>
  one.costUsd !== null && one.success !== null && other.costUsd !== null && other.success !== null
  && one.costUsd.value < (1 - cheaperLeast) * other.costUsd.value && one.success.value >= other.success.value

/** The model that beats most sliders and values. */
const fixedModelOf = (policies: ReadonlyArray<BacktestPolicy>): BacktestSameQuality["fixedModel"] => {
  const settings = policies.filter(({ picks, success }) => picks !== null && success !== null)
  let best: BacktestSameQuality["fixedModel"] = null
  for (const policy of policies) {
    if (policy.modelId === null) continue
    const beaten = settings.filter((setting) => beats(policy, setting)).length
    if (beaten > (best?.beaten ?? 0)) best = { modelId: policy.modelId, beaten, settings: settings.length }
  }
  return best
}

/** "Slider 2.5 on 70 % of the calls and always gpt-5 on 30 %" */
export const mixtureWords = (mixture: BacktestSameQuality["mixture"]): string => {
  const [first, second] = mixture
  if (first === undefined) return "none"
  return second === undefined
    ? first.name
    : `${first.name} on ${share(first.share)} of the calls and ${second.name} on ${share(second.share)}`
}

/** "Always gpt-5-mini is cheaper than 3 of 5 settings of Sextant, and at least as good" */
export const fixedWords = (
  { beaten, modelId, settings }: NonNullable<BacktestSameQuality["fixedModel"]>
): string => {
  const those = beaten === settings ? "every setting" : `${beaten} of ${settings} settings`
  return `Always ${modelId} is cheaper than ${those} of Sextant, and at least as good`
}

/** "within 1 point" */
export const withinWords = `within ${sameWithin * 100} point`

/** The baseline as a headline names it. */
export const todayOf = (baseline: string): string => baseline.startsWith("always ") ? baseline : "today"

/** What a log says of the saving at the same quality. */
export const sameQualityOf = (
  figures: SameQuality | null,
  policies: ReadonlyArray<BacktestPolicy>,
  baseline: string,
  judged: number
): BacktestSameQuality => {
  const fixedModel = fixedModelOf(policies)
  const none = { saving: null, mixture: [], fixedModel }
  if (figures === null) {
    const untold = policies.find(({ kind, verdict }) => kind !== "logged" && verdict === "not_enough")
    const sentence = judged === 0
      ? "Not enough to tell: the log holds no call that can be judged."
      : untold?.sentence ?? "Not enough to tell: no model of the log can be judged."
    return { ...none, verdict: "not_enough", sentence }
  }
  const asGood = `as good as ${todayOf(baseline)} (${withinWords})`
  const { best } = figures
  if (best === null) {
    return { ...none, verdict: "none", sentence: `No way of choosing is ${asGood} for less.` }
  }
  const { mixture: { first, second, share: firstShare }, saving } = best
  const mixture = [{ name: policies[first]!.name, share: firstShare }]
    .concat(first === second ? [] : [{ name: policies[second]!.name, share: 1 - firstShare }])
    .toSorted((a, b) => b.share - a.share)
  const isShown = saving.low > 0
  const by = `by ${mixtureWords(mixture)}`
  const sentence = isShown
    ? `${asGood.replace("as", "As")}: ${share(saving.value)} less (95 % interval ${span(saving)}), ${by}.`
    : `No way of choosing is shown to be ${asGood} for less: the best, ${by}, would save `
      + `${share(saving.value)}, with a 95 % interval of ${span(saving)}.`
  return { verdict: isShown ? "saves" : "not_shown", saving, mixture, fixedModel, sentence }
}

/** What a log says, in a sentence or two. */
export const headlineOf = ({ fixedModel, sentence }: BacktestSameQuality): string =>
  fixedModel === null ? sentence : `${sentence} ${fixedWords(fixedModel)}.`
