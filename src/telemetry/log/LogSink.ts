/** Writes log lines to a file descriptor without blocking the process. */
import { constants, fstatSync, openSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { platform } from "node:process"

/** Most bytes that wait for a reader that has stopped reading: some thousand lines. Chosen. */
const waitingBytesMax = 1_000_000

export interface LogSink {
  /** Writes a line now or later, or drops it when too many wait. Never blocks. */
  readonly write: (line: string) => void
  /** Lines dropped since the start. */
  readonly dropped: () => number
}

const droppedLine = (lines: number): string =>
  `level=WARN message="Log lines were dropped: the reader had stopped reading" lines=${lines}\n`

/** A sink for a pipe or a socket: the event loop writes to it, and nothing else does. */
const makeStreamSink = (descriptor: number): LogSink => {
  const stream = new Socket({ fd: descriptor, readable: false, writable: true }).unref()
  let dropped = 0
  /** Dropped lines that no line has reported yet. */
  let unsaid = 0
  const isOpen = () => !stream.destroyed && stream.errored === null
  // The reader has gone, so that no line can be delivered any more.
  stream.on("error", () => stream.destroy())
  stream.on("drain", () => {
    if (unsaid > 0) stream.write(droppedLine(unsaid))
    unsaid = 0
  })
  return {
    write: (line) => {
      const bytes = Buffer.from(`${line}\n`)
      if (isOpen() && stream.writableLength + bytes.length <= waitingBytesMax) {
        stream.write(bytes)
        if (isOpen()) return
      }
      dropped++
      unsaid++
    },
    dropped: () => dropped
  }
}

/** A sink for a file, a terminal, or a pipe that could not be opened anew: it writes as Node does. */
const makeFileSink = (descriptor: number): LogSink => {
  let dropped = 0
  /** Dropped lines that no line has reported yet. */
  let unsaid = 0
  return {
    write: (line) => {
      const bytes = Buffer.from(`${unsaid > 0 ? droppedLine(unsaid) : ""}${line}\n`)
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
        unsaid = 0
      } catch {
        dropped++
        unsaid++
      }
    },
    dropped: () => dropped
  }
}

/**
 * The same pipe, opened again without blocking: the flag then affects no other user of the pipe. Null where
 * the descriptor is no pipe or the system cannot open it so.
 */
const openNonBlocking = (descriptor: number): number | null => {
  try {
    if (platform !== "linux" || !fstatSync(descriptor).isFIFO()) return null
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null // Without it lines are written as Node writes them.
  }
}

/**
 * A sink for a file descriptor, such as 2, standard error. Node writes to a pipe synchronously, so that a
 * collector that stops reading stops the whole process; this sink does not wait. Lines that do not fit wait,
 * up to a bound; past it they are dropped, and a later line says how many. The sink stays open: later output,
 * such as that of a failed start, goes there too.
 */
export const makeLogSink = (descriptor: number): LogSink => {
  const stream = fstatSync(descriptor).isSocket() ? descriptor : openNonBlocking(descriptor)
  return stream === null ? makeFileSink(descriptor) : makeStreamSink(stream)
}
