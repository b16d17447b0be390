/* Reads a model call from a span: the model's name, the usage, and how the call ended. */
import { isAbort, type Usage } from "../index.ts"
import { faultOf } from "../Outage.ts"
import { usageOfCounts } from "../TokenCounts.ts"
import { besideIn, countsOf, serviceTierNames } from "./Counts.ts"
import { type Attributes, idOf, type ReadableSpanLike, valueOf, wordsOf } from "./Shapes.ts"

/** Names of operations that are one model call. */
const operations: ReadonlyArray<string> = ["chat", "text_completion", "generate_content"]

/** Returns the name of the model that was requested or, without this name, of the model that answered. */
export const modelNameOf = (attributes: Attributes): string | undefined =>
  idOf(attributes, "gen_ai.request.model", "gen_ai.response.model")

/** A span with a model but without an operation's name is taken for a chat. */
export const isCall = (attributes: Attributes): boolean =>
  modelNameOf(attributes) !== undefined
  && operations.includes(String(valueOf(attributes, "gen_ai.operation.name") ?? operations[0]))

const countOf = (attributes: Attributes, ...names: ReadonlyArray<string>): number | undefined => {
  const value = valueOf(attributes, ...names)
  return typeof value === "number" ? value : undefined
}

export const usageOf = ({ attributes, duration: [seconds, nanoseconds] }: ReadableSpanLike): Usage => {
  const provider = wordsOf(attributes, "gen_ai.provider.name", "gen_ai.system", "ai.model.provider")
  const names = [modelNameOf(attributes), provider]
  const beside = besideIn(names, (name) => attributes[name] !== undefined)
  const firstSeconds = countOf(attributes, "gen_ai.response.time_to_first_chunk")
  return {
    ...usageOfCounts(countsOf((...names) => countOf(attributes, ...names)), beside),
    serviceTier: wordsOf(attributes, ...serviceTierNames),
    latencyMs: seconds * 1e3 + nanoseconds / 1e6,
    timeToFirstTokenMs: firstSeconds === undefined
      ? countOf(attributes, "ai.response.msToFirstChunk")
      : firstSeconds * 1e3
  }
}

/** `outage` includes a provider's refusal of the model; `callers` is an error but no outage or abort. */
export type CallEnd = "success" | "outage" | "aborted" | "failure" | "callers"

/** `SpanStatusCode.ERROR` */
const errorCode = 2

/** Words in an error's name, or in a vaguely named error's message, that mean an outage without a status. */
const outageWords =
  /rate.?limit|overloaded|unavailable|time.?out|timed out|connection|internal.?server|bad.?gateway|throttl/i
const outageStatus = /^[a-z ]*:? ?(?:408|409|429|5\d\d)\b/i
/** Names of errors that say nothing about the cause, so the error's message is read. */
const vagueName = /^(?:_OTHER|\w*API(?:Status)?Error|HTTP(?:Status)?Error|Error|Exception)?$/

export const endOf = (
  { attributes, events, status }: ReadableSpanLike
): { readonly end: CallEnd; readonly notes?: string; readonly status?: number | undefined } => {
  const type = wordsOf(attributes, "error.type")
  const reasons = valueOf(attributes, "gen_ai.response.finish_reasons")
  const isFinished = (reason: string): boolean => Array.isArray(reasons) && reasons.includes(reason)
  if (status.code !== errorCode && type === undefined) {
    if (isFinished("error")) return { end: "failure", notes: "the model finished with an error" }
    return { end: "success" }
  }
  const exception = events.find(({ name }) => name === "exception")?.attributes ?? {}
  const name = type ?? wordsOf(exception, "exception.type")
  const message = wordsOf({ ...status }, "message") ?? wordsOf(exception, "exception.message") ?? ""
  const code = Number(valueOf(attributes, "http.response.status_code") ?? name)
  const error = { name, code: name, message, status: code >= 400 ? code : undefined }
  const notes = `${name ?? "error"}: ${message}`
  if (isAbort(error) || /cancell?ed/i.test(name ?? "")) return { end: "aborted", notes }
  const said = vagueName.test(name ?? "") ? message : name ?? ""
  const isSaid = outageStatus.test(said) || outageWords.test(said)
  const isOut = /outage|model/.test(`${faultOf(error)}`) || (error.status === undefined && isSaid)
  return { end: isOut ? "outage" : "callers", notes, status: error.status }
}
