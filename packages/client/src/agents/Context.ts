/* Types: the context of a hook, and the hooks of a tool. */
import type { Fields } from "./Json.ts"
import type { Settings } from "./Settings.ts"

export interface Context {
  readonly home: string
  readonly settings: Settings
  /** Start of the hook, ms since the epoch, from which a question's deadline counts. */
  readonly startedAt: number
}

export type Hooks = Readonly<Record<string, (event: Fields, context: Context) => Promise<Fields | null>>>
