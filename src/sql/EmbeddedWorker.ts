import { PGlite } from "@electric-sql/pglite"
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import type { WorkerAnswer, WorkerRequest } from "./EmbeddedStream.ts"

/**
 * The embedded database's thread: a long query blocks it, and never the service's timers.
 *
 * PGlite ships with fsync off. Both halves below are needed to turn it on: the server's own switches, and a
 * file system whose fsync reaches the disk. They rest on PGlite's internals, which is why its version is
 * pinned and a test counts fsyncs per commit.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((flag) => flag !== "-F"), "-c", "wal_sync_method=fsync"
]

let fsyncs = 0

const syncPath = (path: string) => {
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A new cluster is made under another name and moved in place when it is whole and on disk. */
const initialise = async (directory: string) => {
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const database = await PGlite.create(unfinished, { startParams })
  await database.close()
  for (const entry of readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) syncPath(join(entry.parentPath, entry.name))
  }
  syncPath(unfinished)
  renameSync(unfinished, directory)
  syncPath(dirname(directory))
}

/** The part of Emscripten's file system that we reach into. */
interface FileSystem {
  lookupPath(path: string): {
    node: { stream_ops: { fsync?: (stream: { readonly nfd: number }) => number } }
  }
}

const open = async (directory: string | null) => {
  if (directory === null) return PGlite.create({ startParams })
  if (!existsSync(directory)) await initialise(directory)
  const database = await PGlite.create(directory, { startParams })
  // Seam: PGlite types its module as Emscripten's, whose types leave out a mounted file system's nodes.
  const { FS } = database.Module as unknown as { readonly FS: FileSystem }
  FS.lookupPath("/pglite/data").node.stream_ops.fsync = (stream) => {
    fsyncs++
    fsyncSync(stream.nfd)
    return 0
  }
  // Recovery has run before the callback was in place.
  await database.exec("checkpoint")
  return database
}

const answer = async (database: PGlite, request: WorkerRequest): Promise<Uint8Array<ArrayBuffer>> => {
  switch (request.kind) {
    case "reset":
      // A new session begins: what an abandoned one left open must not reach it.
      await database.exec("rollback")
      await database.exec("discard all")
      return new Uint8Array()
    case "execute":
      return new Uint8Array(await database.execProtocolRaw(request.bytes))
    case "countFsyncs":
      return new TextEncoder().encode(String(fsyncs))
    case "close":
      await database.close()
      return new Uint8Array()
  }
}

const main = async () => {
  if (parentPort === null) throw new Error("This file is the embedded database's worker thread")
  const port = parentPort
  const send = (message: WorkerAnswer) =>
    port.postMessage(message, message.kind === "done" ? [message.bytes.buffer] : [])
  const database = await open((workerData as { readonly directory: string | null }).directory)
  let previous: Promise<void> = Promise.resolve()
  port.on("message", (request: WorkerRequest) => {
    previous = previous.then(() => answer(database, request)).then(
      (bytes) => send({ kind: "done", id: request.id, bytes }),
      (error: unknown) => send({ kind: "failed", id: request.id, message: String(error) })
    )
  })
  send({ kind: "ready" })
}

await main()
