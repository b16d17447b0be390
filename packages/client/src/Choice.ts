/* A choice runs its model and the next ones, and reports their calls. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { DefaultReason } from "./Options.ts"
import { type Fault, faultOf, isAbort, refusalOf } from "./Outage.ts"
import { measurementsOf, type Usage } from "./Usage.ts"
import type { EvidenceSource, FeedbackRequest, RankedModel, RecommendResponse } from "./Wire.ts"

/** One call of a model. If the program ends a call twice, only the first end is reported. */
export interface Call {
  readonly modelId: string
  /** Start of the call, by `performance.now()`, in ms. */
  readonly beganMs: number
  /** Records the time of the first token. */
  readonly firstToken: () => void
  /** Reports that the call succeeded, without a verdict on its quality. */
  readonly succeeded: (usage?: Usage) => void
  /**
   * Reports a failed call, and returns whether the program may run {@link Choice.next}. After an outage, or
   * if the provider does not offer the model, the client avoids the model for a while. A call whose parameter
   * was refused is not reported.
   */
  readonly failed: (error: unknown, usage?: Usage) => boolean
  /** Reports that the caller gave the call up, with the usage so far. */
  readonly abandoned: (usage?: Usage) => void
}

export interface RunOptions<A> {
  /** The caller's signal. After an abort, a failed call is reported as abandoned, and no other model runs. */
  readonly signal?: AbortSignal | null | undefined
  /** If `usage` is given, `run` itself reports that the call succeeded. */
  readonly usage?: (result: A) => Usage | null | undefined
}

export interface Choice<Id extends string = string> {
  readonly modelId: Id
  /** The recommendation's id; null if the service gave no answer, and then nothing is reported. */
  readonly recommendationId: string | null
  readonly taskId: string | null | undefined
  readonly source: "service" | "default"
  /** Why the service's recommendation does not run, as a code; null if the recommended model runs. */
  readonly reason: DefaultReason | null
  /** Why the service's recommendation does not run, in words; empty if the recommended model runs. */
  readonly detail: string
  /** The model of the newest call; before the first call, the model to run. */
  readonly ranModelId: string
  /** The model that the service advises after a failure; null if it names none of the client's `models`. */
  readonly fallbackModelId: Id | null
  readonly recommendation: RecommendResponse | null
  /** The kind of provider fault that ended the newest call; null if there was no such fault. */
  readonly fault: Fault | null
  /**
   * Returns the next model to run, none twice; null if no model may run. Usually the fallback model is first,
   * then models of providers that have not failed, the default model, and the recommendation's other models.
   * Under a quality guarantee, only the fallback model and the baseline model come before the default model.
   * If the newest call's parameter was refused, only the default model may run next.
   */
  readonly next: () => Id | null
  /** Whether no other model could run if the present model had an outage. */
  readonly isLast: boolean
  /** Starts a call of a model, by default the chosen one. Reports of the choice are about the newest call. */
  readonly begin: (modelId?: string) => Call
  /**
   * Runs `work` with the chosen model and, after a fault of the provider, with the next models. An error of
   * `work` that is no fault of the provider is thrown unchanged.
   */
  readonly run: <A>(
    work: (modelId: Id, call: Call) => A | PromiseLike<A>,
    options?: RunOptions<A>
  ) => Promise<A>
  readonly succeeded: (usage?: Usage) => void
  readonly failed: (error: unknown, usage?: Usage) => boolean
  readonly abandoned: (usage?: Usage) => void
  /** Reports a verdict on the model that ran last; returns false if no report was queued. */
  readonly score: (quality: number | boolean | null, source?: EvidenceSource, notes?: string) => boolean
}

export interface ScoreOptions {
  /** Id of the judged model; for a choice, by default, the model that ran last. */
  readonly modelId?: string | undefined
  readonly notes?: string | undefined
}

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

export const spelled = (
  model: Pick<RankedModel, "model_id" | "requested_model_id"> | null | undefined
): string | undefined => model?.requested_model_id ?? model?.model_id

/** After a failure, only the default model and the recommendation's models run: others may be forbidden. */
const orderOf = <Id extends string>(
  { defaultModelId, isCooling, isOurs, isRefused }: World<Id>,
  { reason, recommendation }: Chosen<Id>,
  named: Set<unknown>
) => {
  // When the budget is used up, no model runs after the first one, because the budget may forbid it.
  if (reason === "budget_exhausted") return () => null
  const advice = reason === "shadow" ? null : recommendation
  const ours = (models: ReadonlyArray<Parameters<typeof spelled>[0]>) => models.map(spelled).filter(isOurs)
  // Only an answer in full detail repeats the recommended model in `ranked`.
  const likeliest = (advice ? [advice.recommended_model, ...advice.ranked] : [])
    .sort((a, b) => b.predicted_success - a.predicted_success)
  const baseline = advice?.guarantee?.baseline_model_id

  return (fault: Fault | null): Id | null => {
    if (fault === "parameters") return named.has(defaultModelId) ? null : defaultModelId
    const failed = likeliest.filter((one) => named.has(spelled(one))).map(({ provider }) => provider)
    // Under a guarantee, only the baseline is surely good enough, so further models follow the default.
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
    /** Records when `work` ended, which ends the call's latency unless the usage states a latency. */
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
      // A refused parameter shows nothing about the model's quality, so it is not reported.
      if (fault === "parameters") isReported = true
      report({ outcome: "failure", error_cause, ...refusalOf(error), notes: textOf(error) }, usage)
      return mayGoOn
    },
    abandoned: (usage?: Usage): void => report({ outcome: "partial", notes: "abandoned" }, usage)
  }
}

/**
 * Ends a call after an error, and returns whether the next model may run. An abort is reported as an
 * abandoned call, an outage or a refused model as a failed call. An error that is neither an abort nor a
 * fault of the provider is not reported.
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
