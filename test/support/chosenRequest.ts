import { Notes } from "../../src/engine/Notes.ts"
import { choose, policiesOf } from "../../src/engine/policies/Choose.ts"
import type { ChosenRequest } from "../../src/engine/recommend/MakeDecision.ts"
import type { RequestContext } from "../../src/engine/recommend/RequestContext.ts"
import { defaults } from "../../src/engine/Settings.ts"
import { accountOf, classified, idOf, recalled, request, snapshot } from "./builders.ts"
import { asked, type AskedChoice, type Candidates, contextOf, criteriaIn } from "./choices.ts"

/** A request with its choice among these candidates, without a budget or escalation. */
export const chosenRequest = (
  candidates: Candidates,
  over: Partial<RequestContext> = {},
  ask: AskedChoice = asked(),
  draw = 0
): ChosenRequest => {
  const criteria = criteriaIn(ask)
  const policy = contextOf(defaults, ask)
  const context: RequestContext = {
    ...policy,
    accountId: accountOf(), recommendationId: idOf("id"), workflowId: null, createdAt: new Date(7), beganMs: 0,
    request: request(), classified: classified(), snapshot: snapshot(candidates.map(({ card }) => card)),
    requestedNames: new Map(), recalled: recalled(), redacted: {}, notes: new Notes(),
    candidates, levels: { asked: criteria, lowest: null },
    reasonerCostUsd: null, reasonerLeftMs: null,
    ...over
  }
  const { budget, request: { shadow }, settings } = context
  const policies = policiesOf({ ...policy, settings, budget, request: { ...policy.request, shadow } })
  const choice = choose(policies, candidates, criteria, draw)
  return { context, choice, escalated: { costUsd: null, reasons: [] }, latencyMs: 3 }
}
