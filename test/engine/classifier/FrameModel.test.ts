import { assert, describe, it } from "@effect/vitest"
import { frameModel, unitsOf, withoutFrame } from "../../../src/engine/classifier/FrameModel.ts"

const request = "Translate the notice into Polish.\nThe lift is out of order."

describe("withoutFrame", () => {
  it("drops a letterhead and a courtesy around a request", () => {
    const framed = `On Mon, 3 Jun 2024, Paula Ortiz wrote:\n\nMorning everyone,\n\n${request}\n\nCheers\nPaula`
    assert.strictEqual(withoutFrame(framed, frameModel), request)
  })

  it("keeps a request that stands alone, and one that is a single sentence", () => {
    for (const text of [request, "thanks", "hello", "What is the capital of Mongolia?", ""]) {
      assert.strictEqual(withoutFrame(text, frameModel), text)
    }
  })

  it("drops nothing when it has learned nothing", () => {
    const blank = { scale: 1, rows: new Int8Array(frameModel.rows.length) }
    assert.strictEqual(withoutFrame(`Dear all,\n${request}`, blank), `Dear all,\n${request}`)
  })

  it("returns a piece of its input", () => {
    const texts = [`Hi,\n\n\n${request}\nBye.\n`, "a: b\n".repeat(400), "x. ".repeat(3_000), "\n\n", `${request} `.repeat(50)]
    for (const text of texts) assert.isTrue(text.includes(withoutFrame(text, frameModel)))
  })
})

it("sentences joined are the text again", () => {
  for (const text of ["", "a\n\nb: c. d? e", "Note: x\n", request]) assert.strictEqual(unitsOf(text).join(""), text)
})
