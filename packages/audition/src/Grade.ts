/* Grades an answer: by a judge, which is a model, or by a gate, which is a command. */
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { randomUUID } from "node:crypto"
import { exitCodeOf } from "../../client/src/gates/Command.ts"
import { rubricPrompt, scoreOf } from "../../client/src/judge/Prompts.ts"
import { usdOf } from "../../../src/domain/model/Cost.ts"
import type { AuditionSettings } from "./AuditionSettings.ts"
import { chat, type ChatModel, inputTokensMaxOf, type Purse } from "./Chat.ts"
import type { UnusableJournal } from "./Journal.ts"
import type { AuditionPrompt } from "./Prompts.ts"

export interface Grader {
  /** The grader's name, such as `judge gpt-5`. */
  readonly name: string
  readonly source: "judge" | "gate"
  /** Upper bound on the cost of one attempt at a grade, USD. */
  readonly worstUsd: (prompt: AuditionPrompt) => number
  /** Grades an answer with a quality in [0, 1]; null without a verdict. */
  readonly grade: (
    prompt: AuditionPrompt, answer: string, purse: Purse
  ) => Effect.Effect<number | null, UnusableJournal>
}

/** A judge: a model that scores an answer from 0 to 10 by the rubric of the client's judge. */
export const judge = (
  client: HttpClient.HttpClient,
  model: ChatModel,
  outputTokensMax: number,
  settings: AuditionSettings
): Grader => {
  const answerBytesMax = outputTokensMax * settings.answerBytesPerToken
  const questionOf = ({ task }: AuditionPrompt, answer: string) => rubricPrompt(randomUUID(), task, answer)
  return {
    name: `judge ${model.model}`,
    source: "judge",
    worstUsd: (prompt) => usdOf(model.prices, {
      input: inputTokensMaxOf(Buffer.byteLength(questionOf(prompt, "")) + answerBytesMax, 1, settings),
      output: outputTokensMax
    }),
    grade: Effect.fnUntraced(function*(prompt, answer, purse) {
      // Judging an answer above the maximum length would cost more than was reserved.
      if (Buffer.byteLength(answer) > answerBytesMax) return null
      const messages = [{ role: "user", content: questionOf(prompt, answer) }] as const
      const said = yield* chat(client, model, messages, purse, { keepUsd: 0, outputTokensMax, settings })
      return typeof said === "string" ? null : scoreOf(said.text)
    })
  }
}

/** Environment variables that a gate must not see. */
const secrets = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]

/**
 * A gate: a shell command that reads the answer on standard input and the prompt in `SEXTANT_PROMPT`. The
 * command's exit code 0 means success, 126, 127 or no exit code means no verdict, any other means failure.
 */
export const gate = (command: string, settings: AuditionSettings): Grader => ({
  name: `gate ${command}`,
  source: "gate",
  worstUsd: () => 0,
  grade: ({ task }, answer) =>
    Effect.tryPromise((signal) => {
      const { env: all } = process
      const env = Object.fromEntries(Object.entries(all).filter(([name]) => !secrets.includes(name)))
      return exitCodeOf(command, answer, {
        env: { ...env, SEXTANT_PROMPT: task.replaceAll("\0", "") }, timeoutMs: settings.gateMs, signal
      })
    }).pipe(
      Effect.map((code) => code === null ? null : code === 0 ? 1 : 0),
      // A gate's command cannot be run if, for example, an environment variable cannot hold the long prompt.
      Effect.orElseSucceed(() => null)
    )
})
