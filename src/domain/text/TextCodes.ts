/** The characters of a text as numbers: one reading of it for many loops. */

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/**
 * The UTF-16 codes of the text that was read last, the first `length` of `codes`, which grows. Copying a text
 * at once takes a tenth of the time of asking it for each of its characters.
 */
export class TextCodes {
  length = 0
  codes: Uint16Array
  #bytes: Buffer
  constructor(lengthMax: number) {
    this.codes = new Uint16Array(lengthMax)
    this.#bytes = Buffer.from(this.codes.buffer)
  }

  /** Reads a text, and past its end a 0. */
  read(text: string): void {
    if (text.length >= this.codes.length) {
      this.codes = new Uint16Array(2 * text.length)
      this.#bytes = Buffer.from(this.codes.buffer)
    }
    this.length = text.length
    this.#bytes.write(text, "utf16le")
    if (!isLittleEndian) this.#bytes.subarray(0, 2 * text.length).swap16()
    this.codes[text.length] = 0
  }
}
