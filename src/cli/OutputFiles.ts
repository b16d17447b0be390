/*
 * Files that a command writes: their places are tried before the work, and they appear whole or not at all.
 */
import { Effect, type Scope } from "effect"
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type Refusal, refusal } from "./Refusal.ts"

/** Writes the whole file, once. */
type WriteOutput = (text: string) => Effect.Effect<void, Refusal>

/**
 * A place for a file. A file beside it takes the text and then its name, so that a reader never meets half of
 * it, and an earlier one stays until then; it is removed when the scope ends without a text.
 */
export const outputFile = (path: string): Effect.Effect<WriteOutput, Refusal, Scope.Scope> => {
  const failed = (cause: unknown) => refusal(`${path} cannot be written`, cause)
  const target = resolve(path)
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        // A file takes the place of what is there, which must be none of the system's own, such as /dev/null.
        if (statSync(target, { throwIfNoEntry: false })?.isFile() === false) {
          throw new Error("it is no plain file")
        }
        closeSync(openSync(beside, "w", 0o600))
      },
      catch: failed
    }),
    () => Effect.sync(() => rmSync(beside, { force: true }))
  ).pipe(Effect.as((text) =>
    Effect.try({
      try: () => {
        writeFileSync(beside, text)
        renameSync(beside, target)
      },
      catch: failed
    })
  ))
}
