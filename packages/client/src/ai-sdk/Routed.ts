/*
 * One language model, for AI SDK 6 and 7, that asks the service which of the caller's models runs each call,
 * goes on with the next one after an outage, and reports what a call took.
 */
import { endWithError } from "../Choice.ts"
import { attempt } from "../Foreign.ts"
import {
  type Call, createSextant, measuredStream, type Sextant, type SextantOptions, type Usage
} from "../index.ts"
import { remember } from "../Remembered.ts"
import type {
  CallOptions, Generated, LanguageModelLike, ModelUsage, StreamPart, Streamed, Urls
} from "./Shapes.ts"
import { opened, partError } from "./Parts.ts"
import { questionOf } from "./Question.ts"
import { commonUrls } from "./SupportedUrls.ts"

export interface RoutedOptions<Id extends string, Model extends LanguageModelLike>
  extends Omit<SextantOptions<Id>, "models" | "defaultModelId"> {
  /** The models that may run, by their ids in the service's catalog; all of one specification. */
  readonly models: Readonly<Record<Id, Model>>
  /** The model that runs whenever the service cannot say. */
  readonly defaultModelId: NoInfer<Id>
}

/** `providerMetadata.sextant` of a result. */
export interface RoutedMetadata {
  /** The id to report a verdict with; null when the service said nothing. */
  readonly recommendationId: string | null
  /** The model that ran. */
  readonly modelId: string
  /** Who named it: the service, the default, or its own tool call, while the service is out. */
  readonly source: "service" | "default" | "incumbent"
  /** Why the service did not; null where it did. */
  readonly reason: string | null
  /** The models that failed before it. */
  readonly failedModelIds: ReadonlyArray<string>
}

/** What a result, or a step of one, came from; null if it was not routed. */
export const sextantOf = (result: { readonly providerMetadata?: unknown }): RoutedMetadata | null =>
  Object(Object(result).providerMetadata).sextant ?? null

/** A language model of the caller's specification, with the client that it asks. */
export type Routed<Id extends string, Model extends LanguageModelLike> =
  & Pick<Model, "specificationVersion" | "provider" | "modelId" | "supportedUrls" | "doGenerate" | "doStream">
  & { readonly sextant: Sextant<Id> }

/** Tool calls whose model is remembered, count. */
const callersMax = 10_000

const usageOf = (usage: ModelUsage | undefined): Usage => ({
  inputTokens: usage?.inputTokens?.total,
  cachedInputTokens: usage?.inputTokens?.cacheRead,
  outputTokens: usage?.outputTokens?.total,
  reasoningTokens: usage?.outputTokens?.reasoning
})

/** The specification that all models are of; throws a `TypeError` where there is no such one. */
const versionOf = (models: Readonly<Record<string, LanguageModelLike>>): "v3" | "v4" => {
  const versions = Object.entries(models).map(([id, model]) => [id, Object(model).specificationVersion])
  for (const version of ["v3", "v4"] as const) {
    if (versions.every(([, one]) => one === version)) return version
  }
  throw new TypeError(
    `routed: all models must be objects of specification v3, or all of v4, not ${versions.join("; ")}. `
      + "wrapLanguageModel({ model, middleware: {} }) makes one of the newest that your AI SDK knows"
  )
}

/** A call that runs. */
interface Running {
  readonly model: LanguageModelLike
  readonly call: Call
  readonly options: CallOptions
  /** The provider's metadata with the adapter's own. */
  readonly tagged: (metadata: unknown) => { readonly sextant: RoutedMetadata }
  /** Takes note of a part that is a tool call. */
  readonly seen: (part: StreamPart) => void
}

const failedFinish = new Error("The model finished with an error")

const generate = async ({ call, model, options, seen, tagged }: Running): Promise<Generated> => {
  const result = await model.doGenerate(options)
  for (const part of result.content ?? []) seen(part)
  if (result.finishReason?.unified === "error") call.failed(failedFinish, usageOf(result.usage))
  else call.succeeded(usageOf(result.usage))
  return {
    ...result,
    response: { ...result.response, modelId: result.response?.modelId ?? model.modelId },
    providerMetadata: tagged(result.providerMetadata)
  }
}

