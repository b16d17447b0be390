/* Reads packed columns of statements as arrays of numbers. */

/** Joined values of PostgreSQL's binary send functions, in big-endian order; null if there are no rows. */
export type Packed = Uint8Array | null

export const viewOf = (bytes: Packed): DataView =>
  bytes === null
    ? new DataView(new ArrayBuffer(0))
    : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads values that PostgreSQL's `float8send` wrote. */
export const doublesOf = (bytes: Packed): Float64Array => {
  // The bytes are copied, because a `Float64Array` needs aligned bytes and `swap64` changes its bytes.
  const copy = new Uint8Array(bytes ?? [])
  Buffer.from(copy.buffer).swap64()
  return new Float64Array(copy.buffer)
}

/** The moment from which PostgreSQL counts time, the year 2000, in ms since 1970. */
const epochMs = Date.UTC(2000)

/** Reads values of PostgreSQL's `timestamptz_send`, in ms since 1970, with microseconds as fractions. */
export const millisecondsOf = (bytes: Packed): Float64Array => {
  const view = viewOf(bytes)
  const times = new Float64Array(view.byteLength / 8)
  for (let i = 0; i < times.length; i++) {
    times[i] = (view.getInt32(i * 8) * 2 ** 32 + view.getUint32(i * 8 + 4)) / 1_000 + epochMs
  }
  return times
}
