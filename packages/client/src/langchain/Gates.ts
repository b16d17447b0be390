/* Recognises errors that the caller named as a failed check of a model's answer. */
import type { Failed } from "../adapters/NextAttempt.ts"
import { toldOf } from "../adapters/Attempts.ts"
import { attempt } from "../ForeignValues.ts"
import type { Sextant } from "../index.ts"
import { remember } from "../Remembered.ts"
import { type questionOf, turnOf } from "./Question.ts"
import type { Message, ModelRequestLike } from "./Shapes.ts"

type Question<Id extends string> = ReturnType<typeof questionOf<Id>>

const causesMax = 5

/** Returns a message's recommendation and model; null if the message lacks either. */
const sourceOf = (
  { response_metadata: said }: Message
): { readonly id: string; readonly modelId: string } | null => {
  const { model_id: modelId, recommendation_id: id } = Object(said?.["sextant"])
  return typeof id === "string" && typeof modelId === "string" ? { id, modelId } : null
}

interface Gates<Id extends string> {
  readonly isNamed: (error: unknown) => boolean
  readonly failed: <Model extends string>(
    modelId: Model,
    recommendationId: string | null,
    error: unknown
  ) => Failed<Model>
  /** Wraps a node. If the node throws an error in `names`, the state's last answer has failed a check. */
  readonly gate: <State, Rest extends ReadonlyArray<unknown>, Result>(
    node: (state: State, ...rest: Rest) => Result | PromiseLike<Result>
  ) => (state: State, ...rest: Rest) => Promise<Result>
  /** Adds to the question, as attempts, answers since the user's last message that failed in a gated node. */
  readonly withFailed: (question: Question<Id>, request: ModelRequestLike) => Question<Id>
}

export const gatesOf = <Id extends string>(
  sextant: Sextant<Id>,
  names: ReadonlyArray<string>
): Gates<Id> => {
  const known = new Map<string, Failed>()

  const isNamed: Gates<Id>["isNamed"] = (error) =>
    attempt(() => {
      for (let one = Object(error), i = 0; one && i < causesMax; one = one.cause, i++) {
        if (names.includes(one.name) || names.includes(one.constructor?.name)) return true
      }
      return false
    }, false)

  const failed: Gates<Id>["failed"] = (modelId, recommendationId, error) => {
    const notes = attempt(() => String(Object(error).name), "")
    sextant.score(recommendationId, 0, "gate", { modelId, notes })
    return { modelId, quality: 0, recommendationId }
  }

  return {
    isNamed,
    failed,
    gate: (node) => async (state, ...rest) => {
      try {
        return await node(state, ...rest)
      } catch (error) {
        if (isNamed(error)) {
          attempt(() => {
            const messages: ReadonlyArray<Message> = Object(state).messages
            const last = messages.map(sourceOf).findLast((one) => one !== null)
            if (last && !known.has(last.id)) {
              remember(known, last.id, failed(last.modelId, last.id, error))
            }
          }, undefined)
        }
        throw error
      }
    },
    withFailed: (question, { messages }) => {
      const failedOf = (one: Message) => known.get(sourceOf(one)?.id ?? "") ?? []
      const before = attempt(() => turnOf(messages).flatMap(failedOf), [])
      if (before.length === 0) return question
      const { options, task } = question
      const attempts = toldOf(before, "gate", options.request?.attempts)
      return { task, options: { ...options, request: { ...options.request, attempts } } }
    }
  }
}
