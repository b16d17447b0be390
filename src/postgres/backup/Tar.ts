// Reads and writes tar archives with plain files and folders only, as base backups are.

/** Everything in a tar archive is padded to blocks of this size, bytes. */
const blockBytes = 512

/** The archive is damaged or not acceptable; `entry` names the wrong entry, or is null. */
export class TarDamaged extends Error {
  readonly entry: string | null
  constructor(entry: string | null, reason: string) {
    super(entry === null ? reason : `${entry}: ${reason}`)
    this.entry = entry
  }
}

export interface TarEntry {
  /** Relative, with forward slashes, without a slash at its end and without `.` or `..` in it. */
  readonly name: string
  readonly isDirectory: boolean
  readonly sizeBytes: number
}

type TarEvent =
  /** An entry begins; `header` is its block as read. */
  | { readonly kind: "entry"; readonly entry: TarEntry; readonly header: Buffer }
  | { readonly kind: "data"; readonly bytes: Buffer }
  /** The entry's last byte has been read. */
  | { readonly kind: "close" }

const nameMax = 100

const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, "0") + "\0"

/** Sum of the header's bytes, with the bytes of the sum itself read as spaces. */
const sumOf = (header: Buffer): number => {
  let sum = 8 * 0x20
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

/**
 * The header of a file that Sextant adds; its name is ASCII and below 100 characters, its size below 8 GiB.
 */
const fileHeader = (name: string, sizeBytes: number, modifiedMs: number): Buffer => {
  if (name.length >= nameMax || sizeBytes >= 8 ** 11) throw new TarDamaged(name, "does not fit a tar header")
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, "ascii")
  header.write(octal(0o600, 8), 100, "ascii")
  header.write(octal(0, 8), 108, "ascii")
  header.write(octal(0, 8), 116, "ascii")
  header.write(octal(sizeBytes, 12), 124, "ascii")
  header.write(octal(Math.floor(modifiedMs / 1000), 12), 136, "ascii")
  header.write("0", 156, "ascii")
  header.write("ustar\x0000", 257, "ascii")
  header.write(`${octal(sumOf(header), 7)} `, 148, "ascii")
  return header
}

/** Bytes of padding between content of this size and the next header. */
export const paddingOf = (sizeBytes: number): number => (blockBytes - sizeBytes % blockBytes) % blockBytes

/** A whole entry: header, content and padding. */
export const fileEntry = (name: string, content: Buffer, modifiedMs: number): Buffer =>
  Buffer.concat([
    fileHeader(name, content.length, modifiedMs), content, Buffer.alloc(paddingOf(content.length))
  ])

/** The end of an archive. */
export const endOfArchive = Buffer.alloc(2 * blockBytes)

const textAt = (header: Buffer, from: number, length: number): string => {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.toString("utf8", 0, end < 0 ? length : end)
}

/** A number of a header: octal, or binary when the first bit is set, as sizes from 8 GiB on are written. */
const numberAt = (header: Buffer, from: number, length: number): number => {
  const field = header.subarray(from, from + length)
  if (((field[0] ?? 0) & 0x80) !== 0) {
    let value = (field[0] ?? 0) & 0x7f
    for (const byte of field.subarray(1)) value = value * 256 + byte
    return value
  }
  const digits = textAt(header, from, length).trim()
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : NaN
}

/** The name if it stays inside the folder where it is unpacked; null otherwise. */
const safeName = (name: string): string | null => {
  const parts = name.replace(/^(\.\/)+/, "").replace(/\/+$/, "").split("/")
  const isSafe = parts.every((part) => part !== "" && part !== "." && part !== "..")
    && !/[\\\0-\x1f\x7f\ufffd]/.test(name)
  return isSafe ? parts.join("/") : null
}

const entryOf = (header: Buffer): TarEntry => {
  if (sumOf(header) !== numberAt(header, 148, 8)) {
    throw new TarDamaged(null, "the header of an entry is damaged")
  }
  const prefix = textAt(header, 257, 5) === "ustar" ? textAt(header, 345, 155) : ""
  const given = (prefix === "" ? "" : `${prefix}/`) + textAt(header, 0, nameMax)
  const name = safeName(given)
  if (name === null) throw new TarDamaged(JSON.stringify(given), "is not a name inside the backup")
  const kind = String.fromCharCode(header[156] ?? 0)
  const sizeBytes = numberAt(header, 124, 12)
  if (kind === "5") return { name, isDirectory: true, sizeBytes: 0 }
  if (kind !== "0" && kind !== "\0") {
    throw new TarDamaged(name, "is a link or something else that is no plain file")
  }
  if (!Number.isSafeInteger(sizeBytes)) throw new TarDamaged(name, "has no readable size")
  return { name, isDirectory: false, sizeBytes }
}

/** Parses an archive from pieces of any size. */
export class TarReader {
  #held: Buffer = Buffer.alloc(0)
  #left = 0
  #padding = 0
  #isInEntry = false
  #hasEnded = false

  /** Throws unless the archive was complete. */
  finish(): void {
    if (!this.#hasEnded) throw new TarDamaged(null, "it ends before its last entry does")
  }

  /** The events of this piece; throws {@link TarDamaged}. */
  *push(chunk: Buffer): Generator<TarEvent, void> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = Buffer.alloc(0)
    while (rest.length > 0) {
      if (this.#hasEnded) {
        if (rest.some((byte) => byte !== 0)) throw new TarDamaged(null, "something follows the archive's end")
        return
      }
      if (this.#isInEntry) {
        const bytes = rest.subarray(0, this.#left)
        rest = rest.subarray(bytes.length)
        this.#left -= bytes.length
        if (bytes.length > 0) yield { kind: "data", bytes }
        if (this.#left > 0) return
        this.#isInEntry = false
        yield { kind: "close" }
      } else if (this.#padding > 0) {
        const skipped = Math.min(this.#padding, rest.length)
        this.#padding -= skipped
        rest = rest.subarray(skipped)
      } else if (rest.length < blockBytes) {
        this.#held = Buffer.from(rest)
        return
      } else {
        yield* this.#begin(rest.subarray(0, blockBytes))
        rest = rest.subarray(blockBytes)
      }
    }
  }

  *#begin(header: Buffer): Generator<TarEvent, void> {
    if (header.every((byte) => byte === 0)) {
      this.#hasEnded = true
      return
    }
    const entry = entryOf(header)
    this.#left = entry.sizeBytes
    this.#padding = paddingOf(entry.sizeBytes)
    this.#isInEntry = entry.sizeBytes > 0
    yield { kind: "entry", entry, header }
    if (entry.sizeBytes === 0) yield { kind: "close" }
  }
}
