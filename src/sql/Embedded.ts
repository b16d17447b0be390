import { Effect, Schema, type Scope } from "effect"
import type { Duplex } from "node:stream"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import {
  type DataDirectoryLocked, type DataDirectoryUnusable, lockDataDirectory
} from "./DataDirectoryLock.ts"
import { type Ask, openSession, type WorkerAnswer, type WorkerRequest } from "./EmbeddedStream.ts"

/** The embedded engine did not start. */
export class EmbeddedUnavailable extends Schema.TaggedError<EmbeddedUnavailable>()("EmbeddedUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * PostgreSQL compiled to WebAssembly, in a thread of this process. It has one session: open one stream at a
 * time.
 */
export interface Embedded {
  readonly stream: () => Duplex
  /** How often the engine has forced a file to disk since it started; for the durability test. */
  readonly fsyncCount: Effect.Effect<number, EmbeddedUnavailable>
  /** Ends the thread at once, as a crash would; for the fault test. */
  readonly terminate: Effect.Effect<void>
}

interface Pending {
  readonly resolve: (bytes: Uint8Array<ArrayBuffer>) => void
  readonly reject: (error: Error) => void
}

/** A promise that others settle; `Promise.withResolvers` is newer than the oldest Node we run on. */
const deferred = <A>() => {
  let resolve: (value: A) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<A>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

const closeTimeout = "10 seconds"

const workerFile = new URL(
  `./EmbeddedWorker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url
)

/**
 * Starts the thread; `ready` settles when the database is open, and every request fails once the thread is
 * dead.
 */
const startWorker = (directory: string | null) => {
  const worker = new Worker(workerFile, {
    workerData: { directory },
    execArgv: [],
    name: "embedded-postgres"
  })
  const pending = new Map<number, Pending>()
  const sessions = new Set<Duplex>()
  let sequence = 0
  let death: Error | null = null
  const ready = deferred<void>()

  const die = (error: Error) => {
    death ??= error
    ready.reject(death)
    for (const { reject } of pending.values()) reject(death)
    pending.clear()
    for (const session of sessions) session.destroy(death)
  }
  worker.on("error", (error) => die(error instanceof Error ? error : new Error(String(error))))
  worker.on("exit", (code) => die(new Error(`The embedded database's thread ended with code ${code}`)))
  worker.on("message", (answer: WorkerAnswer) => {
    if (answer.kind === "ready") return ready.resolve()
    const request = pending.get(answer.id)
    pending.delete(answer.id)
    if (answer.kind === "done") request?.resolve(answer.bytes)
    else request?.reject(new Error(answer.message))
  })

  const ask: Ask = (unnumbered) => {
    if (death !== null) return Promise.reject(death)
    const request: WorkerRequest = { ...unnumbered, id: sequence++ }
    const reply = deferred<Uint8Array<ArrayBuffer>>()
    pending.set(request.id, reply)
    worker.postMessage(request, request.kind === "execute" ? [request.bytes.buffer] : [])
    return reply.promise
  }
  const stream = () => {
    const session = openSession(ask)
    sessions.add(session)
    // A thread that dies ends every stream with an error; one that its driver has let go must not end the
    // process.
    session.on("error", () => sessions.delete(session))
    session.once("close", () => sessions.delete(session))
    return session
  }
  return { ask, stream, ready: ready.promise, terminate: () => worker.terminate() }
}

const attempt = <A>(evaluate: () => Promise<A>) =>
  Effect.tryPromise({ try: evaluate, catch: (cause) => new EmbeddedUnavailable({ cause }) })

const openThread = (directory: string | null): Effect.Effect<Embedded, EmbeddedUnavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => startWorker(directory)),
      ({ ask, terminate }) =>
        attempt(() => ask({ kind: "close" })).pipe(
          Effect.timeout(closeTimeout),
          // A thread that is already dead, or stuck, has nothing left to close: commits are on disk by
          // themselves.
          Effect.ignore,
          Effect.andThen(Effect.promise(terminate))
        )
    )
    yield* attempt(() => thread.ready)
    return {
      stream: thread.stream,
      fsyncCount: attempt(() => thread.ask({ kind: "countFsyncs" })).pipe(
        Effect.map((bytes) => Number(new TextDecoder().decode(bytes)))
      ),
      terminate: Effect.promise(thread.terminate)
    }
  })

/**
 * Opens the database kept in `<dataDirectory>/postgres`, created on first use; this process then owns the
 * directory.
 */
export const openEmbedded = (
  dataDirectory: string
): Effect.Effect<Embedded, EmbeddedUnavailable | DataDirectoryLocked | DataDirectoryUnusable, Scope.Scope> =>
  Effect.andThen(lockDataDirectory(dataDirectory), openThread(join(dataDirectory, "postgres")))

/** A database that lives in memory and ends with the scope. */
export const openInMemory: Effect.Effect<Embedded, EmbeddedUnavailable, Scope.Scope> = openThread(null)