const stream = async ({ call, model, options, seen, tagged }: Running): Promise<Streamed> => {
  const result = await model.doStream(options)
  let isNamed = false
  let isEnded = false
  const parts = await opened(result.stream, {
    onContent: call.firstToken,
    signal: options.abortSignal,
    onEnd: () => {
      const isWhole = isEnded || options.abortSignal?.aborted
      if (!isWhole) call.failed(new Error("The stream ended before its finish"))
    },
    map: (part) => {
      const { modelId, providerMetadata, type } = part as StreamPart & Partial<Record<string, unknown>>
      seen(part)
      if (type === "response-metadata") isNamed ||= typeof modelId === "string"
      isEnded ||= type === "finish" || type === "error"
      if (type !== "finish") return [part]
      const finish: StreamPart = Object.assign({ ...part }, { providerMetadata: tagged(providerMetadata) })
      // Without it the answer would be named after the adapter.
      const named = Object.assign({ type: "response-metadata" }, { modelId: model.modelId })
      return isNamed ? [finish] : [named, finish]
    }
  })
  return {
    ...result,
    stream: measuredStream(call, parts, {
      signal: options.abortSignal,
      isToken: () => false,
      usage: (part) => part.type === "finish" ? usageOf((part as Partial<Generated>).usage) : undefined,
      failure: (part) => {
        const { error, finishReason } = part as { readonly error?: unknown } & Partial<Generated>
        return part.type === "error" ? partError(error ?? failedFinish)
          : part.type === "finish" && finishReason?.unified === "error" ? failedFinish : undefined
      }
    })
  }
}

/** Of a call that cannot be read: the service refuses it, and the default model runs. */
const noQuestion = { incumbent: undefined, options: {}, task: { task: "" } }

/** Runs calls: the model that the service names, and after an outage the next ones, none twice. */
const routerOf = <Id extends string>(
  sextant: Sextant<Id>,
  models: Readonly<Record<Id, LanguageModelLike>>
) => {
  const callers = new Map<unknown, Id>()

  return async <A>(given: CallOptions, work: (running: Running) => Promise<A>): Promise<A> => {
    const { incumbent, options: asking, task } = attempt(() => questionOf(given, callers), noQuestion)
    const choice = await sextant.choose(task, asking)
    const { sextant: _, ...providerOptions } = given.providerOptions ?? {}
    const options = given.providerOptions === undefined ? given : { ...given, providerOptions }
    const failedModelIds: Array<Id> = []
    const isExhausted = choice.reason === "budget_exhausted"
    for (let modelId = isExhausted ? choice.modelId : incumbent ?? choice.modelId;;) {
      const source = modelId === choice.modelId || incumbent === undefined ? choice.source : "incumbent"
      const own: RoutedMetadata = {
        recommendationId: choice.recommendationId,
        modelId,
        source,
        reason: choice.reason,
        failedModelIds: [...failedModelIds]
      }
      const call = choice.begin(modelId)
      try {
        return await work({
          call,
          options,
          model: models[modelId],
          tagged: (metadata) => ({ ...Object(metadata), sextant: own }),
          seen: (part) => {
            // In shadow the default ran, and the service goes on to say what it would have run.
            if (part.type !== "tool-call" || choice.reason === "shadow") return
            remember(callers, (part as { readonly toolCallId?: unknown }).toolCallId, modelId, callersMax)
          }
        })
      } catch (error) {
        if (!endWithError(call, error, given.abortSignal)) throw error
        failedModelIds.push(modelId)
        const next = failedModelIds.includes(choice.modelId) ? choice.next() : choice.modelId
        if (next === null) throw error
        modelId = next
      }
    }
  }
}

/**
 * A language model for every function of the AI SDK that takes one, and for Mastra's agents. Throws a
 * `TypeError` if an option is wrong.
 */
export const routed = <const Id extends string, Model extends LanguageModelLike>(
  { models, ...options }: RoutedOptions<Id, Model>
): Routed<Id, Model> => {
  const sextant = createSextant<Id>({ ...options, models: Object.keys(models ?? {}) as Array<Id> })
  const route = routerOf(sextant, models)
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
  // It takes and yields what the caller's models do, whose types say more than those that are read here.
  return model as unknown as Routed<Id, Model>
}
