/* The input of a hook, and the shape of a tool's hooks. */
import type { Fields } from "./Json.ts"
import type { Settings } from "./Settings.ts"

export interface Context {
  /** The folder of the settings and the state. */
  readonly home: string
  readonly settings: Settings
  /** When the hook started, in ms of the epoch: its deadline counts from there. */
  readonly startedAt: number
}

/** By name of the event: the whole answer to the tool, or null for none. */
export type Hooks = Readonly<Record<string, (event: Fields, context: Context) => Promise<Fields | null>>>
