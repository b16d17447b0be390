/* A choice runs its model and the next ones, and measures and reports each call. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { DefaultReason } from "./Options.ts"
import { type Fault, faultOf, isAbort, refusalOf } from "./Outage.ts"
import { measurementsOf, type Usage } from "./Usage.ts"
import type { EvidenceSource, FeedbackRequest, RankedModel, RecommendResponse } from "./Wire.ts"

/** One call of a model, measured from its beginning. Only the first end of a call is reported. */
export interface Call {
  readonly modelId: string
  /** Start of the call, by `performance.now()`, in ms. */
  readonly beganMs: number
  /** Records the arrival of the first token. Later tokens change nothing. */
  readonly firstToken: () => void
  /** Reports a successful call with latency and usage, and without a verdict. */
  readonly succeeded: (usage?: Usage) => void
  /**
   * Reports a failed call, and returns whether the program should run {@link Choice.next}. After an outage,
   * or if the provider does not offer the model, the client leaves the model out for a while. If the model
   * refuses a parameter that the default may take, the client leaves the model out and reports nothing.
   */
  readonly failed: (error: unknown, usage?: Usage) => boolean
  /** Reports that the caller gave the call up, with the usage until then. */
  readonly abandoned: (usage?: Usage) => void
}

export interface RunOptions<A> {
  /** The caller's signal. After an abort, a failed call is reported as abandoned, and no other model runs. */
  readonly signal?: AbortSignal | null | undefined
  /** Reads the usage of a result. With this function, `run` reports each success by itself. */
  readonly usage?: (result: A) => Usage | null | undefined
}

export interface Choice<Id extends string = string> {
  readonly modelId: Id
  /** The id is null if the service gave no answer. Reports on such a choice are not sent. */
  readonly recommendationId: string | null
  /** The caller's name of the task. Each report repeats it. */
  readonly taskId: string | null | undefined
  readonly source: "service" | "default"
  /** The reason why the default runs; null if the service named the model. */
  readonly reason: DefaultReason | null
  /** The reason in words; empty if the service named the model. */
  readonly detail: string
  /** The model of the newest call; at first the model to run. */
  readonly ranModelId: string
  /** The model that the service advises if the first one fails; null if the client has no such model. */
  readonly fallbackModelId: Id | null
  readonly recommendation: RecommendResponse | null
  /** Why the newest call failed; null if no other model may run. */
  readonly fault: Fault | null
  /**
   * The next model to run; no model is named twice. First comes the fallback, then the likeliest model of a
   * provider that has not failed. Then come the default and the other models of the answer, the likeliest
   * first. Under a guarantee the baseline takes the second place. After a refused parameter only the default
   * is named. Null if no model is left.
   */
  readonly next: () => Id | null
  /** Whether an outage would leave no model to run. */
  readonly isLast: boolean
  /** Begins a call of a model, also of one that another layer chose. Further reports are about this call. */
  readonly begin: (modelId?: string) => Call
  /** Runs the model and, after a fault of its provider, the next ones. Other errors propagate unchanged. */
  readonly run: <A>(
    work: (modelId: Id, call: Call) => A | PromiseLike<A>,
    options?: RunOptions<A>
  ) => Promise<A>
  /** Ends the newest call. */
  readonly succeeded: (usage?: Usage) => void
  readonly failed: (error: unknown, usage?: Usage) => boolean
  readonly abandoned: (usage?: Usage) => void
  /** Reports a verdict on the model that ran last; false if nothing is reported. */
  readonly score: (quality: number | boolean | null, source?: EvidenceSource, notes?: string) => boolean
}

export interface ScoreOptions {
  /**
   * The model that ran. By default it is the model of the last report or, without a report, the recommended
   * one.
   */
  readonly modelId?: string | undefined
  readonly notes?: string | undefined
}

/** The parts of its client that a choice uses. */
export interface World<Id extends string> extends Omit<Memory, "incumbent" | "isExcluded"> {
  readonly isOurs: (modelId: unknown) => modelId is Id
  readonly defaultModelId: Id
  readonly priceOf: (modelId: string, usage: Usage) => number | null | undefined
  readonly taskId: Choice["taskId"]
  readonly report: (report: FeedbackRequest) => boolean
  readonly score: (
    choice: Choice<Id>,
    quality: number | boolean | null,
    source: EvidenceSource | undefined,
    options: ScoreOptions
  ) => boolean
}

export type Chosen<Id extends string> = Pick<
  Choice<Id>, "modelId" | "source" | "reason" | "detail" | "recommendation"
>

/** A model's id in the spelling of the request. */
export const spelled = (
  model: Pick<RankedModel, "model_id" | "requested_model_id"> | null | undefined
): string | undefined => model?.requested_model_id ?? model?.model_id

/**
 * Makes the function that names the model of {@link Choice.next}. Except for the default, only ranked models
 * run: the caller's constraints may forbid the others.
 */
