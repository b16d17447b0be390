// Writes tar archives of plain files, as npm takes them.

/** Everything in a tar archive is padded to blocks of this size, bytes. */
const blockBytes = 512

const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, "0") + "\0"

/** The header of a file; its name is ASCII and below 100 characters. */
const headerOf = (name: string, sizeBytes: number, modifiedMs: number): Buffer => {
  if (name.length >= 100) throw new Error(`${name} does not fit a tar header`)
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, "ascii")
  header.write(octal(0o600, 8), 100, "ascii")
  header.write(octal(0, 8), 108, "ascii")
  header.write(octal(0, 8), 116, "ascii")
  header.write(octal(sizeBytes, 12), 124, "ascii")
  header.write(octal(Math.floor(modifiedMs / 1000), 12), 136, "ascii")
  // The sum of all bytes is taken with spaces in its own place.
  header.write(" ".repeat(8), 148, "ascii")
  header.write("0", 156, "ascii")
  header.write("ustar\x0000", 257, "ascii")
  header.write(`${octal(header.reduce((sum, byte) => sum + byte, 0), 7)} `, 148, "ascii")
  return header
}

/** A whole entry: header, content and padding. */
export const fileEntry = (name: string, content: Buffer, modifiedMs: number): Buffer => {
  const padding = Buffer.alloc((blockBytes - content.length % blockBytes) % blockBytes)
  return Buffer.concat([headerOf(name, content.length, modifiedMs), content, padding])
}

/** The end of an archive. */
export const endOfArchive = Buffer.alloc(2 * blockBytes)
