import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Decision, Reconciliation } from "../../../src/domain/Decision.ts"
import type { FeedbackReport } from "../../../src/domain/feedback/FeedbackPrecedence.ts"
import { type AccountId, laneOf } from "../../../src/domain/Scope.ts"
import { keyOfFirst } from "../../../src/domain/TaskKey.ts"
import { clusterOf } from "../../../src/domain/Task.ts"
import { Ledger } from "../../../src/ledger/Ledger.ts"
import * as LedgerSql from "../../../src/ledger/sql/LedgerSql.ts"
import { Aggregates } from "../../../src/reports/Aggregates.ts"
import type { LedgerWindow } from "../../../src/reports/LedgerWindow.ts"
import { calibrationOf } from "../../../src/reports/Calibration.ts"
import { columnsOf } from "../../../src/reports/OutcomeColumns.ts"
import { overviewOf } from "../../../src/reports/Overview.ts"
import { policyWorths } from "../../../src/reports/PolicyWorth.ts"
import { savingsOf } from "../../../src/reports/savings/Savings.ts"
import * as AggregatesSql from "../../../src/reports/sql/AggregatesSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { generator } from "../../../src/stats/Generator.ts"
import * as AggregatesReference from "../reference/Aggregates.ts"
import { referenceWindow } from "../reference/Overview.ts"
import { decisionOf, newAccount, reportOf, reportTo } from "../../ledger/LedgerContract.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"

const hour = 3_600_000
const models = ["maker/a", "maker/b, c", "maker/d", "maker/e", "maker/f"]

/** One of the values, in equal parts. */
const oneOf = <A>(uniform: () => number, values: ReadonlyArray<A>): A =>
  values[Math.floor(uniform() * values.length)]!

const randomDecision = (accountId: AccountId, uniform: () => number): Decision => {
  const taskType = oneOf(uniform, ["code", "qa"] as const)
  const difficulty = oneOf(uniform, ["easy", "hard"] as const)
  const candidates = models.slice(Math.floor(uniform() * 3)).map((modelId) => ({
    modelId, predictedSuccess: uniform(), estCostUsd: oneOf(uniform, [0, uniform(), 1e-6]),
    isEligible: uniform() < 0.7
  }))
  const pick = oneOf(uniform, candidates)
  const isDrawn = uniform() < 0.3
  return decisionOf(accountId, {
    createdAt: new Date(Math.floor(Date.now() - hour * (1 + 200 * uniform()))),
    lane: laneOf(oneOf(uniform, [null, "support", "line\nbreak"])),
    taskType,
    difficulty,
    cluster: clusterOf(taskType, difficulty, "call"),
    tags: pick.predictedSuccess * 100 % 2 < 1 ? [] : pick.predictedSuccess < 0.8 ? ["odd", "\"x"] : ["\"x"],
    userId: ([null, "ann", "b,\"b"] as const)[Math.floor(pick.predictedSuccess * 1e5) % 3] ?? null,
    recommendedModelId: pick.modelId,
    predictedSuccess: pick.predictedSuccess,
    propensity: isDrawn ? 0.25 : 1,
    selectionPolicy: oneOf(uniform, ["argmin", "epsilon_softmax"] as const),
    isExploration: isDrawn,
    isEscalated: uniform() < 0.2,
    // Tasks of a few attempts, by numbers that the seed has drawn already.
    taskKey: pick.predictedSuccess < 0.7 ? `id:${Math.floor(pick.predictedSuccess * 40)}` : null,
    attemptNumber: ([null, 1, 1, 2, 3, 0] as const)[Math.floor(pick.predictedSuccess * 1e7) % 6] ?? null,
    // A seventh, by a number that the seed has drawn already.
    isShadow: Math.floor(pick.predictedSuccess * 1e6) % 7 === 0,
    costRecommendedUsd: pick.estCostUsd,
    costDeclaredUsd: oneOf(uniform, [null, 0, uniform()]),
    baselineModelId: oneOf(uniform, [null, "maker/f", "maker/e", "never run"]),
    reasonerCostUsd: oneOf(uniform, [null, null, 0, uniform()]),
    candidates
  })
}