const orderOf = <Id extends string>(
  { defaultModelId, isCooling, isOurs, isRefused }: World<Id>,
  { reason, recommendation }: Chosen<Id>,
  named: Set<unknown>
) => {
  // After a used-up budget only the caller's substitute runs. The budget may forbid the default.
  if (reason === "budget_exhausted") return () => null
  const advice = reason === "shadow" ? null : recommendation
  const ours = (models: ReadonlyArray<Parameters<typeof spelled>[0]>) => models.map(spelled).filter(isOurs)
  // Only a full answer repeats the pick in `ranked`. Each model is named once in both cases.
  const likeliest = (advice ? [advice.recommended_model, ...advice.ranked] : [])
    .sort((a, b) => b.predicted_success - a.predicted_success)
  const baseline = advice?.guarantee?.baseline_model_id

  return (fault: Fault | null): Id | null => {
    if (fault === "parameters") return named.has(defaultModelId) ? null : defaultModelId
    const failed = likeliest.filter((one) => named.has(spelled(one))).map(({ provider }) => provider)
    // Under a guarantee only the baseline is known to be good enough. Other models run after the default has
    // failed.
    const others = likeliest.filter(({ effort, model_id, provider }) =>
      baseline ? baseline === (effort ? `${model_id}#${effort}` : model_id) : !failed.includes(provider))
    const advised = ours([advice?.fallback_model, ...others]).filter((id) => !isCooling(id))
    return [...advised, defaultModelId, ...ours(likeliest)]
      .find((one) => !named.has(one) && !isRefused(one)) ?? null
  }
}

const callOf = <Id extends string>(world: World<Id>, id: string | undefined, modelId: string) => {
  const beganMs = performance.now()
  let returnedMs: number | undefined
  let firstTokenMs: number | undefined
  let isReported = false
  let fault: Fault | null = null
  const elapsed = (): number => performance.now() - beganMs

  const report = (
    fields: Pick<FeedbackRequest, "outcome" | "error_cause" | "notes" | "provider_status" | "retry_after_ms">,
    usage: Usage = {}
  ): void => {
    if (isReported || !id) return
    isReported = true
    const took: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...usage }
    took.latencyMs ??= returnedMs ?? elapsed()
    took.timeToFirstTokenMs ??= firstTokenMs
    took.costUsd ??= world.priceOf(modelId, took)
    world.report({
      recommendation_id: id,
      chosen_model_id: modelId,
      task_id: world.taskId,
      evidence_source: "none",
      ...measurementsOf(took),
      ...fields
    })
  }

  return {
    modelId,
    beganMs,
    get fault(): Fault | null {
      return fault
    },
    /** The work returned. Time after this point counts only for a stream. */
    returned: (): void => {
      returnedMs = elapsed()
      world.succeeded(modelId)
    },
    firstToken: (): void => {
      firstTokenMs ??= elapsed()
    },
    succeeded: (usage?: Usage): void => {
      world.succeeded(modelId)
      report({ outcome: "success" }, usage)
    },
    failed: (error: unknown, usage?: Usage): boolean => {
      fault = faultOf(error)
      const mayGoOn = fault !== null && world.faulted(modelId, fault, error)
      const error_cause = fault ? "infra" : undefined
      // A refused parameter shows nothing about the model's quality.
      if (fault === "parameters") isReported = true
      report({ outcome: "failure", error_cause, ...refusalOf(error), notes: textOf(error) }, usage)
      return mayGoOn
    },
    abandoned: (usage?: Usage): void => report({ outcome: "partial", notes: "abandoned" }, usage)
  }
}

/**
 * Ends a call after an error, and returns whether the next model may run. An abort abandons the call, and a
 * fault of the provider fails it. Any other error is the caller's, so nothing is reported.
 */
export const endWithError = (call: Call, error: unknown, signal?: AbortSignal | null): boolean => {
  if (!isAbort(error, signal)) return faultOf(error) !== null && call.failed(error)
  call.abandoned()
  return false
}

export const choiceOf = <Id extends string>(world: World<Id>, chosen: Chosen<Id>): Choice<Id> => {
  const { modelId, recommendation } = chosen
  const id = recommendation?.recommendation_id
  const fallbackModelId = spelled(recommendation?.fallback_model)
  const named = new Set<unknown>()
  let last: ReturnType<typeof callOf>
  const begin = (of: string = modelId) => {
    named.add(of)
    world.began(of)
    return last = callOf(world, id, of)
  }
  begin()
  const following = orderOf(world, chosen, named)
  const next = (): Id | null => {
    const next = following(last.fault)
    named.add(next)
    return next
  }

  const choice: Choice<Id> = {
    ...chosen,
    recommendationId: id ?? null,
    taskId: world.taskId,
    get ranModelId() {
      return last.modelId
    },
    fallbackModelId: world.isOurs(fallbackModelId) ? fallbackModelId : null,
    get fault() {
      return last.fault
    },
    next,
    get isLast() {
      return following(null) === null
    },
    begin,
    run: async (work, { signal, usage } = {}) => {
      for (let of = modelId;;) {
        const call = begin(of)
        try {
          const result = await work(of, call)
          call.returned()
          if (usage) call.succeeded(attempt(() => ({ ...usage(result) }), {}))
          return result
        } catch (error) {
          const following = endWithError(call, error, signal) ? next() : null
          if (following === null) throw error
          of = following
        }
      }
    },
    succeeded: (usage) => last.succeeded(usage),
    failed: (error, usage) => last.failed(error, usage),
    abandoned: (usage) => last.abandoned(usage),
    score: (quality, source, notes) => world.score(choice, quality, source, { notes })
  }
  return choice
}
