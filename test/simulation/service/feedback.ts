import { Schema } from "effect"
import type { Decision } from "../../../src/domain/Decision.ts"
import { FeedbackRequest, FeedbackResponse } from "../../../src/domain/feedback/Feedback.ts"
import type { Backend, Applied } from "./backend.ts"
import { checkKey, type Complain, decoded, type Exchange } from "./checker.ts"
import type { Diary, Seen } from "./faults.ts"

/* What came of feedback, beside a count of its own that the checker keeps. */

const readRequest = decoded(FeedbackRequest as unknown as Schema.Codec<FeedbackRequest, unknown>)
const readResponse = decoded(FeedbackResponse as unknown as Schema.Codec<FeedbackResponse, unknown>)

const attributionMs = 7 * 86_400_000

const encodeResponse = Schema.encodeSync(FeedbackResponse)
/** An answer as a client reads it, with the wire's rounded amounts. */
const asSent = (response: FeedbackResponse): FeedbackResponse => readResponse(encodeResponse(response))

/** What its sender means by it: the same key, the same effect. */
export const reportKeyOf = (account: string, body: unknown): string => {
  const { chosenModelId, idempotencyKey, recommendationId } = readRequest(body)
  return JSON.stringify([account, idempotencyKey ?? [recommendationId, chosenModelId]])
}

const canonical = (body: unknown): string => JSON.stringify(readRequest(body))

/** True if the infrastructure broke the call, so that its label says nothing of the model. */
const isInfra = ({ errorCause, outcome }: FeedbackRequest): boolean => errorCause === "infra" && outcome !== "success"

const sourceOf = ({ evidenceSource, judged, verifiedInProduction }: FeedbackRequest): string =>
  evidenceSource ?? (judged === false ? "none" : verifiedInProduction ? "gate" : judged === true ? "judge" : "assertion")

/** May it move what is believed of a model? */
const isTeaching = (request: FeedbackRequest): boolean => !isInfra(request) && sourceOf(request) !== "none"

/** The rank of a report's label. Among equal ranks the last report counts. */
const trustOf = (request: FeedbackRequest): number =>
  isInfra(request) ? 0 : { gate: 4, human: 3, assertion: 2, judge: 2, none: 1 }[sourceOf(request)] ?? 0

const isSameOutcome = (one: FeedbackRequest, other: FeedbackRequest): boolean =>
  one.recommendationId.toLowerCase() === other.recommendationId.toLowerCase() && one.chosenModelId === other.chosenModelId

/**
 * The answers that the log had under a key while a request was under way: the one that its report was appended with,
 * until the memory has answered, and then that of all that it took.
 */
const answersDuring = ({ answers }: Applied, { beganMs }: Exchange): Applied["answers"] => {
  const before = answers.filter(({ sinceMs }) => sinceMs < beganMs).length
  return answers.slice(Math.max(0, before - 1))
}

const bands = { success: [0.6, 1], partial: [0.1, 0.95], failure: [0, 0.4] } as const

const last = ({ seen }: Diary, port: Seen["port"]): Seen | undefined => seen.findLast((each) => each.port === port)
const isFailed = (seen: Seen | undefined): boolean => seen !== undefined && seen.end !== "ok"

/** The warnings of a feedback that was counted by this very request. */
const wantedOf = (
  request: FeedbackRequest,
  { submission }: Applied,
  diary: Diary,
  { costPremiumUsd, createdAt }: Decision,
  before: ReadonlyArray<FeedbackRequest>
) => {
  const createdAtMs = createdAt.getTime()
  const trusts = before.filter((earlier) => isTeaching(earlier) && isSameOutcome(earlier, request)).map(trustOf)
  const isSecond = isTeaching(request) && trusts.length > 0
  const stands = isSecond && trustOf(request) >= Math.max(...trusts)
  const [low, high] = bands[request.outcome]
  const score = request.qualityScore ?? { success: 0.9, partial: 0.5, failure: 0.1 }[request.outcome]
  const feedbackAtMs = submission.report.feedbackAt.getTime()
  const isLate = feedbackAtMs - createdAtMs > attributionMs
  const steps = last(diary, "steps")
  const kept = steps?.end === "ok" ? Number(steps.value) : 0
  const most = Math.min(32, request.stepOutcomes.length)
  return [
    ...(score < low || score > high ? ["quality_outcome_mismatch"] : []),
    ...(isLate ? ["late_feedback_no_attribution"] : []),
    ...(isSecond ? [stands ? "outcome_replaced" : "outcome_outranked"] : []),
    ...(costPremiumUsd > 0 && (request.actualCostUsd ?? 0) > 50 * costPremiumUsd ? ["cost_outlier"] : []),
    ...(isFailed(last(diary, "teach")) ? ["memory_write_failed"] : []),
    ...(isFailed(last(diary, "reinforce")) ? ["reinforcement_failed"] : []),
    ...(request.stepOutcomes.length > 32 ? [`step_outcomes_capped:${request.stepOutcomes.length - 32}`] : []),
    ...(kept < most ? ["step_outcomes_partial"] : []),
    ...(isFailed(last(diary, "promote")) ? ["lesson_promotion_failed"] : [])
  ]
}

