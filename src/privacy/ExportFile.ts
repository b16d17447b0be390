/* The file that an export is written to. */
import { Effect, Schema, type Scope } from "effect"
import { type FileHandle, open, rename, unlink } from "node:fs/promises"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import type { WriteLine } from "./ExportAccount.ts"

/** The file cannot be written. */
export class FileUnwritable extends Schema.TaggedError<FileUnwritable>()("FileUnwritable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.path} cannot be written: ${messageOf(this.cause)}`
  }
}

/** Characters that are collected before they are written. */
const bufferLength = 1_000_000

/**
 * A new file that only its owner can read, under another name until `done`, so that a failed export leaves no
 * file that looks like one. Fails when the file exists.
 */
export const exportFile = Effect.fnUntraced(function*(path: string): Effect.fn.Return<
  { readonly write: WriteLine<FileUnwritable>; readonly done: Effect.Effect<void, FileUnwritable> },
  FileUnwritable,
  Scope.Scope
> {
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => new FileUnwritable({ path, cause }) })
  const partial = `${path}.partial`
  // Reserves the name, so that another file is not replaced.
  yield* attempt(async () => (await open(path, "wx", 0o600)).close())
  let isDone = false
  const file: FileHandle = yield* Effect.acquireRelease(
    attempt(() => open(partial, "wx", 0o600)),
    (handle) => Effect.promise(async () => {
      await handle.close().catch(() => undefined)
      if (isDone) return
      await unlink(partial).catch(() => undefined)
      await unlink(path).catch(() => undefined)
    })
  )
  let waiting: Array<string> = []
  let length = 0
  const flush = attempt(async () => {
    const text = waiting.join("")
    waiting = []
    length = 0
    if (text !== "") await file.appendFile(text)
  })
  return {
    write: (line) => {
      waiting.push(line, "\n")
      length += line.length
      return length < bufferLength ? Effect.void : flush
    },
    done: Effect.andThen(flush, attempt(async () => {
      await file.sync()
      await rename(partial, path)
      isDone = true
    }))
  }
})
