/* Remembers the models of conversations, and the models that a client avoids for a while. */
import { attempt, textOf } from "./ForeignValues.ts"
import type { CheckedOptions } from "./Options.ts"
import type { Fault } from "./Outage.ts"
import { remember } from "./Remembered.ts"
import type { Warn } from "./Warning.ts"

/** How long a model is left out after the provider refused it or a parameter of its call, in ms. */
const refusedMs = 3_600_000

/** The names of a call's parameters, in order. */
const namesOf = (parameters: unknown): string =>
  attempt(() => Object.entries(Object(parameters)).flatMap(([name, value]) => value == null ? [] : name)
    .sort().join(" "), "")

/** The memory for one question and the calls that follow it. */
export interface Memory {
  readonly incumbent: string | undefined
  readonly isExcluded: (modelId: string) => boolean
  readonly isCooling: (modelId: string) => boolean
  /** Whether the provider refuses the model, or refuses a parameter of the calls. */
  readonly isRefused: (modelId: string) => boolean
  /** Leaves the model out for a while and warns; returns whether another model may run. */
  readonly faulted: (modelId: string, fault: Fault, error: unknown) => boolean
  readonly succeeded: (modelId: string) => void
  /** Records a call of the model, which then holds the conversation. */
  readonly began: (modelId: string) => void
}

/** Returns the memory for a question of a conversation. `parameters` are those of the question's calls. */
type MemoryOf = (conversationId?: string, parameters?: object | null) => Memory

/**
 * The memory of a client. After an outage a model cools down. After a refusal a model is left out for an
 * hour. After a refused parameter it is left out only of questions with the same parameters. When the hour is
 * over, one question at a time may name the model until it answers.
 */
export const createMemory = <Id extends string>(
  { coolDownMs, defaultModelId, models }: CheckedOptions<Id>,
  warn: Warn
): MemoryOf => {
  const conversations = new Map<string | undefined, string>()
  const cooling = new Map<string, number>()
  /** End of each refusal, by model, and by model with the names of a call's parameters. */
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
        // When the time is over, this question may name the model. Other questions still leave it out.
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
          // If all models are refused, the models are not the cause.
          if (models.every((id) => refused.has(id))) for (const id of models) refused.delete(id)
        } else if (modelId === defaultModelId) {
          // The default refuses them too, so the parameters are the caller's mistake.
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
