/* Stage: signs the token by which the reader of an answer votes on it. */
import { Effect } from "effect"
import { VoteSecrets } from "../../accounts/VoteSecrets.ts"
import { signed } from "../../accounts/VoteToken.ts"
import * as RecommendationId from "../../domain/RecommendationId.ts"
import type { AccountId } from "../../domain/Scope.ts"
import { dayMs } from "../../domain/Time.ts"
import { voteDays } from "../../domain/Vote.ts"
import { LedgerUnavailable } from "../../ledger/Ledger.ts"
import { span } from "../../telemetry/Tracing.ts"
import { Settings } from "../Settings.ts"

/** The token of a recommendation. Fails without the account's secret within the recall budget. */
export const signVote = Effect.fnUntraced(function*(
  accountId: AccountId,
  recommendationId: RecommendationId.RecommendationId
): Effect.fn.Return<string, LedgerUnavailable, Settings> {
  const { recallBudgetMs } = yield* Settings
  const secrets = yield* VoteSecrets
  const secret = yield* secrets.readOrMake(accountId).pipe(LedgerUnavailable.within(recallBudgetMs))
  const expiresAtMs = RecommendationId.timeOf(recommendationId).getTime() + voteDays * dayMs
  return signed({ accountId, recommendationId, expiresAtSeconds: Math.ceil(expiresAtMs / 1_000) }, secret)
}, span("signVote"))