const randomFeedback = (decision: Decision, uniform: () => number): Partial<Reconciliation> => ({
  feedbackAt: new Date(decision.createdAt.getTime() + Math.floor(hour * 90 * uniform())),
  chosenModelId: oneOf(uniform, [decision.recommendedModelId, decision.recommendedModelId, ...models, "stranger"]),
  outcome: oneOf(uniform, ["success", "success", "partial", "failure"] as const),
  quality: uniform(),
  provenance: oneOf(uniform, ["gate", "human", "judge", "assertion"] as const),
  teaches: uniform() < 0.8,
  isLate: uniform() < 0.2,
  actualCostUsd: oneOf(uniform, [null, 0, uniform()]),
  // By a number that the seed has drawn already; beside a bill, where both were reported, or without either.
  computedCostUsd: decision.predictedSuccess < 0.9 && decision.predictedSuccess * 1e4 % 4 >= 1 ? decision.predictedSuccess : null,
  latencyMs: decision.predictedSuccess < 0.3 ? null : Math.round(decision.predictedSuccess * 10_000),
  errorCause: ([null, "infra", "quality"] as const)[decision.createdAt.getTime() % 3] ?? null
})

/** Records a number of decisions; two of three get feedback, some of these twice. */
const fill = Effect.fnUntraced(function*(
  accountId: AccountId,
  decisions: number,
  seed: number,
  but: Partial<Reconciliation> = {}
) {
  const ledger = yield* Ledger
  const uniform = generator(seed)
  const decided = Array.from({ length: decisions }, () => {
    const decision = randomDecision(accountId, uniform)
    const reports: Array<FeedbackReport> = []
    for (const chance of [0.66, 0.2]) {
      if (uniform() > chance) break
      reports.push(reportOf({ ...randomFeedback(decision, uniform), ...but }))
    }
    return { decision, reports }
  }).map(({ decision, reports }, i, all) => {
    // A chain of attempts after another decision, which may have a task.
    const first = all[i - i % 5]!.decision.recommendationId
    return { reports, decision: i % 5 === 0 || i % 3 === 0 ? decision : { ...decision, taskKey: keyOfFirst(first) } }
  })
  const [first, ...others] = decided.map(({ decision }) => decision)
  if (first !== undefined) yield* ledger.record([first, ...others])
  yield* Effect.forEach(decided, ({ decision: { recommendationId }, reports }) =>
    Effect.forEach(reports, (report) => reportTo(ledger, accountId, recommendationId, report)), {
    concurrency: 8, discard: true
  })
})

const reportsOf = Effect.fnUntraced(function*(window: LedgerWindow) {
  const aggregates = yield* Aggregates
  const groups = [null, "cluster", "task_type", "lane", "model", "user_id", "tag"] as const
  const savings = yield* Effect.forEach(groups, (groupBy) =>
    Effect.map(aggregates.savings(window, groupBy), (sums) => ({ ...savingsOf(sums, groupBy), tasks: sums.tasks })))
  const trusted = yield* aggregates.trusted(window)
  const { quality, report } = policyWorths(columnsOf(trusted))
  return {
    savings: savings.map(({ tasks: _, ...own }) => own),
    calibration: calibrationOf(yield* aggregates.trials(window)),
    tasks: savings[0]!.tasks,
    policyValue: { nTrusted: trusted.rows, nTotalReconciled: trusted.nReconciled, ...report },
    quality,
    arms: yield* aggregates.arms(window),
    failures: yield* aggregates.newest(window, 5, { outcome: "failure" }),
    older: yield* Effect.flatMap(aggregates.newest(window, 5), (newest) => {
      const before = newest.at(-1)?.decision.recommendationId
      return before === undefined ? Effect.succeed([]) : aggregates.newest(window, 5, { before, outcome: "none" })
    }),
    uses: yield* Effect.forEach(["maker/a", "maker/e", "stranger", "none"], (modelId) => aggregates.uses(window, modelId)),
    overview: overviewOf(yield* aggregates.overview(window, 50), referenceWindow)
  }
})

