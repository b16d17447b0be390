import { assert, describe, it } from "@effect/vitest"
import { frameModel } from "../../../src/engine/classifier/FrameModel.ts"
import { instruction, requestBuckets, requestModel, requestScore } from "../../../src/engine/classifier/Instruction.ts"
import { withoutMaterial } from "../../../src/engine/classifier/Material.ts"
import { squeeze } from "../../../src/engine/classifier/Normalise.ts"
import { decode, encode } from "../../../src/engine/classifier/SentenceModel.ts"

describe("requestScore", () => {
  it("is nil when nothing was learned, and finite for any sentence", () => {
    const blank = { scale: 1, rows: new Int8Array(requestBuckets) }
    for (const unit of ["", "\0", "Translate it.", "x".repeat(100_000), "\ud800"]) {
      assert.strictEqual(requestScore(unit, [1, 2], blank), 0)
      assert.isTrue(Number.isFinite(requestScore(unit, [1, 2], requestModel)))
    }
  })

  it("says that a plain request asks more than a sentence of a report does", () => {
    const report = "The ferry was repaired in autumn and the harbour paid for it."
    const asking = requestScore("Summarize the report below in two sentences.", [], requestModel)
    assert.isAbove(asking, requestScore(report, [], requestModel))
  })
})

it("the request of a text is never empty unless the text is", () => {
  for (const text of ["ok", "Translate this.\nThe lift is out of order.", "a\n".repeat(300)]) {
    assert.notStrictEqual(instruction(withoutMaterial(text), requestModel), "")
  }
  assert.strictEqual(instruction("", requestModel), "")
})

it("a request in a JSON envelope is read without it, and unreadable JSON stays as it is", () => {
  const task = "Which river flows through Vienna?"
  const envelope = JSON.stringify({ tenant: "x1", payload: { role: "guest", text: task } })
  assert.strictEqual(squeeze(envelope), task)
  assert.include(squeeze(`${envelope.slice(0, -2)} and more`), task)
})

it("a model's file holds what was encoded, and a file of another size is refused", () => {
  for (const model of [frameModel, requestModel]) {
    assert.deepStrictEqual(decode(encode(model), model.rows.length, "a.bin"), model)
    assert.throws(() => decode(new Uint8Array(7), model.rows.length, "a.bin"), RangeError, "a.bin has 7 bytes")
  }
})
