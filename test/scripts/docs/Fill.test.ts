import { assert, describe, it } from "@effect/vitest"
import { filledBlock, filledWords, type Reader } from "../../../scripts/docs/Fill.ts"

const nobody: Reader = { url: "https://s.example/at", key: null, command: "npm run -s sextant --" }
const reader: Reader = { ...nobody, key: "sxt_acme_k1_$&" }

describe("code of the documentation", () => {
  it("has the service's address, and the reader's key once it is entered", () => {
    const written = "curl \"$SEXTANT_URL/v1/models\" -H \"authorization: Bearer ${SEXTANT_KEY}\""
    assert.strictEqual(
      filledBlock(written, "sh", nobody), "curl \"https://s.example/at/v1/models\" -H \"authorization: Bearer ${SEXTANT_KEY}\""
    )
    assert.strictEqual(
      filledBlock(written, "console", reader), "curl \"https://s.example/at/v1/models\" -H \"authorization: Bearer sxt_acme_k1_$&\""
    )
    const exported = "export SEXTANT_URL=http://localhost:8080\nexport SEXTANT_KEY=sxt_local_…"
    assert.strictEqual(filledBlock("curl -s localhost:8080/v1/models", "sh", nobody), "curl -s https://s.example/at/v1/models")
    assert.strictEqual(
      filledBlock(exported, "sh", reader), "export SEXTANT_URL=https://s.example/at\nexport SEXTANT_KEY=sxt_acme_k1_$&"
    )
  })

  it("names the account of the reader's key in place of the example's", () => {
    const written = "sextant advise --instance acme --days 30\nsextant keys create --instance acme-eu"
    const own = (key: string | null): string => filledBlock(written, "sh", { ...nobody, key, command: "sextant" })
    assert.strictEqual(own("sxt_local_k1_s"), written.replace("--instance acme ", "--instance local "))
    assert.strictEqual(own(null), written)
    assert.strictEqual(own("sxt_"), written)
  })

  it("leaves variables of a program to its environment", () => {
    const written = "fetch(`${process.env.SEXTANT_URL}/x`) // $SEXTANT_KEY, http://localhost:8080"
    assert.strictEqual(filledBlock(written, "ts", reader), written.replace("http://localhost:8080", reader.url))
  })

  it("runs the command of this service where a line begins with it, and nowhere else", () => {
    const written = "sextant doctor\ncat a | sextant import -\ndocker compose exec sextant sextant doctor\nnpx sextant-client init"
    assert.strictEqual(
      filledBlock(written, "sh", nobody),
      "npm run -s sextant -- doctor\ncat a | npm run -s sextant -- import -\ndocker compose exec sextant sextant doctor\nnpx sextant-client init"
    )
    assert.strictEqual(filledWords("sextant doctor", nobody), "npm run -s sextant -- doctor")
    assert.strictEqual(filledWords("sextant", nobody), "sextant")
  })
})
