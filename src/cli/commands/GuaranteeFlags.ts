/* The flags of `sextant account set` that give an account a guarantee or remove it. */
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { findModel } from "../../catalog/Lookup.ts"
import {
  Confidence, GuaranteeTerms, MaxQualityLoss, TrialShare, trialShareDefault
} from "../../domain/account/Guarantee.ts"
import { percent } from "../../domain/text/Words.ts"
import { Identifier } from "../../domain/text/Text.ts"
import { outcomesNeeded } from "../../stats/OutcomesNeeded.ts"
import * as CatalogLayers from "../CatalogLayers.ts"
import { refusal } from "../Refusal.ts"

const noGuarantee = "none"

export const guaranteeFlags = {
  guaranteeBaseline: Flag.String("guarantee-baseline").pipe(
    Flag.withDescription("The model to recommend until a cheaper one is known to succeed nearly as often; "
      + "`none` removes the guarantee"),
    Flag.withSchema(Identifier),
    Flag.optional
  ),
  maxQualityLoss: Flag.Finite("max-quality-loss").pipe(
    Flag.withDescription("Largest difference of success to the baseline, from 0.01 to 0.5; by default 0.05"),
    Flag.withSchema(MaxQualityLoss),
    Flag.optional
  ),
  confidence: Flag.Finite("confidence").pipe(
    Flag.withDescription("Probability that the guarantee holds, from 0.5 to 0.999; by default 0.95"),
    Flag.withSchema(Confidence),
    Flag.optional
  ),
  guaranteeTrials: Flag.Finite("guarantee-trials").pipe(
    Flag.withDescription("Share of tasks on which a trial may run another model, from 0 to 0.5; by default "
      + "0.2. With 0 nothing is tried, and only requests with `paired` gather evidence"),
    Flag.withSchema(TrialShare),
    Flag.optional
  )
}

interface GuaranteeFlagValues {
  readonly guaranteeBaseline: Option.Option<string>
  readonly maxQualityLoss: Option.Option<number>
  readonly confidence: Option.Option<number>
  readonly guaranteeTrials: Option.Option<number>
}

/** Reads the guarantee from the flags: null if it is to be removed, undefined if no flag names one. */
export const guaranteeGiven = Effect.fnUntraced(function*(
  { confidence, guaranteeBaseline, guaranteeTrials, maxQualityLoss }: GuaranteeFlagValues
) {
  const hasTerms = [confidence, guaranteeTrials, maxQualityLoss].some(Option.isSome)
  const baselineModelId = Option.getOrUndefined(guaranteeBaseline)
  if (hasTerms && (baselineModelId === undefined || baselineModelId === noGuarantee)) {
    return yield* refusal(
      "--max-quality-loss, --confidence and --guarantee-trials need --guarantee-baseline MODEL"
    )
  }
  if (baselineModelId === undefined) return undefined
  if (baselineModelId === noGuarantee) return null
  return GuaranteeTerms.make({
    baselineModelId,
    ...(Option.isSome(maxQualityLoss) ? { maxQualityLoss: maxQualityLoss.value } : {}),
    ...(Option.isSome(confidence) ? { confidence: confidence.value } : {}),
    trialShare: Option.getOrNull(guaranteeTrials)
  })
})

/** Warns if the catalog lacks the baseline, which the account may still declare later. */
export const warnOfBaseline = (
  config: Parameters<typeof CatalogLayers.storedSnapshot>[0],
  { baselineModelId }: GuaranteeTerms
) =>
  Effect.gen(function*() {
    if (findModel(yield* CatalogLayers.storedSnapshot(config), baselineModelId) !== undefined) return
    yield* Console.error(`Warning: the catalog has no model ${baselineModelId}. Unless the account `
      + "declares it, answers warn of guarantee_baseline_unavailable, and nothing is guaranteed.")
  })

export const guaranteeLine = (guarantee: GuaranteeTerms | null): string => {
  if (guarantee === null) return "has no guarantee"
  const { baselineModelId, confidence, maxQualityLoss } = guarantee
  const promise = `gets models cheaper than ${baselineModelId} once their success is known to be within `
    + `${maxQualityLoss} of it, with confidence ${confidence}`
  const trialShare = guarantee.trialShare ?? trialShareDefault
  if (trialShare === 0) {
    return `${promise}. Trials are off: only requests with \`paired\` gather evidence `
      + "(--guarantee-trials 0.2 turns them on)"
  }
  const needed = outcomesNeeded({ alpha: 1 - confidence, loss: maxQualityLoss }, null, trialShare)
  return `${promise}: after about ${needed} reported outcomes of a kind of task, where a model does as well. `
    + `Trials run another model on at most ${percent(trialShare)} of the tasks`
}
