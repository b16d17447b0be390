/* Remembers the models of conversations, and the models that a client avoids for a while. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Fault } from "./Outage.ts"
import { remember } from "./Remembered.ts"
import type { Warn } from "./Warning.ts"

/** How long a model is left out that is not to be had, or does not take the parameters of a call, in ms. */
const refusedMs = 3_600_000

/** The names of a call's parameters, in order. */
const namesOf = (parameters: unknown): string =>
  attempt(() => Object.entries(Object(parameters)).flatMap(([name, value]) => value == null ? [] : name)
    .sort().join(" "), "")

/** The memory for one question and the calls that follow it. */
export interface Memory {
  /** The model that holds the conversation. */
  readonly incumbent: string | undefined
  /** Whether the question leaves the model out. */
  readonly isExcluded: (modelId: string) => boolean
  readonly isCooling: (modelId: string) => boolean
  /** Whether it is not to be had, or refuses a parameter of the calls. */
  readonly isRefused: (modelId: string) => boolean
  /** Leaves the model out for a while, and says so; whether another may run. */
  readonly faulted: (modelId: string, fault: Fault, error: unknown) => boolean
  readonly succeeded: (modelId: string) => void
  /** A call of the model began: it holds the conversation. */
  readonly began: (modelId: string) => void
}

/** The memory for a question in this conversation, whose calls have these parameters. */
type MemoryOf = (conversationId?: string, parameters?: object | null) => Memory

/**
 * The memory of a client. A model cools down after an outage. One that is not to be had, or that refuses a
 * parameter, is left out for an hour, of the questions with the same parameters alone; then one question at a
 * time may name it, until it answers.
 */
export const createMemory = <Id extends string>(
  { coolDownMs, defaultModelId, models }: CheckedOptions<Id>,
  warn: Warn
): MemoryOf => {
  const conversations = new Map<string | undefined, string>()
  const cooling = new Map<string, number>()
  /** Until when, by the model, and by the model with the names of a call's parameters. */
  const refused = new Map<string, number>()
  const isOn = (leftOut: ReadonlyMap<string, number>, key: string): boolean =>
    performance.now() < (leftOut.get(key) ?? 0)
  const leaveOut = (leftOut: Map<string, number>, key: string, durationMs: number): void =>
    remember(leftOut, key, performance.now() + durationMs)

  return (conversationId, given) => {
    const parameters = namesOf(given)
    const withParameters = (modelId: string): string => `${modelId} ${parameters}`
    const keysOf = (modelId: string) => [modelId, withParameters(modelId)]
    const isCooling = (modelId: string): boolean => isOn(cooling, modelId)
    const isRefused = (modelId: string): boolean => keysOf(modelId).some((key) => isOn(refused, key))
    return {
      incumbent: conversations.get(conversationId),
      isCooling,
      isRefused,
      isExcluded: (modelId) => {
        if (isCooling(modelId) || isRefused(modelId)) return true
        // When its time is over one question may name it; those beside it do not until that has told.
        for (const key of keysOf(modelId)) if (refused.has(key)) leaveOut(refused, key, coolDownMs)
        return false
      },
      faulted: (modelId, fault, error) => {
        const key = withParameters(modelId)
        if (fault === "outage") {
          leaveOut(cooling, modelId, coolDownMs)
        } else if (fault === "model") {
          leaveOut(refused, modelId, refusedMs)
          warn(modelId, `${modelId} is not to be had here: ${textOf(error)}`)
          // If all models are refused, none of them is the cause.
          if (models.every((id) => refused.has(id))) for (const id of models) refused.delete(id)
        } else if (modelId === defaultModelId) {
          // So they are the caller's own.
          for (const id of models) refused.delete(withParameters(id))
          return false
        } else {
          leaveOut(refused, key, refusedMs)
          warn(key, `${modelId} refuses a parameter, the default runs: ${textOf(error)}`)
        }
        return true
      },
      succeeded: (modelId) => {
        for (const key of keysOf(modelId)) refused.delete(key)
      },
      began: (modelId) => {
        if (conversationId) remember(conversations, conversationId, modelId)
      }
    }
  }
}
