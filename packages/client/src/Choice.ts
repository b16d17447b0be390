/* A choice: runs its model and the next ones, and measures and reports each call. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { Memory } from "./Memory.ts"
import type { DefaultReason } from "./Options.ts"
import { type Fault, faultOf, isAbort, refusalOf } from "./Outage.ts"
import { measurementsOf, type Usage } from "./Usage.ts"
import type { EvidenceSource, FeedbackRequest, RankedModel, RecommendResponse } from "./Wire.ts"

/** One call of a model, measured from its beginning. Its first end counts; further ones do nothing. */
export interface Call {
  readonly modelId: string
  /** When it began, by `performance.now()`, in ms. */
  readonly beganMs: number
  /** The first token arrived; only the first time counts. */
  readonly firstToken: () => void
  /** The call went well: reports latency and usage, and no verdict. */
  readonly succeeded: (usage?: Usage) => void
  /**
   * The call failed: reports it. After an outage of the provider, or where the model is not to be had, it is
   * left out for a while; so it is, without a report, where it does not take a parameter that the default may
   * take. Yields, every time, if it was one of these: then run {@link Choice.next}.
   */
  readonly failed: (error: unknown, usage?: Usage) => boolean
  /** The caller gave the call up: reports its usage until then. */
  readonly abandoned: (usage?: Usage) => void
}

/** How `run` runs a model. */
export interface RunOptions<A> {
  /** The caller's signal: a call that fails after it was aborted is abandoned, and nothing else runs. */
  readonly signal?: AbortSignal | null | undefined
  /** The usage of a result. If given, the success is reported automatically. */
  readonly usage?: (result: A) => Usage | null | undefined
}

export interface Choice<Id extends string = string> {
  /** The model to run. */
  readonly modelId: Id
  /** The id is null if the service gave no answer; reports then do nothing. */
  readonly recommendationId: string | null
  /** The caller's name of the task, which reports carry too. */
  readonly taskId: string | null | undefined
  /** Who named the model. */
  readonly source: "service" | "default"
  /** Why the default runs; null for a model that the service named. */
  readonly reason: DefaultReason | null
  /** The reason in words; empty for a model that the service named. */
  readonly detail: string
  /** The model whose call began last; before any, the one to run. */
  readonly ranModelId: string
  /** The model that the service advises if the first fails; null without one among the caller's. */
  readonly fallbackModelId: Id | null
  /** The answer of the service. */
  readonly recommendation: RecommendResponse | null
  /** Why the call that began last failed, where another model may run. */
  readonly fault: Fault | null
  /**
   * The next model to run, none twice: the fallback, the likeliest of a provider that has not failed (under a
   * guarantee its baseline), the default, then the likeliest of the answer's others. After a refused
   * parameter only the default. Null if none is left.
   */
  readonly next: () => Id | null
  /** Whether no model is left to run after an outage. */
  readonly isLast: boolean
  /** Begins a call of this model, which another layer may have chosen: further reports go to it. */
  readonly begin: (modelId?: string) => Call
  /** Runs the model, and after a fault of its provider the next ones; other errors propagate unchanged. */
  readonly run: <A>(
    work: (modelId: Id, call: Call) => A | PromiseLike<A>,
    options?: RunOptions<A>
  ) => Promise<A>
  /** Ends of the call that began last. */
  readonly succeeded: (usage?: Usage) => void
  readonly failed: (error: unknown, usage?: Usage) => boolean
  readonly abandoned: (usage?: Usage) => void
  /** Reports a verdict on the model that ran last; false if there is nothing to report to. */
  readonly score: (quality: number | boolean | null, source?: EvidenceSource, notes?: string) => boolean
}

/** Optional details of a verdict. */
export interface ScoreOptions {
  /** The model that ran; by default the model reported last or, without a report, the recommended one. */
  readonly modelId?: string | undefined
  /** A note on the result, in words. */
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

/** The chosen model, with its source and reason. */
export type Chosen<Id extends string> = Pick<
  Choice<Id>, "modelId" | "source" | "reason" | "detail" | "recommendation"
>

/** A model's id as the request spelled it. */
export const spelled = (
  model: Pick<RankedModel, "model_id" | "requested_model_id"> | null | undefined
): string | undefined => model?.requested_model_id ?? model?.model_id

/**
 * Yields the model that {@link Choice.next} names. A model that the answer does not rank never runs, the
 * default aside: a constraint of the caller may forbid it.
 */
const orderOf = <Id extends string>(
  { defaultModelId, isCooling, isOurs, isRefused }: World<Id>,
  { reason, recommendation }: Chosen<Id>,
  named: Set<unknown>
) => {
  // For an exhausted budget only the caller's substitute runs; the budget may forbid the default.
  if (reason === "budget_exhausted") return () => null
  const advice = reason === "shadow" ? null : recommendation
  const ours = (models: ReadonlyArray<Parameters<typeof spelled>[0]>) => models.map(spelled).filter(isOurs)
  // A short answer does not repeat the pick in `ranked`, a full one does; either way none is named twice.
  const likeliest = (advice ? [advice.recommended_model, ...advice.ranked] : [])
    .sort((a, b) => b.predicted_success - a.predicted_success)
  const baseline = advice?.guarantee?.baseline_model_id

  return (fault: Fault | null): Id | null => {
    if (fault === "parameters") return named.has(defaultModelId) ? null : defaultModelId
    const failed = likeliest.filter((one) => named.has(spelled(one))).map(({ provider }) => provider)
    // Under a guarantee others than its baseline may be too weak, and run only once the default has failed.
    const others = likeliest.filter(({ effort, model_id, provider }) =>
      baseline ? baseline === (effort ? `${model_id}#${effort}` : model_id) : !failed.includes(provider))
    const advised = ours([advice?.fallback_model, ...others]).filter((id) => !isCooling(id))
    return [...advised, defaultModelId, ...ours(likeliest)]
      .find((one) => !named.has(one) && !isRefused(one)) ?? null
  }
}

/** Measures a call from now on. */
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
    /** The work returned: what comes after it is no part of the call, unless it is a stream. */
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
      // That a parameter does not fit says nothing of the model.
      if (fault === "parameters") isReported = true
      report({ outcome: "failure", error_cause, ...refusalOf(error), notes: textOf(error) }, usage)
      return mayGoOn
    },
    abandoned: (usage?: Usage): void => report({ outcome: "partial", notes: "abandoned" }, usage)
  }
}

/**
 * Ends a call whose work threw: an abort abandons it, a fault of the provider fails it. Any other error is
 * the caller's and says nothing of the model, so that nothing is reported. Yields whether the next model may
 * run.
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
