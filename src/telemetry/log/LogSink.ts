/** Writes log lines to a file descriptor without blocking the process. */
import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { platform } from "node:process"

/** Most bytes that wait for a reader that has stopped reading: some thousand lines. Chosen. */
const waitingBytesMax = 1_000_000
/** Pause between two attempts to write to a full pipe, in milliseconds. */
const retryMs = 50

export interface LogSink {
  /** Writes a line now or later, or drops it when too many wait. Never blocks. */
  readonly write: (line: string) => void
  /** Lines dropped since the start. */
  readonly dropped: () => number
  readonly close: () => void
}

/**
 * A sink for a socket, as some supervisors provide: the event loop writes to it, and nothing else does.
 */
const makeSocketSink = (descriptor: number): LogSink => {
  const socket = new Socket({ fd: descriptor, readable: false, writable: true }).unref()
  let dropped = 0
  let unsaid = 0
  // The reader has gone, so that no line can be delivered any more.
  socket.on("error", () => socket.destroy())
  socket.on("drain", () => {
    if (unsaid > 0) socket.write(droppedLine(unsaid))
    unsaid = 0
  })
  return {
    write: (line) => {
      const bytes = Buffer.from(`${line}\n`)
      if (!socket.destroyed && socket.writableLength + bytes.length <= waitingBytesMax) {
        socket.write(bytes)
        return
      }
      dropped++
      unsaid++
    },
    dropped: () => dropped,
    // The socket stays open: later output, such as that of a failed start, goes there too.
    close: () => {}
  }
}

/**
 * The same pipe, opened again without blocking: the flag then affects no other user of the pipe. Null where
 * the descriptor is no pipe (files and terminals do not block) or the system cannot open it so.
 */
const openNonBlocking = (descriptor: number): number | null => {
  try {
    if (platform !== "linux" || !fstatSync(descriptor).isFIFO()) return null
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null // Without it lines are written as Node writes them.
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EAGAIN"

const droppedLine = (lines: number): Buffer =>
  Buffer.from(`level=WARN message="Log lines were dropped: the reader had stopped reading" lines=${lines}\n`)

/** Lines that wait to be written to a descriptor, up to {@link waitingBytesMax}; later ones are dropped. */
class WaitingLines {
  readonly #target: number
  readonly #waiting: Array<Buffer> = []
  #bytes = 0
  /** Dropped lines that no line has reported yet. */
  #unsaid = 0
  dropped = 0

  constructor(target: number) {
    this.#target = target
  }

  #enqueue(bytes: Buffer): void {
    this.#waiting.push(bytes)
    this.#bytes += bytes.length
  }

  /** False when the line is dropped. */
  add(bytes: Buffer): boolean {
    if (this.#bytes + bytes.length > waitingBytesMax) {
      this.dropped++
      this.#unsaid++
      return false
    }
    this.#enqueue(bytes)
    return true
  }

  /** Writes waiting bytes; the rest of a line that fitted in part stays first. False for a full pipe. */
  flush(): boolean {
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        const written = writeSync(this.#target, first)
        this.#bytes -= written
        if (written < first.length) this.#waiting[0] = first.subarray(written)
        else this.#waiting.shift()
        if (this.#waiting.length === 0 && this.#unsaid > 0) {
          this.#enqueue(droppedLine(this.#unsaid))
          this.#unsaid = 0
        }
      }
    } catch (error) {
      if (isFull(error)) return false
      // The reader has gone, so that no line can be delivered any more.
      this.dropped += this.#waiting.length
      this.#waiting.length = 0
      this.#bytes = 0
    }
    return true
  }
}

/** A sink for a pipe, a file or a terminal. */
const makeFileSink = (descriptor: number): LogSink => {
  const ownDescriptor = openNonBlocking(descriptor)
  const lines = new WaitingLines(ownDescriptor ?? descriptor)
  let timer: ReturnType<typeof setTimeout> | null = null
  let isClosed = false

  const flush = (): void => {
    timer = lines.flush() ? null : setTimeout(flush, retryMs).unref()
  }

  return {
    write: (line) => {
      if (isClosed) return
      if (lines.add(Buffer.from(`${line}\n`)) && timer === null) flush()
    },
    dropped: () => lines.dropped,
    close: () => {
      if (isClosed) return
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      flush()
      if (timer !== null) clearTimeout(timer)
      if (ownDescriptor !== null) closeSync(ownDescriptor)
    }
  }
}

/**
 * A sink for a file descriptor, such as 2, standard error. Node writes to a pipe synchronously, so that a
 * collector that stops reading stops the whole process; this sink does not wait. Lines that do not fit wait,
 * up to a bound; past it they are dropped, and a later line says how many.
 */
export const makeLogSink = (descriptor: number): LogSink =>
  fstatSync(descriptor).isSocket() ? makeSocketSink(descriptor) : makeFileSink(descriptor)
