/* The client: chooses a model for a task and never fails, and takes verdicts on what was chosen. */
import { type Asked, createAsk, failedToAsk } from "./Ask.ts"
import { type Choice, choiceOf, type Chosen, type Score, type ScoreOptions, spelled, type World } from "./Choice.ts"
import { attempt, notify, textOf } from "./Foreign.ts"
import { checked, type DefaultReason, type SextantOptions } from "./Options.ts"
import { remember } from "./Remembered.ts"
import { createReports } from "./Reports.ts"
import { postTo } from "./Transport.ts"
import type { EvidenceSource, FeedbackRequest, RecommendRequest, TaskInput } from "./Wire.ts"

/** Options of one question. */
export interface ChooseOptions<Id extends string = string> {
  /** Turns of one conversation: its model holds a warm prompt cache, and is priced with it. */
  readonly conversationId?: string | undefined
  /** Models that may run this task, of the client's; all by default. The default model runs on a failure anyway. */
  readonly models?: ReadonlyArray<Id> | undefined
  readonly signal?: AbortSignal | null | undefined
  /** Instead of the client's, in ms. */
  readonly deadlineMs?: number | undefined
  /** Further fields of the request, as they are on the wire; these win. */
  readonly request?: Partial<RecommendRequest> | undefined
}

export interface Sextant<Id extends string = string> {
  readonly models: ReadonlyArray<Id>
  readonly defaultModelId: Id
  /** The model for a task; never throws and never rejects. */
  readonly choose: (task: string | TaskInput, options?: ChooseOptions<Id>) => Promise<Choice<Id>>
  /**
   * Reports a verdict, also in another process than the one that chose: a quality from 0 to 1, or whether it was good.
   * False if there is nothing to report to, or the quality is no such number.
   */
  readonly score: (
    choice: Choice<Id> | string,
    quality: number | boolean,
    source?: EvidenceSource,
    options?: ScoreOptions
  ) => boolean
  /** Puts a report of any other shape into the queue; false when it is full. */
  readonly report: (report: FeedbackRequest) => boolean
  /** Waits until all reports have gone, at most `limitMs`, 5,000 by default; yields whether they have. */
  readonly flush: (limitMs?: number) => Promise<boolean>
  /** Reports that wait, count. */
  readonly pending: () => number
  /** Reports that were lost, count. */
  readonly dropped: () => number
}

/** Conversations, and recommendations with the model that ran, that are remembered, count. */
const rememberedMax = 10_000
/** Ends of a task that are sent, in UTF-16 units; the service keeps 3,000 and 1,000 characters of them. */
const taskHead = 6_000
const taskTail = 2_000

const excerptOf = (task: string): string =>
  (task.length > taskHead + taskTail ? `${task.slice(0, taskHead)}\n${task.slice(-taskTail)}` : task).toWellFormed()

/** The label of a quality, as the specification advises clients. */
const outcomeOf = (quality: number): FeedbackRequest["outcome"] =>
  quality >= 0.8 ? "success" : quality >= 0.4 ? "partial" : "failure"

/** A client of the service at `baseUrl`; throws a `TypeError` if an option is wrong. */
export const createSextant = <const Id extends string>(given: SextantOptions<Id>): Sextant<Id> => {
  const options = checked(given)
  const { defaultModelId, models } = options
  const post = postTo(options.baseUrl, options.apiKey, options.fetch ?? ((url, init) => globalThis.fetch(url, init)))
  const ask = createAsk(post)
  const reports = createReports(post, options.queueMax, options.onDropped)
  const conversations = new Map<string, string>()
  const ranBy = new Map<string, string>()
  const cooling = new Map<string, number>()
  const isOurs = (modelId: unknown): modelId is Id => models.includes(modelId as Id)
  const isCooling = (modelId: string): boolean => performance.now() < (cooling.get(modelId) ?? 0)

  const requestOf = (task: string | TaskInput, { conversationId, models: some = models, request }: ChooseOptions<Id>) => {
    const { constraints, ...fields } = request ?? {}
    const input = typeof task === "string" ? { task } : task
    const excluded = some.filter(isCooling)
    const incumbent = conversationId === undefined ? undefined : conversations.get(conversationId)
    const body: RecommendRequest = {
      explain: false,
      detail: "short",
      max_candidates: Math.min(Math.max(some.length, 8), 64),
      baseline_model_id: defaultModelId,
      incumbent_model_id: incumbent,
      namespace: options.namespace,
      cost_quality_tradeoff: options.costQualityTradeoff,
      ...(options.shadow ? { shadow: true } : {}),
      ...fields,
      task: { ...input, task: excerptOf(input.task) },
      constraints: {
        candidate_models: some,
        excluded_models: excluded.length > 0 && excluded.length < some.length ? excluded : undefined,
        ...constraints
      }
    }
    return JSON.stringify(body)
  }

  const chosenOf = (asked: Asked): Chosen<Id> => {
    const byDefault = (reason: DefaultReason, detail: string): Chosen<Id> => {
      if (reason !== "shadow") notify(() => options.onDefault?.(reason, detail))
      return { modelId: defaultModelId, source: "default", reason, detail, recommendation: asked.answer }
    }
    if (asked.answer === null) return byDefault(asked.reason, asked.detail)
    const picked = spelled(asked.answer.recommended_model)
    if (!isOurs(picked)) return byDefault("unknown_model", `The service named ${picked}`)
    if (options.shadow) return byDefault("shadow", `The service named ${picked}`)
    return { modelId: picked, source: "service", reason: null, detail: "", recommendation: asked.answer }
  }

  const score: Score = (id, quality, source = "gate", { modelId, notes } = {}) => {
    const value = Number(quality)
    if (id === null || !(value >= 0 && value <= 1)) return false
    return reports.add({
      recommendation_id: id,
      chosen_model_id: modelId ?? ranBy.get(id),
      outcome: outcomeOf(value),
      quality_score: value,
      evidence_source: source,
      notes
    } as FeedbackRequest)
  }

  const worldOf = (conversationId: string | undefined): World<Id> => ({
    isOurs,
    defaultModelId,
    isCooling,
    coolDown: (modelId) => remember(cooling, modelId, performance.now() + options.coolDownMs, rememberedMax),
    began: (modelId, id) => {
      if (id !== null) remember(ranBy, id, modelId, rememberedMax)
      if (conversationId !== undefined) remember(conversations, conversationId, modelId, rememberedMax)
    },
    priceOf: (modelId, usage) => attempt(() => options.priceOf?.(modelId, usage), null),
    report: reports.add,
    score
  })

  return {
    models,
    defaultModelId,
    choose: async (task, chooseOptions) => {
      let asked: Asked
      let conversationId: string | undefined
      try {
        // Reads the caller's options once, here, where a getter that throws does no harm.
        const read = { ...chooseOptions }
        conversationId = read.conversationId
        asked = await ask(requestOf(task, read), read.deadlineMs ?? options.deadlineMs, read.signal)
      } catch (error) {
        asked = failedToAsk("invalid_request", textOf(error))
      }
      return choiceOf(worldOf(conversationId), chosenOf(asked))
    },
    score: (choice, ...rest) => score(typeof choice === "string" ? choice : choice.recommendationId, ...rest),
    report: reports.add,
    flush: (limitMs = 5_000) => reports.flush(limitMs),
    pending: reports.pending,
    dropped: reports.dropped
  }
}
