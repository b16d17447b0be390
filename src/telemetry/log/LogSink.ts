/** Writes log lines to a file descriptor, if possible without blocking the process. */
import { constants, fstatSync, openSync, writeSync } from "node:fs"
import { Socket } from "node:net"
import { platform } from "node:process"

/** Maximum number of bytes that wait for a slow reader. Chosen. */
const waitingBytesMax = 1_000_000

export interface LogSink {
  /** Writes a line now or later; drops the line if too many bytes wait or the line cannot be written. */
  readonly write: (line: string) => void
  readonly dropped: () => number
}

const droppedLine = (lines: number): string =>
  `level=WARN message="Log lines were dropped: the reader had stopped reading" lines=${lines}\n`

/** Makes a sink for a pipe or a socket. The sink writes through the event loop, and so never blocks. */
const makeStreamSink = (descriptor: number): LogSink => {
  const stream = new Socket({ fd: descriptor, readable: false, writable: true }).unref()
  let dropped = 0
  /** Number of dropped lines that no line has reported yet. */
  let unsaid = 0
  const isOpen = () => !stream.destroyed && stream.errored === null
  // If the reader has closed the pipe, no later line can be delivered.
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

/** Makes a sink for a file, a terminal, or a pipe that cannot be opened again. The sink may block. */
const makeFileSink = (descriptor: number): LogSink => {
  let dropped = 0
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
 * Opens a pipe again, because a flag on the given descriptor would affect all its users. Returns null if the
 * descriptor is no pipe, or cannot be opened again.
 */
const openNonBlocking = (descriptor: number): number | null => {
  try {
    if (platform !== "linux" || !fstatSync(descriptor).isFIFO()) return null
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null // Lines are then written as Node writes them.
  }
}

/**
 * Node writes to a pipe synchronously, so a collector that stops reading would stop the process. The sink for
 * a pipe that can be opened again keeps up to `waitingBytesMax` bytes of lines, and drops further lines.
 */
export const makeLogSink = (descriptor: number): LogSink => {
  const stream = fstatSync(descriptor).isSocket() ? descriptor : openNonBlocking(descriptor)
  return stream === null ? makeFileSink(descriptor) : makeStreamSink(stream)
}
