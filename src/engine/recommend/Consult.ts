import { Effect } from "effect"
import type { AccountId } from "../../domain/Scope.ts"
import type { RecommendWarning } from "../../domain/Warning.ts"
import type { Recalled } from "../../memory/Memory.ts"
import type { Reasoner } from "../../reasoner/Reasoner.ts"
import { degrade } from "../Degraded.ts"
import { Settings } from "../Settings.ts"
import type { Priced } from "./candidates/Candidate.ts"
import { escalate, reasons } from "./Escalate.ts"
import { type Goal, optimize, type Optimized } from "./Optimize.ts"

type Candidates = readonly [Priced, ...Array<Priced>]

interface Doubtful {
  readonly accountId: AccountId
  readonly task: string
  /** May the reasoner be asked, and its absence be noticed? */
  readonly isAllowed: boolean
  readonly priced: Candidates
  readonly goal: Goal
  readonly recalled: Recalled
  /** What is left of the patience with the reasoner, ms; null when nothing of it was used. */
  readonly leftMs: number | null
}

interface Settled {
  readonly scored: Candidates
  readonly optimized: Optimized
  readonly warnings: ReadonlyArray<RecommendWarning>
  /** Null when the reasoner was not asked. */
  readonly costUsd: number | null
}

/** Null as long as none is known. */
export const sumUsd = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? one ?? other : one + other

/** Optimizes, lets the reasoner judge what is in doubt, and optimizes again if that moved anything. */
export const consult = Effect.fnUntraced(function*(
  { accountId, goal, isAllowed, leftMs, priced, recalled, task }: Doubtful
): Effect.fn.Return<Settled, never, Reasoner | Settings> {
  const first = yield* optimize(priced, goal)
  // Doubts are about the deterministic pick: were they about a sampled one, the second draw that they may
  // cause would depend on the first, and the logged propensity would not be the probability of what was done.
  const doubts = isAllowed
    ? reasons(yield* Settings, { pick: first.deterministic, ranked: first.ranked }, recalled)
    : []
  if (doubts.length === 0) return { scored: priced, optimized: first, warnings: [], costUsd: null }
  const ranked = first.ranked.map(({ card }) => card.modelId)
  const judged = yield* degrade(escalate({ accountId, task, candidates: priced, ranked, leftMs }), {
    orElse: (failure) =>
      ({ answer: priced, costUsd: failure._tag === "ReasonerFailed" ? failure.costUsd : null }),
    warnings: { ReasonerFailed: "reasoner_failed", ReasonerDisabled: "reasoner_disabled" }
  })
  const scored = judged.value.answer as Candidates
  const isMoved = scored.some((candidate, i) => candidate !== priced[i])
  return {
    scored,
    optimized: isMoved ? yield* optimize(scored, goal) : first,
    warnings: [
      ...doubts.map((reason) => `escalation_suggested:${reason}` as const),
      ...judged.warnings,
      ...(isMoved ? ["reasoner_consulted" as const] : [])
    ],
    costUsd: judged.value.costUsd
  }
})
