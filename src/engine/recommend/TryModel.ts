/** Stage: lets one recommendation at a time try the model that the others pass by. */
import { Clock, Effect } from "effect"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { ModelsHealth } from "../../ledger/ModelsHealth.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { choose, policiesOf } from "../policies/Choose.ts"
import { type UnhealthyCandidates, withDue } from "../policies/UnhealthyCandidates.ts"
import type { RequestContext } from "./RequestContext.ts"

/** Less than 1: no trial is drawn. */
const undrawn = 1 - Number.EPSILON

/** {@link tryModel} of a request with an unhealthy candidate. */
const tryUnhealthy = Effect.fnUntraced(function*(
  context: RequestContext,
  health: UnhealthyCandidates
): Effect.fn.Return<RequestContext, LedgerUnavailable> {
  const { accountId, candidates, levels, recommendationId, settings } = context
  const asIfWell = withDue(health, yield* Clock.currentTimeMillis)
  if (asIfWell === null) return context
  const policies = policiesOf({ ...context, health: asIfWell })
  const criteria = { ...levels.asked, selectionPolicy: "argmin" as const }
  const { deterministic } = choose(policies, candidates, criteria, undrawn)
  const { modelId } = deterministic.card
  const against = health.unhealthy.get(modelId)
  if (against === undefined || asIfWell.unhealthy.has(modelId)) return context
  const isLent = yield* (yield* ModelsHealth).tryOut(accountId, against, recommendationId).pipe(
    LedgerUnavailable.within(settings.recallBudgetMs)
  )
  return isLent ? { ...context, health: { ...health, tried: modelId } } : context
}, stage("tryModel"))

/**
 * The request with the try of an unhealthy candidate. The try must be due, no other recommendation of the
 * account may have it, and the candidate would be the pick if it were healthy. There is no try in shadow,
 * where it would not run, and none under a hard budget, which might refuse it although another pick fits.
 */
export const tryModel = (context: RequestContext): Effect.Effect<RequestContext, LedgerUnavailable> =>
  context.health === null || context.request.shadow || context.budget?.budget.isHard === true
    ? Effect.succeed(context)
    : tryUnhealthy(context, context.health)