const same = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())

export interface FeedbackLog {
  readonly check: (exchange: Exchange, complain: Complain) => FeedbackResponse | null
  /** Remembers a request that may be applied, whether or not its answer is ever seen. */
  readonly sent: (diary: Diary, account: string, body: unknown) => void
  /** Every report once, every acknowledgement applied; every taught outcome belongs to one. */
  readonly checkCounts: (complain: Complain) => void
  /** The expected content of the ledger, by recommendation. */
  readonly expected: () => ReadonlyMap<string, Expected>
}

export interface Expected {
  readonly chosenModelId: string
  readonly outcome: string
  readonly teaches: boolean
  readonly isLate: boolean
  readonly billUsd: number | null
}

/** @param answered ids that an account was given, together with the word that they were written */
export const makeFeedbackLog = (
  backend: Backend,
  answered: ReadonlyMap<string, string>
): FeedbackLog => {
  const bodies = new Map<number, { readonly account: string; readonly body: unknown; readonly diary: Diary; readonly claim: string; readonly canonical: string }>()
  const acknowledged = new Map<string, number>()

  const ownClaim = ({ diaryId }: Applied): string | null => bodies.get(diaryId)?.claim ?? null
  const committedFor = (claim: string) =>
    backend.applied.filter((applied) => ownClaim(applied) === claim)

  const requestOf = ({ diaryId }: Applied): FeedbackRequest | null => {
    const sent = bodies.get(diaryId)
    return sent === undefined ? null : readRequest(sent.body)
  }
  /** What was counted before, in its order. */
  const requestsBefore = (submission: Applied): ReadonlyArray<FeedbackRequest> =>
    backend.applied.slice(0, backend.applied.indexOf(submission))
      .flatMap((earlier) => requestOf(earlier) ?? [])

  const check: FeedbackLog["check"] = (exchange, complain) => {
    const { account, answer, diary, question } = exchange
    if (!checkKey(exchange, false, complain)) return null
    const request = readRequest(question.body)
    if (answer.status === 503) {
      const isExplained = diary.seen.some(({ end, port }) => end === "failed" && port.startsWith("ledger."))
      if (!isExplained) complain("was answered 503 for nothing")
      return null
    }
    if (answer.status !== 200) {
      complain(`was answered ${answer.status}`)
      return null
    }
    const response = readResponse(answer.json)
    const find = last(diary, "ledger.find")
    const written = backend.written.get(request.recommendationId.toLowerCase())
    const isOwn = written?.decision.accountId === account
    if (response.warnings.includes("unknown_recommendation")) {
      if (response.accepted || response.warnings.length > 1) complain("does not know the recommendation, and goes on")
      if (isOwn && written.atMs < (find?.beganMs ?? 0)) complain("does not know a recommendation that is written")
      if (answered.get(request.recommendationId) === account) complain("does not know what was answered and written")
      return response
    }
    if (!response.accepted) complain("was refused without a word")
    if (!isOwn) {
      complain("counts for a recommendation that is not the account's")
      return response
    }
    const claim = reportKeyOf(account, question.body)
    acknowledged.set(claim, diary.id)
    const [submission] = committedFor(claim)
    if (submission === undefined) {
      complain("was acknowledged, and nothing was applied")
      return response
    }
    const isReused = bodies.get(submission.diaryId)?.canonical !== canonical(question.body)
    const { warnings, ...rest } = response
    const possible = submission.diaryId === diary.id ? submission.answers.slice(-1) : answersDuring(submission, exchange)
    const isAnswered = possible.some(({ response: each }) => {
      const { warnings: first, ...restFirst } = asSent(each)
      return JSON.stringify(rest) === JSON.stringify(restFirst)
        && same(warnings, [...first, ...(isReused ? ["idempotency_key_reused"] : [])])
    })
    if (!isAnswered) complain(`is not answered by the log's answer, and says ${warnings}`)
    if (submission.diaryId !== diary.id) return response
    const wanted = wantedOf(request, submission, diary, written.decision, requestsBefore(submission))
    if (!same(warnings, wanted)) complain(`says [${warnings}] where [${wanted}] is true`)
    const told = backend.observations.get(last(diary, "teach")?.what ?? "")
    const isGateFailure = told?.provenance === "gate" && told.outcome === "failure" && isTeaching(request)
      && request.outcome === "failure" && sourceOf(request) === "gate"
    if (isGateFailure && last(diary, "teach")?.end === "ok" && !response.reflectionTriggered) {
      complain("a failure at the gate makes no reflection due")
    }
    if ((response.recordId === null) !== isFailed(last(diary, "teach"))) complain("its record does not go with memory's word")
    return response
  }

  const checkCounts: FeedbackLog["checkCounts"] = (complain) => {
    const byClaim = Map.groupBy(backend.applied, (applied) => ownClaim(applied))
    for (const [claim, all] of byClaim) if (all.length > 1) complain(`${claim} was counted ${all.length} times`)
    for (const claim of acknowledged.keys()) if (!byClaim.has(claim)) complain(`${claim} was acknowledged and lost`)
    const taught = new Set<string>()
    for (const { taughtId } of backend.applied) {
      const id = taughtId ?? "none"
      taught.add(id)
      if (!backend.observations.has(id)) complain(`the outcome ${id} was acknowledged and is not in memory`)
    }
    for (const [id, observation] of backend.observations) {
      if (!taught.has(id)) complain(`the outcome ${id} of ${observation.accountId} was taught and never counted`)
    }
  }

  const expected: FeedbackLog["expected"] = () => {
    const rows = new Map<string, { readonly trust: number; readonly at: number; readonly row: Expected }>()
    const models: typeof rows = new Map()
    let order = 0
    for (const { diaryId, submission } of backend.applied) {
      const sent = bodies.get(diaryId)
      if (sent === undefined) continue
      const request = readRequest(sent.body)
      const decision = backend.written.get(request.recommendationId)?.decision
      if (decision === undefined) continue
      const told = submission.report.feedbackAt.getTime()
      const next: Expected = {
        chosenModelId: request.chosenModelId ?? decision.recommendedModelId,
        outcome: request.outcome,
        teaches: isTeaching(request),
        isLate: told - decision.createdAt.getTime() > attributionMs,
        billUsd: request.actualCostUsd
      }
      // Of every model its most trusted label with its last bill, and of the decision the most trusted of those.
      const ofModel = JSON.stringify([request.recommendationId, request.chosenModelId])
      const known = models.get(ofModel)
      const billUsd = next.billUsd ?? known?.row.billUsd ?? null
      const isBetter = known === undefined || trustOf(request) >= known.trust
      const own = isBetter
        ? { trust: trustOf(request), at: ++order, row: { ...next, billUsd } }
        : { ...known, row: { ...known.row, billUsd } }
      models.set(ofModel, own)
      const best = rows.get(request.recommendationId)
      const isBest = best === undefined || best.row.chosenModelId === own.row.chosenModelId || own.trust > best.trust
        || (own.trust === best.trust && own.at > best.at)
      if (isBest) rows.set(request.recommendationId, own)
    }
    return new Map([...rows].map(([id, { row }]) => [id, row]))
  }

  return {
    check,
    checkCounts,
    expected,
    sent: (diary, account, body) =>
      void bodies.set(diary.id, { account, body, diary, claim: reportKeyOf(account, body), canonical: canonical(body) })
  }
}
