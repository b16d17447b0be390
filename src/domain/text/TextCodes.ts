/** The characters of a text as numbers, which are read once for many loops. */

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** The UTF-16 codes of the text that was read last, copied because `charCodeAt` is slower. */
export class TextCodes {
  length = 0
  codes: Uint16Array
  #bytes: Buffer
  constructor(lengthMax: number) {
    this.codes = new Uint16Array(lengthMax)
    this.#bytes = Buffer.from(this.codes.buffer)
  }

  /** Reads a text, and adds a 0 after its end. */
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
