import { Schema } from "effect"
import { DiagnoseResponse, MemoryHealthResponse, StrategiesResponse } from "../../../src/domain/Lesson.ts"
import { SavingsResponse } from "../../../src/domain/reports/Report.ts"
import * as Rounding from "../../../src/domain/Rounding.ts"
import { laneOf } from "../../../src/domain/Scope.ts"
import { HealthResponse } from "../../../src/domain/System.ts"
import type { Backend } from "./backend.ts"
import { checkKey, type Complain, decoded, type Exchange } from "./checker.ts"
import type { Expected } from "./feedback.ts"
import type { Namespace } from "./workload.ts"

/* Reads: what they answer when memory or the ledger is out, and that they tell of their own account alone. */

const readAs = <A>(schema: unknown): (json: unknown) => A => decoded(schema as Schema.Codec<A, unknown>)
const readDiagnosis = readAs<DiagnoseResponse>(DiagnoseResponse)
const readMemoryHealth = readAs<MemoryHealthResponse>(MemoryHealthResponse)
const readStrategies = readAs<StrategiesResponse>(StrategiesResponse)
export const readSavings = readAs<SavingsResponse>(SavingsResponse)
const readHealth = readAs<HealthResponse>(HealthResponse)

const patienceMs = 5_000
const keyPatienceMs = 2_000

/** Whose words are in an answer beside the account's own. */
const foreignIn = (text: string, account: string): string | undefined =>
  [...text.matchAll(/canary-([a-z]+)-/g)].map(([, other]) => other).find((other) => other !== account)

const memoryRead = ({ diary }: Exchange) => diary.seen.findLast(({ port }) => port === "memory.read")

const checkTime = ({ beganMs, endedMs }: Exchange, mostMs: number, complain: Complain) => {
  if (endedMs - beganMs > mostMs + 1e-3) complain(`took ${endedMs - beganMs} ms, and may take ${mostMs}`)
}

/** `diagnose` and memory's health: empty with a warning where memory, or the key's store, is out. */
export const checkLenient = (exchange: Exchange, name: "diagnose" | "health", complain: Complain) => {
  const { account, answer } = exchange
  checkTime(exchange, keyPatienceMs + patienceMs, complain)
  const isVerified = checkKey(exchange, true, complain)
  if (answer.status !== 200) {
    if (isVerified) complain(`was answered ${answer.status}`)
    return null
  }
  const response = (name === "diagnose" ? readDiagnosis : readMemoryHealth)(answer.json)
  const read = memoryRead(exchange)
  const isOut = !isVerified || read?.end !== "ok"
  if (response.warnings.includes("memory_unavailable") !== isOut) complain("memory_unavailable does not say whether memory was")
  const foreign = foreignIn(answer.text, account)
  if (foreign !== undefined) complain(`tells ${account} what ${foreign} wrote`)
  return response
}

/** Strategies and reports: 503 where what they read is out. */
export const checkStrict = (exchange: Exchange, complain: Complain) => {
  const { account, answer, diary } = exchange
  if (!checkKey(exchange, false, complain)) return
  if (answer.status === 503) {
    if (answer.retryAfter === null) complain("a 503 does not say when to come back")
    const read = memoryRead(exchange)
    const isOut = diary.faults.length > 0 || (read !== undefined && read.end !== "ok")
    if (!isOut) complain("was answered 503 for nothing")
    return
  }
  if (answer.status !== 200) return complain(`was answered ${answer.status}`)
  if (exchange.question.path.startsWith("/v1/strategies")) readStrategies(answer.json)
  if (exchange.question.path.startsWith("/v1/savings")) readSavings(answer.json)
  const foreign = foreignIn(answer.text, account)
  if (foreign !== undefined) complain(`tells ${account} what ${foreign} wrote`)
}

export const checkProbe = ({ answer, beganMs, endedMs }: Exchange, complain: Complain) => {
  if (answer.status !== 200) return complain(`was answered ${answer.status}`)
  if (endedMs - beganMs > 4_000 + 1e-3) complain(`took ${endedMs - beganMs} ms`)
  const { memory, status } = readHealth(answer.json)
  if ((memory.reachable === false) !== (status === "degraded")) complain("its status is not memory's")
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 + 1e-6 * Math.abs(a)

/** The report, against sums of the checker's own. */
export const checkSavings = (
  backend: Backend,
  expected: ReadonlyMap<string, Expected>,
  of: { readonly account: string; readonly namespace: Namespace; readonly isFullRun: boolean },
  { health, summary: { estimated, realized } }: SavingsResponse,
  complain: Complain
) => {
  const decisions = [...backend.written.values()].map(({ decision }) => decision).filter((decision) =>
    decision.accountId === of.account && !decision.isShadow
    && (of.isFullRun || decision.lane === laneOf(of.namespace)))
  const rows = decisions.map((decision) => ({ decision, told: expected.get(decision.recommendationId) }))
  const told = rows.flatMap((row) => row.told ?? [])
  const billed = rows.filter((row) => row.told !== undefined && row.told.billUsd !== null)
  const total = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)
  const wanted: ReadonlyArray<readonly [string, number, number]> = [
    ["n", estimated.n, decisions.length],
    ["cost_recommended_usd", estimated.costRecommendedUsd, total(decisions.map((each) => each.costRecommendedUsd))],
    ["n_reconciled", realized.nReconciled, billed.length],
    ["realized_cost_usd", realized.realizedCostUsd, total(billed.map((row) => row.told?.billUsd ?? 0))],
    ["est_cost_premium_usd", realized.estCostPremiumUsd, total(billed.map((row) => row.decision.costPremiumUsd))],
    ["feedback_coverage", health.feedbackCoverage,
      Rounding.probability(decisions.length === 0 ? 0 : told.length / decisions.length)],
    ["late_feedback_share", health.lateFeedbackShare,
      Rounding.probability(told.length === 0 ? 0 : told.filter(({ isLate }) => isLate).length / told.length)]
  ]
  for (const [name, said, own] of wanted) if (!isNear(said, own)) complain(`${name} is ${said} where ${own} was counted`)
}

/** What memory says that a lane holds, against what it was given. */
export const checkMemoryCounts = (
  { observations }: Backend,
  { account, namespace }: { readonly account: string; readonly namespace: Namespace },
  counts: MemoryHealthResponse,
  complain: Complain
) => {
  const own = [...observations.values()].filter((observation) =>
    observation.accountId === account && observation.lane === laneOf(namespace)).length
  const said = counts.entryCounts["observation"]
  if (said !== own) complain(`memory counts ${said} outcomes where ${own} were told`)
}
