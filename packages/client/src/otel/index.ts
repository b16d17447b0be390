/* The adapter of OpenTelemetry, which reports evaluations, and model calls with a recommendation's id. */
import { textOf } from "../ForeignValues.ts"
import type { Choice } from "../index.ts"
import { isCall } from "./Calls.ts"
import { evaluationEvent } from "./Evaluations.ts"
import { createMemory } from "./Memory.ts"
import {
  createReporter, modelAttribute, type ProcessorOptions, recommendationAttribute
} from "./Reporter.ts"
import {
  type Attributes, type ContextLike, idOf, type LogRecordLike, type ReadableSpanLike, type StartedSpanLike
} from "./Shapes.ts"

export type { EvaluationRule } from "./Evaluations.ts"
export {
  modelAttribute, type ProcessorOptions, recommendationAttribute, type SkippedReason
} from "./Reporter.ts"
export type { ContextLike, LogRecordLike, ReadableSpanLike, StartedSpanLike } from "./Shapes.ts"

export interface SextantProcessor {
  readonly onStart: (span: StartedSpanLike, parentContext: ContextLike) => void
  readonly onEnd: (span: ReadableSpanLike) => void
  readonly onEmit: (record: LogRecordLike) => void
  /** Waits until the client's reports are sent, for at most 5 s. */
  readonly forceFlush: () => Promise<void>
  readonly shutdown: () => Promise<void>
}

type Named = Pick<Choice, "recommendationId" | "modelId">

const contextKey = Symbol.for("sextant.choice")

/** Returns the attributes for a span that the caller makes; empty if the service gave no answer. */
export const attributesOf = ({ modelId, recommendationId }: Named): Record<string, string> =>
  recommendationId === null ? {} : { [recommendationAttribute]: recommendationId, [modelAttribute]: modelId }

/** Returns a context in which the processor gives new spans the choice's attributes. */
export const withChoice = <Context extends { setValue: (key: symbol, value: unknown) => Context }>(
  context: Context,
  choice: Named
): Context => context.setValue(contextKey, attributesOf(choice))

/** Throws a `TypeError` if a rule is wrong. */
export const sextantProcessor = (options: ProcessorOptions): SextantProcessor => {
  const { called, judged, modelOf, skip, verdictOf } = createReporter(options)
  const memory = createMemory()

  const ended = (span: ReadableSpanLike): void => {
    const { attributes, events, parentSpanContext, parentSpanId } = span
    const { spanId, traceId } = span.spanContext()
    const recommendationId = idOf(attributes, recommendationAttribute)
    const own = recommendationId === undefined
      ? undefined
      : { key: `${traceId}:${spanId}`, recommendationId, modelId: modelOf(attributes) }
    if (own !== undefined) {
      memory.add(spanId, own)
      memory.add(idOf(attributes, "gen_ai.response.id"), own)
      // The instrumentations of a framework and of an SDK may both make a span of the same call.
      const isReportedBelow = memory.isReportedBelow(spanId, own.recommendationId)
      if (isCall(attributes) && isReportedBelow) skip("reported_below", own.key)
      else if (isCall(attributes)) called(span, own)
      if (isCall(attributes) || isReportedBelow) {
        memory.reportedBelow(parentSpanContext?.spanId ?? parentSpanId, own.recommendationId)
      }
    }
    const results = events.filter(({ name }) => name === evaluationEvent).map((one) => one.attributes ?? {})
    for (const verdict of [...results.map(verdictOf), ...memory.arrive(spanId)]) {
      if (verdict !== null) judged(verdict, own ?? memory.find(verdict.responseId))
    }
  }

  const emitted = ({ attributes: given, eventName, spanContext }: LogRecordLike): void => {
    const attributes: Attributes = Object(given)
    if ((eventName ?? attributes["event.name"]) !== evaluationEvent) return
    const verdict = verdictOf(attributes)
    if (verdict === null) return
    const recommendationId = idOf(attributes, recommendationAttribute)
    const call = recommendationId === undefined
      ? memory.find(verdict.responseId, spanContext?.spanId)
      : {
        key: `${recommendationId}:${spanContext?.spanId ?? ""}`,
        recommendationId,
        modelId: idOf(attributes, modelAttribute)
      }
    if (call !== undefined || spanContext === undefined) return judged(verdict, call)
    for (const oldest of memory.wait(spanContext.spanId, verdict)) judged(oldest, undefined)
  }

  /** Spans and log records may have any form, so an error is passed to `skip` and not thrown. */
  const reading = (read: () => void): void => {
    try {
      read()
    } catch (error) {
      skip("unreadable", textOf(error))
    }
  }

  const flush = async (): Promise<void> => void await options.sextant.flush()

  return {
    onStart: (span, parentContext) =>
      reading(() => {
        // A span that already has a recommendation's id keeps this id.
        if (span.attributes?.[recommendationAttribute] !== undefined) return
        const marks = Object.entries(Object(parentContext.getValue(contextKey)))
        for (const [key, value] of marks) span.setAttribute(key, String(value))
      }),
    onEnd: (span) => reading(() => ended(span)),
    onEmit: (record) => reading(() => emitted(record)),
    forceFlush: flush,
    shutdown: () => {
      for (const verdict of memory.left()) judged(verdict, undefined)
      return flush()
    }
  }
}
