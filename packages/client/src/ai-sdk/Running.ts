/* Runs and measures one call of one model, and compares its answer with the call's schema. */
import { type Call, measuredStream, type Usage } from "../index.ts"
import { usageOfCounts } from "../TokenCounts.ts"
import { opened, partError } from "./Parts.ts"
import type {
  CallOptions, FinishReason, Generated, LanguageModelLike, StreamPart, Streamed
} from "./Shapes.ts"

/** `providerMetadata.sextant` of a result. */
export interface RoutedMetadata {
  /** The recommendation's id, to report a verdict with; null if the service gave no answer. */
  readonly recommendationId: string | null
  readonly modelId: string
  /** `incumbent` means that the model that called a tool, not the chosen model, answers the tool's result. */
  readonly source: "service" | "default" | "incumbent"
  /** Why the service's recommendation was not used; null if it was used. */
  readonly reason: string | null
  /** Models that failed at this call before the present model. */
  readonly failedModelIds: ReadonlyArray<string>
}

/** OpenAI's provider gives the service tier outside the usage. */
const usageOf = ({ providerMetadata, usage }: Partial<Generated>): Usage => {
  const { cacheRead, cacheWrite, total: input } = usage?.inputTokens ?? {}
  const { reasoning, total: output } = usage?.outputTokens ?? {}
  return {
    ...usageOfCounts({ input, output, cacheRead, cacheWrite, reasoning }),
    serviceTier: Object(providerMetadata?.["openai"]).serviceTier ?? Object(usage?.raw).service_tier,
    webSearches: Object(Object(usage?.raw).server_tool_use).web_search_requests
  }
}

export interface Running {
  readonly model: LanguageModelLike
  readonly call: Call
  readonly options: CallOptions
  readonly tagged: (metadata: unknown) => { readonly sextant: RoutedMetadata }
  readonly seen: (part: StreamPart) => void
  /** Returns whether an answer does not fit the call's schema, and then also reports a failure. */
  readonly isRejected: (finish: FinishReason | undefined, text: string) => boolean
}

export interface Came<A> {
  readonly result: A
  readonly isRejected: boolean
}

const failedFinish = new Error("The model finished with an error")

const textOf = (part: StreamPart): string => {
  const { delta, text = delta } = part as { readonly delta?: unknown; readonly text?: unknown }
  return typeof text === "string" ? text : ""
}

export const generate = async (
  { call, isRejected, model, options, seen, tagged }: Running
): Promise<Came<Generated>> => {
  const result = await model.doGenerate(options)
  for (const part of result.content ?? []) seen(part)
  if (result.finishReason?.unified === "error") call.failed(failedFinish, usageOf(result))
  else call.succeeded(usageOf(result))
  const text = (result.content ?? []).map((part) => part.type === "text" ? textOf(part) : "").join("")
  return {
    result: {
      ...result,
      response: { ...result.response, modelId: result.response?.modelId ?? model.modelId },
      providerMetadata: tagged(result.providerMetadata)
    },
    isRejected: isRejected(result.finishReason, text)
  }
}

export const stream = async (
  { call, isRejected, model, options, seen, tagged }: Running
): Promise<Came<Streamed>> => {
  const result = await model.doStream(options)
  const isJson = options.responseFormat?.type === "json"
  let text = ""
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
      if (isJson && type === "text-delta") text += textOf(part)
      if (type !== "finish") return [part]
      isRejected((part as Partial<Generated>).finishReason, text)
      const finish: StreamPart = Object.assign({ ...part }, { providerMetadata: tagged(providerMetadata) })
      // If the provider's stream names no model, a part with the model's name is added.
      const named = Object.assign({ type: "response-metadata" }, { modelId: model.modelId })
      return isNamed ? [finish] : [named, finish]
    }
  })
  const measured = measuredStream(call, parts, {
    signal: options.abortSignal,
    isToken: () => false,
    usage: (part) => part.type === "finish" ? usageOf(part as Partial<Generated>) : undefined,
    failure: (part) => {
      const { error, finishReason } = part as { readonly error?: unknown } & Partial<Generated>
      return part.type === "error" ? partError(error ?? failedFinish)
        : part.type === "finish" && finishReason?.unified === "error" ? failedFinish : undefined
    }
  })
  return { result: { ...result, stream: measured }, isRejected: false }
}
