import { Effect } from "effect"
import type { FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import type { Learner } from "../../../src/engine/Learner.ts"
import type { Recommender } from "../../../src/engine/Recommender.ts"
import type { defaults } from "../../../src/engine/Settings.ts"
import type { Ledger } from "../../../src/ledger/Ledger.ts"
import type { Draw } from "./seeded.ts"

type Change<S extends { readonly Service: unknown }> = (real: S["Service"], draw: Draw) => S["Service"]

/** A bug put into the service, to see that the checkers find it. */
export interface Mutation {
  readonly name: string
  readonly settings?: Partial<typeof defaults>
  readonly ledger?: Change<typeof Ledger>
  readonly learner?: Change<typeof Learner>
  readonly recommender?: Change<typeof Recommender>
}

export const sound: Mutation = { name: "none" }

const acknowledged: FeedbackResponse = {
  accepted: true, recordId: null, reinforcedEntryIds: [], updatedConfidence: null, reflectionTriggered: false,
  lessonPromoted: false, stepOutcomesRecorded: 0, costSource: null, computedCostUsd: null, warnings: []
}

const otherAccount = (accountId: AccountId): AccountId =>
  AccountId.make(accountId === "north" ? "south" : "north")

/** Each a bug that a careless change could make; the checkers must find every one. */
export const mutations: ReadonlyArray<Mutation> = [
  {
    name: "drops a feedback that it acknowledges",
    learner: (real, draw) => ({
      learn: (accountId, request) => draw.chance(0.2) ? Effect.succeed(acknowledged) : real.learn(accountId, request)
    })
  },
  {
    name: "counts a repeated feedback twice",
    ledger: (real) => {
      let times = 0
      return {
        ...real,
        applyReport: (submission) => {
          const { key } = submission
          return real.applyReport({
            ...submission, key: { ...key, idempotencyKey: `${key.idempotencyKey}#${++times}` }
          })
        }
      }
    }
  },
  {
    name: "answers with another account's memory",
    recommender: (real) => ({
      ...real,
      recommend: (accountId, request) =>
        real.recommend(otherAccount(accountId), request)
    })
  },
  {
    name: "finds another account's recommendation",
    ledger: (real) => ({
      ...real,
      find: (accountId, id) =>
        Effect.flatMap(real.find(accountId, id), (found) =>
          found === null ? real.find(otherAccount(accountId), id) : Effect.succeed(found)),
      // Under the log's lock the decision is looked for once more, in the account of the report.
      applyReport: (submission) =>
        Effect.flatMap(real.applyReport(submission), (applied) => {
          const { key } = submission
          return applied === null
            ? real.applyReport({ ...submission, key: { ...key, accountId: otherAccount(key.accountId) } })
            : Effect.succeed(applied)
        })
    })
  },
  {
    name: "keeps a degradation to itself",
    recommender: (real) => ({
      ...real,
      recommend: (accountId, request) =>
        Effect.map(real.recommend(accountId, request), (response) => ({
          ...response,
          warnings: response.warnings.filter((warning) =>
            warning !== "recall_timeout" && warning !== "memory_unavailable")
        }))
    })
  },
  {
    name: "invents a warning",
    recommender: (real, draw) => ({
      ...real,
      recommend: (accountId, request) =>
        Effect.map(real.recommend(accountId, request), (response) => ({
          ...response,
          warnings: draw.chance(0.1) ? [...response.warnings, "recall_timeout" as const] : response.warnings
        }))
    })
  },
  { name: "waits longer for recall than it may", settings: { recallBudgetMs: 2_000 } },
  { name: "waits longer for the ledger than it may", settings: { ledgerBudgetMs: 5_000 } },
  {
    name: "recommends the likeliest instead of the cheapest that is good enough",
    recommender: (real) => ({
      ...real,
      recommend: (accountId, request) =>
        Effect.map(real.recommend(accountId, request), (response) => {
          const likeliest = response.ranked.toSorted((a, b) => b.predictedSuccess - a.predictedSuccess)[0]
          return { ...response, recommendedModel: { ...response.recommendedModel, ...likeliest } }
        })
    })
  },
  {
    name: "ignores which models the caller excludes",
    recommender: (real) => ({
      ...real,
      recommend: (accountId, request) =>
        real.recommend(accountId, { ...request, constraints: { ...request.constraints, excludedModels: null } })
    })
  },
  { name: "credits late feedback", settings: { attributionDays: 7.1 } },
  {
    name: "logs a propensity that is not the pick's",
    ledger: (real) => ({
      ...real,
      record: ([first, ...rest]) => real.record([{ ...first, propensity: first.propensity / 2 }, ...rest])
    })
  },
  {
    name: "writes the decision after its answer",
    ledger: (real) => ({
      ...real,
      record: (decisions) => Effect.asVoid(Effect.forkDetach(Effect.delay(real.record(decisions), "2 seconds")))
    })
  },
  {
    name: "acknowledges a report that came to nothing",
    ledger: (real) => ({
      ...real,
      applyReport: (submission) =>
        Effect.catch(real.applyReport(submission), () => {
          const revision = 1_000_000
          const plan = submission.plan({ outcomes: [], revision, taskKey: null })
          return Effect.succeed({ reception: "first" as const, response: plan.answer([]), revision, plan, isElsewhere: false })
        })
    })
  }
]
