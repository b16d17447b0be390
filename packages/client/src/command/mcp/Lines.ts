/* Cuts a byte stream into lines at line feeds only, because a JSON text may contain other line separators. */

const lineFeed = 10

/** Yields each line without its line feed; null for a line of more than `bytesMax` bytes. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number
): AsyncGenerator<string | null> {
  let parts: Array<Uint8Array> = []
  let bytes = 0
  const take = (part: Uint8Array): void => {
    bytes += part.length
    if (bytes > bytesMax) parts = []
    else parts.push(part)
  }
  const ended = (): string | null => {
    const line = bytes > bytesMax ? null : Buffer.concat(parts).toString("utf8")
    parts = []
    bytes = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      take(chunk.subarray(from, to))
      from = to + 1
      yield ended()
    }
    take(chunk.subarray(from))
  }
  if (bytes > 0) yield ended()
}
