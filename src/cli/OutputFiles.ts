/* Output files, whose paths are tested before the work. No file is ever written only in part. */
import { Console, Effect, Option, type Scope } from "effect"
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { type Refusal, refusal } from "./Refusal.ts"

type WriteOutput = (text: string) => Effect.Effect<void, Refusal>

/** The text goes to a temporary file, which is then renamed, so that no reader finds half of the text. */
export const outputFile = (path: string): Effect.Effect<WriteOutput, Refusal, Scope.Scope> => {
  const failed = (cause: unknown) => refusal(`${path} cannot be written`, cause)
  const target = resolve(path)
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  return Effect.acquireRelease(
    Effect.try({
      try: () => {
        // The new file replaces the old file, so the path must not be a device such as /dev/null.
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

/** Tests the paths of a report's files, and returns a function that writes them. `-` prints the JSON. */
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
    /** The report as a table, which is printed unless `--json -` prints the report as JSON. */
    readonly table: string
  }) {
    const text = JSON.stringify(report.value, null, 2)
    for (const write of writeHtml) yield* write(report.page())
    for (const write of writeJson) yield* write(`${text}\n`)
    yield* Console.log(Option.contains(json, "-") ? text : report.table)
    for (const path of [...files.html, ...files.json]) yield* Console.error(`Wrote ${path}`)
  })
})
