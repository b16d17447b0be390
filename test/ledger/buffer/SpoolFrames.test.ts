import { assert, describe, it } from "@effect/vitest"
import { frameOf, makeFrameReader, payloadMax, spoolHeader, versionOf } from "../../../src/ledger/buffer/SpoolFrames.ts"

const payloads = Array.from({ length: 5 }, (_, i) => Buffer.from(`{"task":"SXF1 number ${i}","text":"${"x".repeat(i * 40)}"}`))
const whole = Buffer.concat(payloads.map(frameOf))

const readAll = (bytes: Buffer, chunk = bytes.length) => {
  const reader = makeFrameReader()
  const read: Array<string> = []
  for (let at = 0; at < bytes.length; at += chunk) {
    read.push(...reader.read(bytes.subarray(at, at + chunk), false).map((each) => each.toString()))
  }
  read.push(...reader.read(Buffer.alloc(0), true).map((each) => each.toString()))
  return { read, damaged: reader.damaged(), isTorn: reader.isTorn() }
}

const texts = payloads.map((each) => each.toString())

describe("the frames of a spool", () => {
  it("come back whole, in whatever pieces the file is read", () => {
    for (const chunk of [1, 7, 64, whole.length]) {
      assert.deepStrictEqual(readAll(whole, chunk), { read: texts, damaged: 0, isTorn: false })
    }
  })

  it("come back up to a torn end, wherever it was torn", () => {
    const last = whole.length - frameOf(payloads[4] ?? Buffer.alloc(0)).length
    for (let end = last + 1; end < whole.length; end++) {
      assert.deepStrictEqual(readAll(whole.subarray(0, end), 16), { read: texts.slice(0, 4), damaged: 0, isTorn: true })
    }
  })

  it("lose one frame and no more to one damaged byte, whichever it is, and say so", () => {
    for (let at = 0; at < whole.length; at++) {
      const damagedBytes = Buffer.from(whole)
      damagedBytes[at] = (damagedBytes[at] ?? 0) ^ 0x55
      const { damaged, isTorn, read } = readAll(damagedBytes, 32)
      assert.isAtLeast(read.length, 4)
      assert.isTrue(read.every((each) => texts.includes(each)))
      assert.strictEqual(damaged + Number(isTorn), 1, `byte ${at}`)
    }
  })

  it("are found after megabytes of rubbish, and after a length that promises more than there is", () => {
    const liar = Buffer.from(frameOf(Buffer.from("{}")))
    liar.writeUInt32BE(payloadMax, 4)
    assert.deepStrictEqual(readAll(Buffer.concat([liar, whole]), 100).read, texts)
    assert.deepStrictEqual(readAll(Buffer.concat([Buffer.alloc(3_000_000, "S"), whole]), 65_536).read, texts)
  })

  it("follow a header that names the version", () => {
    assert.strictEqual(versionOf(spoolHeader(7)), 7)
    assert.isNull(versionOf(spoolHeader().subarray(0, 5)))
    assert.isNull(versionOf(Buffer.from("something else entirely")))
  })
})
