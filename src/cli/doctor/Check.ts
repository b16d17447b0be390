import { Cause, Effect } from "effect"
import { errorLine } from "./ErrorLine.ts"

/** What the doctor found of one thing. */
export interface Check {
  readonly of: string
  /** `warn`: it works, and something will go wrong or is not as safe as it could be. `fail`: it does not. */
  readonly state: "ok" | "warn" | "fail"
  readonly says: string
  /** What to do about it, in a line; null where there is nothing to do. */
  readonly fix: string | null
}

export const ok = (of: string, says: string): Check => ({ of, state: "ok", says, fix: null })
export const warn = (of: string, says: string, fix: string): Check => ({ of, state: "warn", says, fix })
export const fail = (of: string, says: string, fix: string): Check => ({ of, state: "fail", says, fix })

/** Longest that one look takes before what it looks at counts as out. */
const patience = "5 seconds"

/** A look that must not end the others: whatever it comes to is a finding. */
export const looked = <E, R>(
  of: string,
  look: Effect.Effect<ReadonlyArray<Check>, E, R>,
  fix: string
): Effect.Effect<ReadonlyArray<Check>, never, R> =>
  look.pipe(
    Effect.timeout(patience),
    Effect.catchCause((cause) => Effect.succeed([fail(of, errorLine(Cause.squash(cause)), fix)]))
  )

const nameWidth = 20

/** A line for each finding, and one for each fix. */
export const render = (findings: ReadonlyArray<Check>): string =>
  findings.flatMap(({ fix, of, says, state }) => [
    `${state.padEnd(5)}${of.padEnd(nameWidth)}${says}`,
    ...(fix === null ? [] : [`${" ".repeat(5)}${"".padEnd(nameWidth)}-> ${fix}`])
  ]).join("\n")

export const isHealthy = (findings: ReadonlyArray<Check>): boolean =>
  findings.every(({ state }) => state !== "fail")
