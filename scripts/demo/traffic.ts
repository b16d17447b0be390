/* Made-up calls of a month, drawn from a seed, with their requests, models and results. */
import type { EvidenceSource, Outcome } from "../../src/domain/feedback/Feedback.ts"
import type { TaskType } from "../../src/domain/Task.ts"
import { generator } from "../../src/stats/Generator.ts"
import { kindNamed, write } from "../bench/arena/prompts.ts"
import { between, byShare, pickFrom, type Random } from "../bench/arena/random.ts"
import { type Team, teams } from "./teams.ts"
import { latencyOf, stackTraces, truthOf } from "./truth.ts"

/** The result of a call with one model. */
export interface Result {
  readonly outcome: Outcome
  readonly quality: number
  readonly errorCause: "infra" | null
  readonly notes: string | null
}

/** One call: its request, and everything that was drawn for it before a model is picked. */
export interface Call {
  readonly team: Team
  readonly namespace: string
  readonly kind: string
  readonly taskType: TaskType
  readonly isTyped: boolean
  readonly text: string
  /** Share of the month that has passed, in [0, 1). */
  readonly time: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly isReported: boolean
  readonly isBilled: boolean
  readonly label: EvidenceSource | null
  /** Who of the team asks. */
  readonly userId: string
  /** True if the team ran its old model in spite of the advice. */
  readonly isOverruled: boolean
  /** How long it takes with this model, ms. */
  readonly latencyOf: (modelId: string) => number
  /** The result with this model; `brokenModelId` is the model that has got worse, or null. */
  readonly resultOf: (modelId: string, brokenModelId: string | null) => Result
}

/** Who asks, in every team, some more often. */
const people = ["ann", "ann", "ann", "ben", "ben", "cleo"]

/** Shares of requests with a task type, of reports with a bill, and of picks that are not followed. */
const typedShare = 0.6
const billedShare = 0.92
const overruledShare = 0.04
const infraShare = 0.015
/** Share of half a success among the outcomes that are no success. */
const partialShare = 0.3

const fixed: Result = { outcome: "success", quality: 1, errorCause: null, notes: null }

/**
 * Draws a result. Every model has the same luck, so that a dearer one cannot be luckier, and a second attempt of a
 * model has the same result. A check passes or fails.
 */
const resultOf = (
  successRate: number,
  { attempts, isGuaranteed }: Team,
  taskType: TaskType,
  random: Random
): Result => {
  const [luck, shade, trace] = [random(), random(), random()]
  if (!isGuaranteed && luck > 1 - infraShare) {
    return { outcome: "failure", quality: 0, errorCause: "infra", notes: "upstream connect error: 503" }
  }
  if (luck < successRate) return { ...fixed, quality: 0.85 + 0.15 * shade }
  if (attempts === null && shade < partialShare) return { ...fixed, outcome: "partial", quality: 0.5 }
  const notes = taskType === "code" ? pickFrom(stackTraces, () => trace) : null
  return { ...fixed, outcome: "failure", quality: 0.2 * shade, notes }
}

/** A month of `count` calls, the same for the same seed. */
export const trafficOf = (seed: number, count: number): ReadonlyArray<Call> => {
  const random = generator(seed)
  const successRateOf = truthOf(seed + 1)
  return Array.from({ length: count }, (_, index): Call => {
    const team = byShare(teams, random())
    const [name, taskType] = pickFrom(Object.entries(team.kinds), random)
    const { namespace } = team
    const time = index / count
    const text = write(kindNamed(name), random)
    // The same numbers for every model, however often it is asked.
    const luck = Math.floor(random() * 2 ** 31)
    const isTyped = random() < typedShare || team.isGuaranteed
    const [inputTokens, outputTokens] = [between(team.inputTokens, random), between(team.outputTokens, random)]
    return {
      team,
      namespace,
      kind: name,
      taskType,
      time,
      text,
      isTyped,
      inputTokens,
      outputTokens,
      isReported: random() < team.feedbackShare,
      isBilled: random() < billedShare,
      label: pickFrom(team.labels, random),
      userId: `${pickFrom(people, generator(luck + 1))}@${namespace.replace(/^demo-/, "")}`,
      isOverruled: random() < (team.isGuaranteed ? 0 : overruledShare),
      latencyOf: (modelId) => latencyOf(modelId, outputTokens, generator(luck + 2)()),
      resultOf: (modelId, brokenModelId) => {
        const successRate = successRateOf({ kind: name, taskType, namespace, time }, modelId, brokenModelId)
        return resultOf(successRate, team, taskType, generator(luck))
      }
    }
  })
}
