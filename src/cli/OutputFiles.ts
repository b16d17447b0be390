/*
 * Files that a command writes: their places are tried before the work, and they appear whole or not at all.
 */
import { Console, Effect, Option, type Scope } from "effect"
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

/** The places of a report, `-` for JSON on standard output; yields what writes it, once. */
export const reportFiles = Effect.fnUntraced(function*({ html, json }: {
  readonly html: Option.Option<string>
  readonly json: Option.Option<string>
}) {
  const files = {
    html: Option.toArray(html),
    json: Option.toArray(json).filter((path) => path !== "-")
  }
  const writeHtml = yield* Effect.forEach(files.html, outputFile)
  const writeJson = yield* Effect.forEach(files.json, outputFile)
  return Effect.fnUntraced(function*(report: {
    readonly page: () => string
    readonly value: unknown
    /** Printed unless the JSON is. */
    readonly table: string
  }) {
    const text = JSON.stringify(report.value, null, 2)
    for (const write of writeHtml) yield* write(report.page())
    for (const write of writeJson) yield* write(`${text}\n`)
    yield* Console.log(Option.contains(json, "-") ? text : report.table)
    for (const path of [...files.html, ...files.json]) yield* Console.error(`Wrote ${path}`)
  })
})
