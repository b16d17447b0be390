/* What an audition is given. */
import type { HttpClient } from "effect/http"
import type { AuditionSettings } from "./AuditionSettings.ts"
import type { ChatModel } from "./Chat.ts"
import type { Grader } from "./Grade.ts"
import type { Journal } from "./Journal.ts"
import type { AuditionPrompt } from "./Prompts.ts"

export interface AuditionPlan {
  readonly prompts: ReadonlyArray<AuditionPrompt>
  /** The prompts' SHA-256: their order and all draws follow from it. */
  readonly digest: string
  /** The models by the names of the command. */
  readonly models: ReadonlyArray<ChatModel>
  readonly grader: Grader
  readonly budgetUsd: number
  readonly valueUsd: number | null
  readonly outputTokensMax: number
  readonly settings: AuditionSettings
  readonly client: HttpClient.HttpClient
  readonly journal: Journal
  /** Takes what is spent or reserved, USD, and how many calls have ended. */
  readonly report: (committedUsd: number, calls: number) => void
}
