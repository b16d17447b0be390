/* The input of an audition. */
import type { HttpClient } from "effect/http"
import type { AuditionSettings } from "./AuditionSettings.ts"
import type { ChatModel } from "./Chat.ts"
import type { Grader } from "./Grade.ts"
import type { Journal } from "./Journal.ts"
import type { AuditionPrompt } from "./Prompts.ts"

export interface AuditionPlan {
  readonly prompts: ReadonlyArray<AuditionPrompt>
  /** SHA-256 of the prompts, which seeds the shuffled order in which they are asked. */
  readonly digest: string
  readonly models: ReadonlyArray<ChatModel>
  readonly grader: Grader
  readonly budgetUsd: number
  readonly valueUsd: number | null
  readonly outputTokensMax: number
  readonly settings: AuditionSettings
  readonly client: HttpClient.HttpClient
  readonly journal: Journal
  /** Called after each call with the sum of spent and reserved USD, and the number of ended calls. */
  readonly report: (committedUsd: number, calls: number) => void
}