/** Numbers agree up to rounding, everything else exactly. */
const assertSame = (actual: unknown, expected: unknown, path: string): void => {
  if (typeof actual === "number" && typeof expected === "number") {
    // Intervals of few bills reach far, and so do their rounding errors.
    return assert.closeTo(actual, expected, 1e-9 * Math.max(1, Math.abs(expected)), path)
  }
  if (typeof actual !== "object" || typeof expected !== "object" || actual === null || expected === null) {
    return assert.strictEqual(actual, expected, path)
  }
  assert.deepStrictEqual(Object.keys(actual), Object.keys(expected), path)
  const values = new Map(Object.entries(expected))
  for (const [key, value] of Object.entries(actual)) assertSame(value, values.get(key), `${path}.${key}`)
}

const assertAgree = Effect.fnUntraced(function*(window: LedgerWindow) {
  const summed = yield* reportsOf(window).pipe(Effect.provide(AggregatesSql.layer))
  const folded = yield* reportsOf(window).pipe(Effect.provide(AggregatesReference.layer))
  assertSame(summed, folded, "reports")
  return summed
})

type Reports = Effect.Success<ReturnType<typeof reportsOf>>
type Summary = Reports["savings"][number]["summary"]

/** The savings of both sources in numbers. */
const savedIn = ({ followed }: Summary) => {
  const { listPrices, ...billed } = followed ?? assert.fail("no figure of the followed decisions")
  return [billed, listPrices ?? assert.fail("no figure at list prices")].map((saved) =>
    [saved.n, saved.nSameModel, saved.costUsd, saved.costBaselineUsd, saved.savingsUsd, saved.nMissing ?? 0])
}

/** Groups and days add up to the whole, tags aside: by the bills, and at list prices. */
const assertAddsUp = ({ overview, savings: [whole, ...grouped] }: Reports) => {
  for (const parts of [...grouped.slice(0, -1).map(({ groups }) => groups), overview.savingsByDay]) {
    const sums = parts.map(({ summary }) => savedIn(summary)).reduce((one, other) =>
      one.map((values, source) => values.map((value, index) => value + other[source]![index]!)))
    assertSame(sums, savedIn(whole!.summary), "sums of the parts")
  }
}

const since = new Date(Date.now() - hour * 150)

/** Random ledgers of each engine: its own, because what sums them up is the same, and a ledger is long in the making. */
const seedsOf = (name: string) => name.includes("embedded") ? { ledgers: [1], ends: [7, 8] } : { ledgers: [11], ends: [9] }

