/* The input of a hook, and the type of a tool's hooks. */
import type { Fields } from "./Json.ts"
import type { Settings } from "./Settings.ts"

export interface Context {
  /** The folder of the settings and the state. */
  readonly home: string
  readonly settings: Settings
  /** Start of the hook, in ms of the epoch. The hook's deadline counts from here. */
  readonly startedAt: number
}

/** Hooks by the event's name. Each returns the whole answer to the tool, or null for none. */
export type Hooks = Readonly<Record<string, (event: Fields, context: Context) => Promise<Fields | null>>>
