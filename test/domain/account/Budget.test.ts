import { assert, describe, it } from "@effect/vitest"
import { parseBudget } from "../../../src/domain/account/Budget.ts"

describe("the text of a budget", () => {
  it("is an amount and a day or month", () => {
    assert.deepStrictEqual(parseBudget("50/day"), { usd: 50, period: "day" })
    assert.deepStrictEqual(parseBudget("0.5/month"), { usd: 0.5, period: "month" })
    assert.deepStrictEqual(parseBudget("0/day"), { usd: 0, period: "day" })
    assert.deepStrictEqual(parseBudget("1e-9/day"), { usd: 1e-9, period: "day" })
    assert.deepStrictEqual(parseBudget("0.0e-400/day"), { usd: 0, period: "day" })
    assert.deepStrictEqual(parseBudget("1000000000/month"), { usd: 1e9, period: "month" })
  })

  it("is no amount so small that shares of it have no number, nor one that is read as 0", () => {
    for (const text of ["9e-10/day", "1e-320/day", "1e-400/month"]) assert.isNull(parseBudget(text), text)
  })

  it("is nothing else", () => {
    for (const text of ["", "50", "/day", "-1/day", "1000000001/day", "1e999/day", "Infinity/day", "50/year", " 50/day", "50/day\n"]) {
      assert.isNull(parseBudget(text), JSON.stringify(text))
    }
  })
})