describe("reports from SQL agree with those from the reference aggregates", () =>
  onOneEngine((name, engine) =>
    layer(Layer.provideMerge(LedgerSql.layer, engine), slow)(name, (it) => {
      it.effect("on the newest decisions, without those whose outcomes a newer version wrote", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sql = yield* SqlClient.SqlClient
          const accountId = newAccount()
          const later = [
            { label: { outcome: "telepathy" } }, { label: { errorCause: "sun_spots" } }, { label: { provenance: "oracle" } }, { label: null }, null
          ]
          const [good, ...others] = [null, ...later].map(() => decisionOf(accountId, { createdAt: new Date() }))
          for (const decision of [good!, ...others]) {
            yield* ledger.record([decision])
            yield* reportTo(ledger, accountId, decision.recommendationId, reportOf())
          }
          for (const [i, over] of later.entries()) {
            yield* sql`update outcome set outcomes = jsonb_build_array(case jsonb_typeof(${JSON.stringify(over)}::text::jsonb -> 'label')
                when 'object' then jsonb_set(outcomes -> 0, '{label}', outcomes -> 0 -> 'label' || (${JSON.stringify(over)}::text::jsonb -> 'label'))
                else ${JSON.stringify(over)}::text::jsonb end)
              where account_id = ${accountId} and recommendation_id = ${others[i]!.recommendationId}::uuid`.pipe(withAccount(accountId))
          }
          const { newest } = yield* Effect.provide(
            Aggregates.use(({ overview }) => overview({ accountId, lane: null, since }, 50)), AggregatesSql.layer
          )
          assert.deepStrictEqual(newest.map(({ decision }) => decision.recommendationId), [good!.recommendationId])
        }))

      it.effect("on random ledgers, in one lane and in all", () =>
        Effect.gen(function*() {
          for (const seed of seedsOf(name).ledgers) {
            const accountId = newAccount()
            yield* fill(accountId, 250, seed)
            const all = yield* assertAgree({ accountId, lane: null, since })
            const { policyValue, savings } = all
            const own = yield* assertAgree({ accountId, lane: laneOf("line\nbreak"), since })
            for (const reports of [all, own]) assertAddsUp(reports)
            const until = new Date(since.getTime() + 90 * hour)
            for (const part of [{ until }, { modelId: "maker/f" }, { tag: "odd" }, { userId: "b,\"b" }, { until, modelId: "maker/e", tag: "odd", lane: laneOf(null) }]) {
              const { overview: { decisions }, savings: [some] } = yield* assertAgree({ accountId, lane: null, since, ...part })
              assert.isAbove(decisions.length, 0)
              assert.isBelow(some!.summary.estimated.n, savings[0]!.summary.estimated.n)
            }
            // A lane says of itself what the whole account says of it.
            const tagged = yield* assertAgree({ accountId, lane: null, since, tag: "odd" })
            const used = yield* assertAgree({ accountId, lane: null, since, userId: "ann" })
            for (const [part, by, key] of [[own, 3, laneOf("line\nbreak")], [used, 5, "ann"], [tagged, 6, "odd"]] as const) {
              const { comparison: _none, key: _key, ...group } = savings[by]!.groups.find((each) => each.key === key)!
              assertSame(part.savings[0], { ...group, groups: [] }, "a part and its group")
            }
            // Days say alone what they say as rows of a longer window; the last one has not ended.
            for (const { day, summary } of all.overview.savingsByDay.slice(1, -1)) {
              const begin = new Date(`${day}T00:00:00Z`)
              const window = { accountId, lane: null, since: begin, until: new Date(begin.getTime() + 24 * hour) }
              const alone = yield* Aggregates.use((aggregates) => aggregates.savings(window, null)).pipe(
                Effect.provide(AggregatesSql.layer)
              )
              assertSame(savingsOf(alone, null).summary, summary, "a day and its row")
            }
            assert.isAbove(savings[0]!.summary.followed?.listPrices?.n ?? 0, 1)
            assert.isAbove(policyValue.nTrusted, 10)
            const { abandoned = 0, costed, finished = 0, tasks = 0, unknown = 0 } = all.tasks ?? {}
            for (const count of [finished, abandoned, tasks - finished - abandoned, unknown, costed?.denominator ?? 0]) {
              assert.isAbove(count, 0)
            }
            assert.isAbove(savings[3]?.groups.length ?? 0, 2)
            const { followed } = savings[0]!.summary
            assert.isAbove(followed?.nSameModel ?? 0, 0)
            assert.isAbove(followed?.nMissing ?? 0, followed?.listPrices?.nMissing ?? 0)
            assert.isAbove(followed?.listPrices?.nMissing ?? 0, 0)
            assert.strictEqual(followed?.basis, "partly_estimate")
          }
        }))

      it.effect("on a further attempt at a task: it is a cost alone, also where the baseline makes it", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const accountId = newAccount()
          for (const [attemptNumber, modelId, usd] of [[1, "maker/small", 0.25], [2, "maker/large", 1]] as const) {
            const decision = decisionOf(accountId, {
              createdAt: new Date(Date.now() - hour), attemptNumber, isShadow: false, recommendedModelId: modelId,
              costRecommendedUsd: usd, baselineModelId: "maker/large", costDeclaredUsd: 1
            })
            yield* ledger.record([decision])
            yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({ chosenModelId: modelId, actualCostUsd: usd, errorCause: null }))
          }
          const { savings: [whole] } = yield* assertAgree({ accountId, lane: null, since })
          const { followed } = whole!.summary
          assert.deepStrictEqual([followed?.n, followed?.nSameModel, followed?.costUsd], [2, 0, 1.25])
          assert.closeTo(followed?.costBaselineUsd ?? 0, 1, 1e-9)
          assert.closeTo(followed?.savingsUsd ?? 0, -0.25, 1e-9)
        }))

      it.effect("on further attempts without a cost: a saving that they could turn is not sure", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const sureWith = Effect.fnUntraced(function*(uncosted: number) {
            const accountId = newAccount()
            const record = Effect.fnUntraced(function*(attemptNumber: number, modelId: string, usd: number | null) {
              const decision = decisionOf(accountId, {
                createdAt: new Date(Date.now() - hour), attemptNumber, isShadow: false, recommendedModelId: modelId,
                costRecommendedUsd: usd ?? 0.25, baselineModelId: "maker/large", costDeclaredUsd: 1
              })
              yield* ledger.record([decision])
              yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({
                chosenModelId: modelId, actualCostUsd: usd, computedCostUsd: null, errorCause: null
              }))
            })
            for (let n = 0; n < 6; n++) {
              yield* record(1, "maker/large", 1)
              yield* record(1, "maker/small", 0.25)
            }
            for (let n = 0; n < uncosted; n++) yield* record(2, "maker/small", null)
            const { savings: [whole] } = yield* assertAgree({ accountId, lane: null, since })
            const { followed } = whole!.summary
            assert.strictEqual(followed?.nMissing, uncosted)
            return followed?.isSignificant ?? assert.fail("no saving")
          })
          assert.isTrue(yield* sureWith(0))
          assert.isFalse(yield* sureWith(6))
        }))

      it.effect("on bills that are far above every estimate, some beside another and some not", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const uniform = generator(5)
          const ledger = yield* Ledger
          for (let i = 0; i < 120; i++) {
            const decision = {
              ...randomDecision(accountId, uniform), costPremiumUsd: oneOf(uniform, [0, 0.001]), taskType: "code",
              difficulty: oneOf(uniform, ["easy", "hard"] as const)
            } as const
            yield* ledger.record([{ ...decision, cluster: clusterOf("code", decision.difficulty, "call") }])
            const actualCostUsd = oneOf(uniform, [null, 0, 0.001, 0.01, 0.05, 10 ** (6 * uniform() - 1)])
            yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({
                ...randomFeedback(decision, uniform), chosenModelId: oneOf(uniform, models), actualCostUsd
              }))
          }
          const { savings } = yield* assertAgree({ accountId, lane: null, since })
          const { costOutliersUsd = 0, nCostOutliers = 0, realized, realizedWithoutOutliers } = savings[0]!.summary
          assert.isAbove(nCostOutliers, 0)
          assert.closeTo((realizedWithoutOutliers?.realizedCostUsd ?? 0) + costOutliersUsd, realized.realizedCostUsd, 1e-6)
          assert.strictEqual(realizedWithoutOutliers?.nReconciled, realized.nReconciled - nCostOutliers)
        }))

      it.effect("on a decision whose models a judge and a gate labelled: each outcome is judged for itself", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const ledger = yield* Ledger
          const decision = decisionOf(accountId)
          yield* ledger.record([decision])
          const tell = (chosenModelId: string, provenance: "gate" | "judge") =>
            reportTo(ledger, accountId, decision.recommendationId, reportOf({ chosenModelId, provenance, teaches: true, errorCause: null }))
          yield* tell("maker/a", "judge")
          yield* tell("maker/d", "gate")
          const { overview } = yield* assertAgree({ accountId, lane: null, since })
          assert.deepStrictEqual(overview.judges?.map(({ nChecked, nJudged }) => [nJudged, nChecked]), [[1, 0]])
        }))

      it.effect("on a task whose first recommendation advised no attempt: the one made then is its first", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const ledger = yield* Ledger
          const taskKey = "id:one"
          const [unadvised, made] = [
            decisionOf(accountId, { taskKey, attemptNumber: 0, createdAt: new Date(Date.now() - 2 * hour) }),
            decisionOf(accountId, { taskKey, attemptNumber: 1, createdAt: new Date(Date.now() - hour) })
          ]
          yield* ledger.record([unadvised, made])
          yield* reportTo(ledger, accountId, made.recommendationId,
            reportOf({ outcome: "success", provenance: "gate", teaches: true, errorCause: null }))
          const { policyValue, tasks } = yield* assertAgree({ accountId, lane: null, since })
          assert.deepStrictEqual([tasks?.tasks, tasks?.finishedAtFirst, policyValue.nTrusted], [1, 1, 1])
          // Whoever makes the attempt all the same has made the first one.
          yield* reportTo(ledger, accountId, unadvised.recommendationId,
            reportOf({ outcome: "failure", provenance: "gate", teaches: true, errorCause: null }))
          const after = yield* assertAgree({ accountId, lane: null, since })
          assert.deepStrictEqual([after.tasks?.finishedAtFirst, after.policyValue.nTrusted], [0, 0])
        }))

      it.effect("with savings that decisions in shadow do not change, whatever is reported of them", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const uniform = generator(6)
          const ledger = yield* Ledger
          const window = { accountId, lane: null, since }
          const add = Effect.fnUntraced(function*(isShadow: boolean, actualCostUsd: number) {
            const decision = { ...randomDecision(accountId, uniform), baselineModelId: "maker/f", isShadow }
            yield* ledger.record([decision])
            const report = reportOf({ ...randomFeedback(decision, uniform), teaches: true, actualCostUsd })
            yield* reportTo(ledger, accountId, decision.recommendationId, report)
          })
          yield* Effect.forEach(Array.from({ length: 40 }), () => add(false, uniform()))
          const before = yield* assertAgree(window)
          // Bills of the baseline, and bills that would confirm or be outliers.
          yield* Effect.forEach(Array.from({ length: 40 }, (_, i) => i % 4 === 0 ? 1_000 : uniform()), (usd) => add(true, usd))
          const after = yield* assertAgree(window)
          assertSame(after.savings, before.savings, "savings")
          assertSame(after.overview.savingsByDay, before.overview.savingsByDay, "savings by day")
          assert.isTrue(after.overview.decisions.some(({ shadow }) => shadow))
          // Their outcomes are outcomes of the models that ran.
          const taught = ({ calibration: { reports } }: typeof after) => reports[0]?.n ?? 0
          assert.isAbove(taught(after), taught(before))
          assert.isAbove(after.policyValue.nTrusted, before.policyValue.nTrusted)
        }))

      it.effect("on costs and estimates at the ends of what a number holds, and names that objects have", () =>
        Effect.gen(function*() {
          const ledger = yield* Ledger
          const names = ["__proto__", "constructor", "a"]
          const amounts = [null, 0, 5e-324, 1e-300, 1e-13, 1e-12, 1.1e-12, 1, 1e6, 1e12, 1e15]
          for (const seed of seedsOf(name).ends) {
            const accountId = newAccount()
            const uniform = generator(seed)
            for (let i = 0; i < 40; i++) {
              const [pick, estCostUsd] = [oneOf(uniform, names), oneOf(uniform, amounts) ?? 0.25]
              const decision = {
                ...randomDecision(accountId, uniform), lane: laneOf(oneOf(uniform, names)), isShadow: uniform() < 0.3,
                recommendedModelId: pick, baselineModelId: oneOf(uniform, names), costRecommendedUsd: estCostUsd,
                costPremiumUsd: oneOf(uniform, [0, estCostUsd, 1e15]), costDeclaredUsd: oneOf(uniform, amounts),
                candidates: [{ modelId: pick, predictedSuccess: 0.5, estCostUsd, isEligible: true }],
                // The least bill of a shadow over the highest estimate.
                ...(i === 0 ? { isShadow: true, recommendedModelId: "b", baselineModelId: "a", costDeclaredUsd: 1e15 } : {})
              }
              yield* ledger.record([decision])
              yield* reportTo(ledger, accountId, decision.recommendationId, reportOf({
                  ...randomFeedback(decision, uniform), chosenModelId: oneOf(uniform, [pick, ...names]),
                  actualCostUsd: oneOf(uniform, [null, ...amounts]), computedCostUsd: oneOf(uniform, amounts),
                  ...(i === 0 ? { chosenModelId: "a", actualCostUsd: 5e-324, errorCause: null } : {})
                }))
            }
            const { overview, savings } = yield* assertAgree({ accountId, lane: null, since })
            yield* assertAgree({ accountId, lane: laneOf("__proto__"), since })
            assert.notMatch(JSON.stringify([overview, savings], (_, value) =>
              typeof value === "number" && !Number.isFinite(value) ? "not finite" : value), /not finite/)
          }
        }))

      it.effect("with 100 groups of lanes, models, users and tags, and a rest, however many callers send", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          const ledger = yield* Ledger
          const [first, ...others] = [false, true].flatMap((isShadow) => Array.from({ length: 104 }, (_, i) => {
            const label = `n${Math.min(i, 102)}`
            return decisionOf(accountId, {
              lane: laneOf(label), userId: label, tags: [label], recommendedModelId: label, isShadow
            })
          }))
          yield* ledger.record([first!, ...others])
          const aggregates = yield* Aggregates
          const window = { accountId, lane: null, since }
          for (const by of ["lane", "model", "user_id", "tag"] as const) {
            const { groups, summary } = savingsOf(yield* aggregates.savings(window, by), by)
            const sizes = groups.map(({ key, summary: { estimated } }) => [key.replace("sextant:", ""), estimated.n])
            assert.lengthOf(groups, 101, by)
            assert.deepStrictEqual(sizes[0], ["", 3], by)
            assert.deepInclude(sizes, ["n102", 2], by)
            assert.strictEqual(summary.estimated.n, 104, by)
          }
          const { shadow } = yield* aggregates.overview(window, 1)
          assert.strictEqual(shadow.n, 104)
          assert.lengthOf(shadow.lanes, 100)
        }).pipe(Effect.provide(AggregatesSql.layer)))

      it.effect("without a decision, without feedback, and without a trusted outcome", () =>
        Effect.gen(function*() {
          const empty = yield* assertAgree({ accountId: newAccount(), lane: null, since })
          assert.strictEqual(empty.policyValue.nTotalReconciled, 0)
          const judged = newAccount()
          yield* fill(judged, 40, 3, { provenance: "judge" })
          const { policyValue } = yield* assertAgree({ accountId: judged, lane: null, since })
          assert.isAbove(policyValue.nTotalReconciled, 0)
          assert.strictEqual(policyValue.nTrusted, 0)
          const silent = newAccount()
          const ledger = yield* Ledger
          yield* ledger.record([decisionOf(silent, { candidates: [] })])
          yield* assertAgree({ accountId: silent, lane: null, since })
        }))

      it.effect("on outcomes reported at the same moment, of models that have drifted", () =>
        Effect.gen(function*() {
          const accountId = newAccount()
          yield* fill(accountId, 200, 4, {
            feedbackAt: new Date(), outcome: "success", teaches: true, quality: 1
          })
          yield* assertAgree({ accountId, lane: null, since })
        }))
    })))
