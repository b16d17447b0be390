import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Month, monthRange } from "../../../src/domain/reports/Statement.ts"
import { checkedParts, firstDayApart } from "../../../src/reports/savings/Statement.ts"

const stated = {
  kind: "sextant-statement", made_at: "2026-12-01T00:00:00.000Z", is_running: false, service_version: "1",
  decisions: { n: 3 },
  savings: { summary: { followed: { n: 2, savings_usd: 0.1 + 0.2 } }, comparison: null },
  rows: { n: 3, days: [{ day: "2026-11-02", n: 3, sha256: "a" }] }
}

const firstIn = (found: object) => checkedParts(stated, found).find(({ first }) => first !== null)?.first ?? null

const rowsOf = (...days: ReadonlyArray<readonly [day: string, sha256: string]>) =>
  ({ since: "", until: "", n: days.length, sha256: "", days: days.map(([day, sha256]) => ({ day, n: 1, sha256 })) })

describe("A statement", () => {
  it("agrees with itself, and with sums that were added in another order", () => {
    assert.isNull(firstIn(stated))
    assert.isNull(firstIn({ ...stated, savings: { ...stated.savings, summary: { followed: { n: 2, savings_usd: 0.3 } } } }))
  })

  it("is the same whenever and by whichever version its rows are read", () => {
    assert.isNull(firstIn({ ...stated, made_at: "2027-01-01T00:00:00.000Z", is_running: true, service_version: "2" }))
  })

  it("differs by a cent, by a missing value and by a value too many, and each is named", () => {
    const followed = (value: object) => ({ ...stated, savings: { ...stated.savings, summary: { followed: value } } })
    assert.deepStrictEqual(firstIn(followed({ n: 2, savings_usd: 0.31 })), {
      path: "savings.summary.followed.savings_usd", stated: 0.1 + 0.2, found: 0.31
    })
    assert.strictEqual(firstIn(followed({ n: 2 }))?.path, "savings.summary.followed.savings_usd")
    assert.strictEqual(firstIn(followed({ n: 2, savings_usd: 0.3, more: 1 }))?.path, "savings.summary.followed.more")
    assert.strictEqual(firstIn({ ...stated, decisions: { n: "3" } })?.path, "decisions.n")
  })

  it("hides no value behind another of the same path, nor one in what holds no value", () => {
    const hidden = { ...stated, decisions: { n: 9 }, "decisions.n": 3 }
    const first = (given: object) => checkedParts(given, stated).find((part) => part.first !== null)?.first ?? null
    assert.deepStrictEqual(first(hidden), { path: "decisions.n", stated: 9, found: 3 })
    assert.strictEqual(first({ ...stated, "decisions.n": 3 })?.path, "\"decisions.n\"")
    assert.strictEqual(first({ ...stated, "a bonus of $5": {} })?.path, "\"a bonus of $5\"")
    assert.strictEqual(first({ ...stated, bonus: [] })?.stated, "[]")
    assert.notInclude(first({ ...stated, "\u001b[2J\nholds": 1 })?.path, "\u001b")
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    assert.strictEqual(first({ ...stated, deep })?.stated, "…")
  })

  it("names its rows first, since any figure may differ with them", () => {
    const [first, second] = checkedParts(stated, { ...stated, decisions: { n: 4 }, rows: { n: 4, days: [] } })
    assert.strictEqual(first?.part, "rows")
    assert.strictEqual(first?.first?.path, "rows.n")
    assert.strictEqual(second?.part, "kind")
  })

  it("names the first day whose rows differ, and none where all are the same", () => {
    const [one, other] = [rowsOf(["2026-11-01", "a"], ["2026-11-03", "c"]), rowsOf(["2026-11-01", "a"], ["2026-11-02", "b"])]
    assert.deepStrictEqual(firstDayApart(one, other), { day: "2026-11-02", stated: 0, found: 1 })
    assert.isNull(firstDayApart(one, one))
  })
})

describe("A month", () => {
  it("is a year and one of twelve months, and nothing else", () => {
    const isMonth = Schema.is(Month)
    for (const right of ["2026-01", "2026-12", "1999-11"]) assert.isTrue(isMonth(right), right)
    for (const wrong of ["2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "November 2026", "", "2026/11", "0050-06", "9999-12"]) {
      assert.isFalse(isMonth(wrong), wrong)
    }
  })

  it("has the days of its calendar, in leap years and over the end of a year", () => {
    assert.strictEqual(monthRange("2028-02").until.toISOString(), "2028-03-01T00:00:00.000Z")
    assert.strictEqual(monthRange("2026-12").until.toISOString(), "2027-01-01T00:00:00.000Z")
  })
})
