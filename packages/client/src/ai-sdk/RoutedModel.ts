/* One language model for AI SDK 6 and 7, which asks the service for the model of each call. After an
   outage the next model runs. */
import { askAgain, type Failed } from "../adapters/NextAttempt.ts"
import { type Route, routeOf } from "../adapters/Route.ts"
import { endWithError } from "../Choice.ts"
import { attempt } from "../ForeignValues.ts"
import { createSextant, type Sextant, type SextantOptions } from "../index.ts"
import { remember } from "../Remembered.ts"
import { questionOf } from "./Question.ts"
import { type Came, generate, type RoutedMetadata, type Running, stream } from "./Running.ts"
import { isMisfit } from "./Schema.ts"
import type { CallOptions, Generated, LanguageModelLike, Streamed, Urls } from "./Shapes.ts"
import { commonUrls } from "./SupportedUrls.ts"

export interface RoutedOptions<Id extends string, Model extends LanguageModelLike>
  extends Omit<SextantOptions<Id>, "aliases" | "models" | "defaultModelId"> {
  /** The models that may run, by catalog id. All models must have the same specification version. */
  readonly models: Readonly<Record<Id, Model>>
  /** The model that runs when the service gives no answer. */
  readonly defaultModelId: NoInfer<Id>
  /**
   * Maximum number of attempts at a call for JSON that is no stream; 3 by default. With `maxAttempts: 0`,
   * answers are not compared with the schema.
   */
  readonly maxAttempts?: number | undefined
}

/** Returns the routing of a result or one of its steps; null if Sextant was not used. */
export const sextantOf = (result: { readonly providerMetadata?: unknown }): RoutedMetadata | null =>
  Object(Object(result).providerMetadata).sextant ?? null

/** A model of the same specification as the caller's models, with the client in its field `sextant`. */
export type Routed<Id extends string, Model extends LanguageModelLike> =
  & Pick<Model, "specificationVersion" | "provider" | "modelId" | "supportedUrls" | "doGenerate" | "doStream">
  & { readonly sextant: Sextant<Id> }

/** Throws a `TypeError` unless all models are v3, or all v4. */
const versionOf = (models: Readonly<Record<string, LanguageModelLike>>): "v3" | "v4" => {
  const versions = Object.entries(models).map(([id, model]) => [id, Object(model).specificationVersion])
  for (const version of ["v3", "v4"] as const) {
    if (versions.every(([, one]) => one === version)) return version
  }
  throw new TypeError(
    `routed: all models must be objects of specification v3, or all of v4, not ${versions.join("; ")}. `
      + "wrapLanguageModel({ model, middleware: {} }) makes one of the newest your AI SDK knows"
  )
}

/** The service refuses the empty task of a call that cannot be read, so the default model runs. */
const noQuestion = { incumbent: undefined, options: {}, task: { task: "" } }

/**
 * If an answer that is no stream does not fit the call's schema, the service is asked for the model of the
 * next attempt.
 */
const routerOf = <Id extends string>(
  sextant: Sextant<Id>,
  models: Readonly<Record<Id, LanguageModelLike>>,
  maxAttempts: number
) => {
  const callers = new Map<unknown, Id>()

  return async <A>(given: CallOptions, work: (running: Running) => Promise<Came<A>>): Promise<A> => {
    const question = attempt(() => questionOf(given, callers), noQuestion)
    const { incumbent } = question
    const { sextant: _, ...providerOptions } = given.providerOptions ?? {}
    const options = given.providerOptions === undefined ? given : { ...given, providerOptions }
    const failedModelIds = new Set<Id>()
    const failed: Array<Failed<Id>> = []
    const first = await sextant.choose(question.task, question.options)
    let route: Route<Id> = routeOf(sextant.models, first, failedModelIds)

    const isExhausted = first.reason === "budget_exhausted"
    for (let modelId = isExhausted ? first.modelId : incumbent ?? first.modelId;;) {
      const { choice } = route
      const { reason, recommendationId } = choice
      const source = modelId === incumbent && modelId !== choice.modelId ? "incumbent" : choice.source
      const own: RoutedMetadata = {
        recommendationId, modelId, source, reason, failedModelIds: [...failedModelIds]
      }
      const call = choice.begin(modelId)
      let came: Came<A>
      try {
        came = await work({
          call,
          options,
          model: models[modelId],
          tagged: (metadata) => ({ ...Object(metadata), sextant: own }),
          seen: (part) => {
            // The model recorded for a tool call is its result's only candidate, so shadow mode records none.
            if (part.type !== "tool-call" || reason === "shadow") return
            remember(callers, (part as { readonly toolCallId?: unknown }).toolCallId, modelId)
          },
          isRejected: (finish, text) => {
            const isWrong = maxAttempts > 0 && isMisfit(given.responseFormat, finish, text)
            if (isWrong) sextant.score(recommendationId, 0, "gate", { modelId, notes: "not of its schema" })
            return isWrong
          }
        })
      } catch (error) {
        if (!endWithError(call, error, given.abortSignal)) throw error
        failedModelIds.add(modelId)
        const next = failedModelIds.has(choice.modelId) ? route.afterFault(modelId) : choice.modelId
        if (next === null) throw error
        modelId = next
        continue
      }
      if (!came.isRejected) return came.result
      failedModelIds.add(modelId)
      failed.push({ modelId, quality: 0, recommendationId })
      const isLast = failed.length >= maxAttempts || incumbent !== undefined || reason === "shadow"
      if (isLast || given.abortSignal?.aborted) return came.result
      const again = await askAgain(sextant, question, route, failed, failedModelIds)
      if (again.next === null) return came.result
      route = again.route
      modelId = again.next
    }
  }
}

/**
 * Makes a model for the AI SDK's functions and Mastra's agents. Throws a `TypeError` if an option is wrong.
 */
export const routed = <const Id extends string, Model extends LanguageModelLike>(
  { maxAttempts = 3, models, ...options }: RoutedOptions<Id, Model>
): Routed<Id, Model> => {
  const sextant = createSextant<Id>({ ...options, models: Object.keys(models ?? {}) as Array<Id> })
  const route = routerOf(sextant, models, maxAttempts)
  const model = {
    specificationVersion: versionOf(models),
    provider: "sextant",
    modelId: "sextant/auto",
    get supportedUrls(): Promise<Urls> {
      return commonUrls(Object.values<Model>(models))
    },
    doGenerate: (given: CallOptions): Promise<Generated> => route(given, generate),
    doStream: (given: CallOptions): Promise<Streamed> => route(given, stream),
    sextant
  }
  // The cast restores the precise types of the caller's models, which `LanguageModelLike` lacks.
  return model as unknown as Routed<Id, Model>
}
