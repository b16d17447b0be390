/* Types: the context of a hook, and the hooks of a tool. */
import type { Fields } from "./Json.ts"
import type { Settings } from "./Settings.ts"

export interface Context {
  /** The folder with the settings and the sessions' state. */
  readonly home: string
  readonly settings: Settings
  /**
   * Time at which the hook started, in ms since the epoch. The deadline of a question counts from the start
   * of the hook.
   */
  readonly startedAt: number
}

/** Hooks by the event's name. Each hook returns its answer to the tool, or null for no answer. */
export type Hooks = Readonly<Record<string, (event: Fields, context: Context) => Promise<Fields | null>>>
