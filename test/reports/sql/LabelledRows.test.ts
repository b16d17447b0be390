import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decodeTrusted, type LabelledRow } from "../../../src/reports/sql/LabelledRows.ts"
import { runCooperatively } from "../../../src/resilience/CooperativeYield.ts"
import { generator } from "../../../src/stats/Generator.ts"

const newest = 2 ** 48 - 1

/** An outcome without a candidate, as a database packs it; its place in the list is its bill. */
const packed = (createdAt: number, random: number, bill: number): Buffer => {
  const bytes = Buffer.alloc(60)
  bytes.writeUIntBE(createdAt, 0, 6)
  bytes.writeUIntBE(random, 10, 6)
  bytes.writeDoubleBE(bill, 40)
  return bytes
}

const partOf = (cluster: string, rows: ReadonlyArray<Buffer>): LabelledRow =>
  ({ n_reconciled: rows.length, rows: rows.length, cluster, packed: Buffer.concat(rows) })

const billsOf = (parts: ReadonlyArray<LabelledRow>) =>
  Effect.map(runCooperatively(decodeTrusted(parts)), ({ outcomes }) => [...outcomes(new Map()).billUsd])

describe("trusted outcomes from packed columns", () => {
  it.effect("come oldest first and by id within a millisecond, in whichever order the database answers", () =>
    Effect.gen(function*() {
      for (const times of [[5, 6, 7], [0, 1, newest]]) {
        const uniform = generator(3)
        const outcomes = Array.from({ length: 90 }, (_, i) => ({ time: times[i % 3]!, random: Math.floor(uniform() * 2 ** 40) }))
          .sort((one, other) => one.time - other.time || one.random - other.random)
          .map(({ random, time }, i) => packed(time, random, i))
        for (const turn of [0, 41]) {
          const mixed = [...outcomes.slice(turn), ...outcomes.slice(0, turn)].toReversed()
          const bills = yield* billsOf([partOf("code:easy:call", mixed.slice(50)), partOf("code:hard:call", mixed.slice(0, 50))])
          assert.deepStrictEqual(bills, outcomes.map((_, i) => i))
        }
      }
      assert.deepStrictEqual(yield* billsOf([]), [])
    }))
})
