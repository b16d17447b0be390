/* Remembers the models of conversations, and the models that a client avoids for a while. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Fault } from "./Outage.ts"
import { remember } from "./Remembered.ts"
import type { Warn } from "./Warning.ts"

/** Time for which a model is left out after its provider refused the model or a parameter, ms. */
const refusedMs = 3_600_000

const namesOf = (parameters: unknown): string =>
  attempt(() => Object.entries(Object(parameters)).flatMap(([name, value]) => value == null ? [] : name)
    .sort().join(" "), "")

export interface Memory {
  readonly incumbent: string | undefined
  readonly isExcluded: (modelId: string) => boolean
  readonly isCooling: (modelId: string) => boolean
  /** Whether the model is left out because its provider refused the model or a call's parameter. */
  readonly isRefused: (modelId: string) => boolean
  /** Records a fault of the model's provider; returns whether another model may run. */
  readonly faulted: (modelId: string, fault: Fault, error: unknown) => boolean
  readonly succeeded: (modelId: string) => void
  /** Makes a called model the conversation's current model. */
  readonly began: (modelId: string) => void
}

type MemoryOf = (conversationId?: string, parameters?: object | null) => Memory

/**
 * Leaves a model out for `coolDownMs` after an outage, and for an hour after its provider refused the model
 * or a parameter. A refused parameter matters only to questions with the same parameter names. When a
 * refusal's hour is over, one question per `coolDownMs` may name the model, until a call succeeds.
 */
export const createMemory = <Id extends string>(
  { coolDownMs, defaultModelId, models }: CheckedOptions<Id>,
  warn: Warn
): MemoryOf => {
  const conversations = new Map<string | undefined, string>()
  const cooling = new Map<string, number>()
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
          // If all models are refused, the cause is not the models, so their refusals are forgotten.
          if (models.every((id) => refused.has(id))) for (const id of models) refused.delete(id)
        } else if (modelId === defaultModelId) {
          // If the default model also refuses the parameters, the parameters are the caller's mistake.
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
