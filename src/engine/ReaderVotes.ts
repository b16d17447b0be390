/* The conductor of votes: counts what an answer's reader says, who has a token and no key. */
import { Clock, Context, Effect, Layer } from "effect"
import { taskTextOf } from "../accounts/AccountSettings.ts"
import { VoteSecrets } from "../accounts/VoteSecrets.ts"
import { isGood, readToken, type ReadToken } from "../accounts/VoteToken.ts"
import { FeedbackRequest } from "../domain/Feedback.ts"
import { votedOn } from "../domain/FeedbackPrecedence.ts"
import { type KeptVote, outcomeOfThumb, type VoteRequest } from "../domain/Vote.ts"
import { Ledger, LedgerUnavailable } from "../ledger/Ledger.ts"
import { Learner } from "./Learner.ts"
import { withPorts } from "./Ports.ts"
import { Settings } from "./Settings.ts"

/** The claim of a vote is its revision: each change of a thumb counts once. */
const reportOf = ({ recommendationId }: ReadToken, chosenModelId: string, { revision, thumb }: KeptVote) => ({
  ...FeedbackRequest.make({
    recommendationId, chosenModelId, outcome: outcomeOfThumb[thumb], evidenceSource: "vote",
    idempotencyKey: `vote:${recommendationId}:${revision}`
  }),
  recommendationId
})

const castOnce = Effect.fnUntraced(function*(
  text: string,
  vote: VoteRequest
): Effect.fn.Return<void, LedgerUnavailable, Learner | Ledger | Settings> {
  const token = readToken(text)
  if (token === null) return
  const { accountId, recommendationId, version } = token
  const secret = yield* (yield* VoteSecrets).find(accountId, version)
  if (secret === null || !isGood(token, secret, yield* Clock.currentTimeMillis)) return
  const { recallBudgetMs, taskText } = yield* Settings
  const kept = yield* taskTextOf(accountId, taskText, recallBudgetMs)
  const ledger = yield* Ledger
  const last = yield* ledger.vote(
    accountId, recommendationId, kept === "none" ? { ...vote, comment: null } : vote
  )
  if (last === null) return
  // Kept before the reports are read: a report that comes meanwhile finds it, and one that came is found.
  const voted = votedOn((yield* ledger.reportedOutcomes(accountId, recommendationId))?.outcomes ?? [])
  if (voted !== null) yield* (yield* Learner).learn(accountId, reportOf(token, voted.modelId, last))
})

/** What is a reader's vote worth? */
export class ReaderVotes extends Context.Service<ReaderVotes, {
  /**
   * Counts a vote as the last one of its decision, for the model that was reported to have run last when the
   * first vote counted; before any report it waits for the first. Does nothing for a token that is not good
   * and for a decision that is gone, and does not say so.
   */
  readonly cast: (token: string, vote: VoteRequest) => Effect.Effect<void, LedgerUnavailable>
}>()("sextant/engine/ReaderVotes") {
  static readonly layer = Layer.effect(
    ReaderVotes,
    Effect.gen(function*() {
      const provided = withPorts(
        yield* Effect.context<Learner | Ledger | Settings>(), [Learner, Ledger, Settings]
      )
      const { feedbackBudgetMs } = yield* Settings
      return ReaderVotes.of({
        cast: (token, vote) =>
          castOnce(token, vote).pipe(LedgerUnavailable.within(feedbackBudgetMs), provided)
      })
    })
  )
}
