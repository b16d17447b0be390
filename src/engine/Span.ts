import { Effect } from "effect"

/** A span around each call, without the stack of the call: taking that costs more than most stages do. */
export const span = (name: string) => Effect.withSpan(name, {}, { captureStackTrace: false })
