/* The file of an export. The file is written and read back, and gets its name afterwards. */
import { Effect, Schema, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { type FileHandle, link, open, rename, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import type { AccountId } from "../domain/Scope.ts"
import { messageOf } from "../domain/text/ErrorMessage.ts"
import { syncPathAsync } from "../sql/SyncToDisk.ts"
import { type RowForms, storeWith } from "./AccountTables.ts"
import { exportAccounts, type OnRows, type WriteLine } from "./ExportAccount.ts"
import { checkFile } from "./ReadAccountFile.ts"

export class FileUnwritable extends Schema.TaggedError<FileUnwritable>()("FileUnwritable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.path} cannot be written: ${messageOf(this.cause)}`
  }
}

/** Number of characters that are collected before they are written. */
const bufferLength = 1_000_000

const exists = () => new Error("it exists, and is not overwritten")

/** A link is used, because renaming could replace an existing file. */
const giveName = async (unfinished: string, path: string) => {
  try {
    await link(unfinished, path)
    await unlink(unfinished)
  } catch {
    if (existsSync(path)) throw exists()
    // Renaming is the way for file systems that have no hard links.
    await rename(unfinished, path)
  }
  await syncPathAsync(dirname(path))
}

interface NewFile {
  readonly unfinished: string
  readonly write: WriteLine<FileUnwritable>
  readonly sync: Effect.Effect<void, FileUnwritable>
  readonly giveName: Effect.Effect<void, FileUnwritable>
}

/** Makes a private file, which the end of the scope removes unless the file has got its final name. */
const newFile = Effect.fnUntraced(function*(
  path: string
): Effect.fn.Return<NewFile, FileUnwritable, Scope.Scope> {
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => new FileUnwritable({ path, cause }) })
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`
  if (existsSync(path)) return yield* new FileUnwritable({ path, cause: exists() })
  const file: FileHandle = yield* Effect.acquireRelease(
    attempt(() => open(unfinished, "wx", 0o600)),
    (handle) => Effect.promise(async () => {
      await handle.close().catch(() => undefined)
      await unlink(unfinished).catch(() => undefined)
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
    unfinished,
    write: (line) => {
      waiting.push(line, "\n")
      length += line.length
      return length < bufferLength ? Effect.void : flush
    },
    sync: Effect.andThen(flush, attempt(() => file.sync())),
    giveName: attempt(() => giveName(unfinished, path))
  }
})

class ReadBackDiffers extends Error {
  override readonly message = "the disk gives back other bytes than were written"
}

/** The file gets its final name after it was written and read back with the right counts and checksums. */
export const exportToFile = Effect.fnUntraced(function*(
  path: string,
  accountId: AccountId | null,
  onWriting: OnRows,
  onVerifying: OnRows,
  forms: RowForms
) {
  const { giveName, sync, unfinished, write } = yield* newFile(path)
  const written = yield* exportAccounts(accountId, write, onWriting, forms)
  yield* sync
  const { sections } = yield* checkFile(unfinished, yield* storeWith(forms), onVerifying)
  if (JSON.stringify(sections) !== JSON.stringify(written)) {
    return yield* new FileUnwritable({ path, cause: new ReadBackDiffers() })
  }
  yield* giveName
  return written
}, Effect.scoped)
