/** One question to a language model: the answer as the question reads it, or the reason why there is none. */
import { Effect, type Schema } from "effect"
import type { AiError, LanguageModel } from "effect/ai"
import { deadline } from "../../resilience/Deadline.ts"
import * as Reason from "../../resilience/FailureReason.ts"
import type { Question } from "../Questions.ts"

/** In our own words: what the reasoner says of a failure may hold anything. */
const reasonOf = ({ reason: { _tag } }: AiError.AiError): Reason.FailureReason => {
  switch (_tag) {
    case "InvalidRequestError":
      return new Reason.Rejected({ cause: _tag })
    case "StructuredOutputError":
    case "ContentPolicyError":
      return new Reason.Unusable({ cause: _tag })
    case "AuthenticationError":
      return new Reason.Unauthorized({ cause: _tag })
    default:
      return new Reason.Unreachable({ cause: _tag })
  }
}

/**
 * Whether the reason shows that the reasoner is unavailable. The author of a task can make a model refuse,
 * answer nonsense, or fail at the question.
 */
export const isOutage = ({ _tag }: Reason.FailureReason): boolean =>
  _tag !== "Rejected" && _tag !== "Unusable"

/** Asks the model once, and waits for its answer at most `timeoutMs`. */
export const answerTo = <A, S extends Schema.Codec<unknown, Record<string, unknown>>>(
  model: LanguageModel.LanguageModel,
  { data, instructions, name, read, schema }: Question<A, S>,
  timeoutMs: number
): Effect.Effect<A, Reason.FailureReason> =>
  model.generateObject({
    objectName: name,
    schema,
    prompt: [
      { role: "system", content: instructions },
      { role: "user", content: [{ type: "text", text: data }] }
    ]
  }).pipe(
    // The model's own spans would keep answers that do not decode, which may repeat the task or our key.
    Effect.withTracerEnabled(false),
    Effect.mapError(reasonOf),
    // A decoder that dies on garbage is the reasoner's fault.
    Effect.catchDefect(() => Effect.fail(new Reason.Unreachable({ cause: "Unreadable" }))),
    Effect.flatMap(({ value }): Effect.Effect<A, Reason.FailureReason> => {
      const answer = read(value)
      return answer === null
        ? Effect.fail(new Reason.Unusable({ cause: "NothingUsable" }))
        : Effect.succeed(answer)
    }),
    deadline(timeoutMs, () => new Reason.TimedOut({ limitMs: timeoutMs }))
  )
