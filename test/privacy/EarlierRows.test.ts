import { assert, describe, it } from "@effect/vitest"
import { presentRows } from "../../src/privacy/EarlierRows.ts"

const outbox = {
  outbox_id: "18f1f340-e674-4cd1-bb6a-21d60bddf7ac", position: 1, lane: "sextant:default", kind: "teach",
  body: { lane: "sextant:default", quality: 0.5 }, available_at: "2026-11-28T23:25:22.433433+00:00", attempts: 3,
  bad_answers: 0, refused_at: null
}

const lineOf = (row: Readonly<Record<string, unknown>>) => ({ kind: "outbox", version: 15, row })

describe("a claim of an exported feedback", () => {
  const id = "01a22442-af53-7e4e-8939-ba59ac08ca3e"
  const claim = {
    idempotency_key: `derived:${id}:gpt-5-mini`, fingerprint: "f", created_at: "2026-11-28T23:25:22.433433+00:00",
    response: { accepted: true }, report: null, written: null
  }
  const rowOf = (row: Readonly<Record<string, unknown>>) =>
    presentRows({ kind: "feedback_key", version: 15, row })

  it("is a report of the recommendation that its report names", () => {
    const [report] = rowOf({ ...claim, idempotency_key: "caller:k", report: { recommendationId: id, quality: 0.5 } })
    assert.deepInclude(report?.row, { recommendation_id: id, idempotency_key: "caller:k", body: { quality: 0.5 } })
  })

  it("is one of the recommendation that its key names where it has no report", () => {
    const [report, ...others] = rowOf(claim)
    assert.isEmpty(others)
    assert.strictEqual(report?.kind, "report")
    assert.deepInclude(report?.row, {
      revision: 0, recommendation_id: id, idempotency_key: claim.idempotency_key, body: {}, response: { accepted: true }
    })
  })

  it("is left out, and counted, if nothing names a recommendation or it has no answer", () => {
    for (const row of [{ ...claim, idempotency_key: "caller:k" }, { ...claim, response: null }, { ...claim, idempotency_key: "derived:x:" }]) {
      assert.deepStrictEqual(rowOf(row), [{ kind: "feedback_key", row }])
    }
  })
})

describe("a write that waited for a memory elsewhere when its account was exported", () => {
  it("waits in a report of its own", () => {
    const [report, ...others] = presentRows(lineOf(outbox))
    assert.isEmpty(others)
    assert.strictEqual(report?.kind, "report")
    assert.deepInclude(report?.row, {
      idempotency_key: `outbox:${outbox.outbox_id}`, writes: [{ kind: "teach", body: outbox.body }], refused: null
    })
  })

  it("stays set aside if the memory had refused it", () => {
    const [report] = presentRows(lineOf({ ...outbox, refused_at: "2026-11-28T23:25:22.433433+00:00" }))
    assert.deepInclude(report?.row, { writes: null, refused: [{ kind: "teach", body: outbox.body }] })
  })

  it("is left out if it is of a kind that no memory takes any more", () => {
    const line = lineOf({ ...outbox, kind: "settlement" })
    assert.deepStrictEqual(presentRows(line), [{ kind: "outbox", row: line.row }])
  })
})
