/** Stage: lets one recommendation at a time try an unhealthy model. */
import { Clock, Effect } from "effect"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { ModelsHealth } from "../../ledger/ModelsHealth.ts"
import { stage } from "../../telemetry/Tracing.ts"
import { choose, policiesOf } from "../policies/Choose.ts"
import { type UnhealthyCandidates, withDue } from "../policies/UnhealthyCandidates.ts"
import type { RequestContext } from "./RequestContext.ts"

/** A random number just below 1, which starts no trial. */
const undrawn = 1 - Number.EPSILON

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
 * Returns the request, possibly with an unhealthy candidate to try. A candidate is tried if a trial call of
 * it is due, if it would be the pick when healthy, and if no other recommendation tries it. A shadow request
 * tries no candidate, because the caller does not run its pick. A request under a hard budget tries no
 * candidate, because the budget could refuse the try although another pick fits.
 */
export const tryModel = (context: RequestContext): Effect.Effect<RequestContext, LedgerUnavailable> =>
  context.health === null || context.request.shadow || context.budget?.budget.isHard === true
    ? Effect.succeed(context)
    : tryUnhealthy(context, context.health)
