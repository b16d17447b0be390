/*
 * Files that a command writes: their places are tried before the work, and they appear whole or not at all.
 */
import { Effect, Schema, type Scope } from "effect"
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/** A file cannot be written where it was wanted. */
export class OutputUnwritable extends Schema.TaggedError<OutputUnwritable>()("OutputUnwritable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.path} cannot be written`
  }
}

/** Writes the whole file, once. */
type WriteOutput = (text: string) => Effect.Effect<void, OutputUnwritable>

/**
 * A place for a file. A file beside it takes the text and then its name, so that a reader never meets half of
 * it, and an earlier one stays until then; it is removed when the scope ends without a text.
 */
export const outputFile = (path: string): Effect.Effect<WriteOutput, OutputUnwritable, Scope.Scope> => {
  const failed = (cause: unknown) => new OutputUnwritable({ path, cause })
  const target = resolve(path)
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        if (statSync(target, { throwIfNoEntry: false })?.isDirectory() === true) {
          throw new Error("it is a folder")
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
