/* One check of `sextant doctor`: its result, its time limit and its printed line. */
import { Cause, Effect } from "effect"
import { errorLine } from "./ErrorLine.ts"

export interface Check {
  /** Name of the thing that was checked, such as `database`. */
  readonly name: string
  /** `warn`: worth attention, but no failure of the doctor. */
  readonly state: "ok" | "warn" | "fail"
  readonly detail: string
  readonly fix: string | null
}

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail, fix: null })
export const warn = (name: string, detail: string, fix: string): Check =>
  ({ name, state: "warn", detail, fix })
export const fail = (name: string, detail: string, fix: string): Check =>
  ({ name, state: "fail", detail, fix })

const checkTimeout = "5 seconds"

/** Runs a check. An error, a defect or a timeout of the check becomes a failed check. */
export const runCheck = <E, R>(
  name: string,
  check: Effect.Effect<ReadonlyArray<Check>, E, R>,
  fix: string
): Effect.Effect<ReadonlyArray<Check>, never, R> =>
  check.pipe(
    Effect.timeout(checkTimeout),
    Effect.catchCause((cause) => Effect.succeed([fail(name, errorLine(Cause.squash(cause)), fix)]))
  )

const nameWidth = 20

export const renderChecks = (checks: ReadonlyArray<Check>): string =>
  checks.flatMap(({ detail, fix, name, state }) => [
    `${state.padEnd(5)}${name.padEnd(nameWidth)}${detail}`,
    ...(fix === null ? [] : [`${" ".repeat(5)}${"".padEnd(nameWidth)}-> ${fix}`])
  ]).join("\n")

/** Returns true if no check failed, even if checks warn. */
export const isHealthy = (checks: ReadonlyArray<Check>): boolean =>
  checks.every(({ state }) => state !== "fail")
