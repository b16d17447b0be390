/* The client chooses a model for a task, and takes verdicts on its choices. */
import { type Asked, createAsk } from "./Ask.ts"
import { BudgetExhausted } from "./Budget.ts"
import { type Choice, choiceOf, type Chosen, type ScoreOptions, spelled } from "./Choice.ts"
import { attempt, idOf, notify, textOf } from "./ForeignValues.ts"
import { checked, type DefaultReason, type SextantOptions } from "./Options.ts"
import { createMemory } from "./Memory.ts"
import { createReports, type Reports } from "./Reports.ts"
import { type ChooseOptions, requestOf } from "./Request.ts"
import { postTo } from "./Transport.ts"
import { known } from "./Usage.ts"
import { createWarn } from "./Warning.ts"
import type { EvidenceSource, FeedbackRequest, TaskInput } from "./Wire.ts"

export interface Sextant<Id extends string = string> extends Reports {
  readonly models: ReadonlyArray<Id>
  readonly defaultModelId: Id
  /**
   * `choose` rejects only if the budget is used up and `onBudgetExhausted` is missing, throws, or names an
   * unknown model.
   */
  readonly choose: (task: string | TaskInput, options?: ChooseOptions<Id>) => Promise<Choice<Id>>
  /**
   * Reports a verdict: a quality from 0 to 1, or whether the result was good. A verdict on a choice is about
   * the model that ran last. A verdict on a recommendation's id is by default about the model last reported
   * for the recommendation. `score` returns false if the id or quality is invalid, or if the queue is full.
   */
  readonly score: (
    choice: Choice<Id> | string | null | undefined,
    quality: number | boolean | null,
    source?: EvidenceSource,
    options?: ScoreOptions
  ) => boolean
}

/** A quality from 0 to 1; null if the result is neither a boolean nor such a number. */
export const qualityOf = (verdict: unknown): number | null => {
  const quality = typeof verdict === "boolean" ? Number(verdict) : verdict
  return known(quality, 1) ? quality : null
}

export const outcomeOf = (quality: number): FeedbackRequest["outcome"] =>
  quality >= 0.8 ? "success" : quality >= 0.4 ? "partial" : "failure"

/** Creates a client of the service at `baseUrl`; throws a `TypeError` if an option is wrong. */
export const createSextant = <const Id extends string>(given: SextantOptions<Id>): Sextant<Id> => {
  const options = checked(given)
  const { apiKey, baseUrl, deadlineMs, defaultModelId, models, onBudgetExhausted, onDefault } = options
  const post = postTo(baseUrl, apiKey, options.fetch ?? ((url, init) => globalThis.fetch(url, init)))
  const { ask, unasked } = createAsk(post, options.pauseMs)
  const warn = createWarn(options.warn)
  const memoryOf = createMemory(options, warn)
  const { keyAccepted, ...reports } = createReports(post, options.queueMax, options.onDropped, warn)
  const isOurs = (modelId: unknown): modelId is Id => models.includes(modelId as Id)

  const chosenOf = async (asked: Asked): Promise<Chosen<Id>> => {
    const running = (modelId: Id, reason: DefaultReason | null, detail: string): Chosen<Id> =>
      ({ modelId, source: reason ? "default" : "service", reason, detail, recommendation: asked.answer })
    const byDefault = (reason: DefaultReason, detail: string): Chosen<Id> => {
      if (onDefault) notify(() => onDefault(reason, detail))
      // The caller who aborted knows about it, so an abort causes no warning.
      else if (reason !== "aborted") warn(reason, `the default model runs (${reason}): ${detail}`)
      return running(defaultModelId, reason, detail)
    }
    if (asked.answer === null) {
      const { detail, reason, retryAfterMs } = asked
      if (reason !== "budget_exhausted" || options.shadow) return byDefault(reason, detail)
      const problem = new BudgetExhausted(detail, retryAfterMs)
      if (!onBudgetExhausted) throw problem
      const modelId = options.renamed((await onBudgetExhausted(problem)) as Id)
      if (modelId == null) return byDefault(reason, detail)
      if (!isOurs(modelId)) throw problem
      return running(modelId, reason, detail)
    }
    const picked = spelled(asked.answer.recommended_model)
    const detail = `The service named ${picked}`
    if (!isOurs(picked)) return byDefault("unknown_model", detail)
    if (options.shadow) return running(defaultModelId, "shadow", detail)
    return running(picked, null, "")
  }

  const score: Sextant<Id>["score"] = (of, quality, source = "gate", options) => {
    const { ranModelId, recommendationId: id = of, taskId } = Object(of)
    const quality_score = qualityOf(quality)
    if (!idOf(id) || quality_score === null) return false
    return reports.report({
      recommendation_id: id,
      chosen_model_id: options?.modelId ?? ranModelId,
      task_id: taskId,
      outcome: outcomeOf(quality_score),
      quality_score,
      evidence_source: source,
      notes: options?.notes
    })
  }

  const choose: Sextant<Id>["choose"] = async (task, chooseOptions) => {
    let asked: Asked
    let read: ChooseOptions<Id> = {}
    let memory = memoryOf()
    try {
      // The caller's options are read once, here, because a getter may throw.
      read = { ...chooseOptions }
      memory = memoryOf(read.conversationId, read.parameters)
      const json = requestOf(options, task, read, memory, warn)
      asked = await ask(json, read.deadlineMs ?? deadlineMs, read.signal)
      if (asked.answer) keyAccepted()
      // Of the service's warnings, only those are printed on which the caller can act.
      String(asked.answer?.warnings).match(/\b(unknown_f|guarantee_n)[^,]*/g)
        ?.forEach((said) => warn(said, said))
    } catch (error) {
      asked = unasked("invalid_request", textOf(error))
    }
    return choiceOf({
      ...memory,
      isOurs,
      defaultModelId,
      priceOf: (modelId, usage) => attempt(() => options.priceOf?.(modelId, usage), null),
      taskId: read.taskId,
      report: reports.report,
      score
    }, await chosenOf(asked))
  }

  return {
    models,
    defaultModelId,
    choose,
    score,
    ...reports
  }
}
