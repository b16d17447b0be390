import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { moved, spreadFile } from "../../scripts/demo/spread.ts"
import * as RecommendationId from "../../src/domain/RecommendationId.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const playedAt = Date.UTC(2026, 10, 26, 12)
const played = { startMs: playedAt, endMs: playedAt + 10_000 }
const month = { startMs: playedAt - 30 * 86_400_000, endMs: playedAt }

describe("a demo's month", () => {
  const move = moved(played, month)
  const timeOf = (iso: string) => new Date(move(iso)).getTime()

  it("keeps the order of its times, from the first day to the last", () => {
    const times = Array.from({ length: 200 }, (_, index) => timeOf(new Date(playedAt + index * 50).toISOString()))
    assert.deepStrictEqual(times, times.toSorted((one, other) => one - other))
    assert.isBelow(times[0]! - month.startMs, 86_400_000)
    assert.isBelow(month.endMs - times.at(-1)!, 2 * 86_400_000)
    const atNight = times.filter((ms) => new Date(ms).getUTCHours() < 6).length
    assert.isBelow(atNight / times.length, 0.1)
  })

  it("moves an id with the time that the ledger reads in it", () => {
    const id = `${(playedAt + 4_321).toString(16).padStart(12, "0").replace(/^(.{8})/, "$1-")}-7abc-8def-0123456789ab`
    const created = new Date(playedAt + 4_321).toISOString().replace("Z", "+00:00")
    const [movedId = "", movedTime = ""] = move(`${id} ${created}`).split(" ")
    assert.strictEqual(RecommendationId.timeOf(RecommendationId.RecommendationId.make(movedId)).getTime(), new Date(movedTime).getTime())
    assert.match(movedId, /-7abc-8def-0123456789ab$/)
  })

  it("leaves every other time, number and id as it is", () => {
    const line = `{"a":"2026-10-01T00:00:00+00:00","n":1234567890123.5,"b":17,"u":"d915e039-9b9e-45a1-881b-473d3c22190b"}`
    assert.strictEqual(move(line), line)
    assert.notStrictEqual(move(`{"at":${playedAt + 5}}`), `{"at":${playedAt + 5}}`)
  })

  it("is sealed anew, behind the header that was exported", () => {
    const path = join(temporaryFolder(), "account.jsonl")
    const header = `{"kind":"sextant-account","exported_at":"${new Date(playedAt + 9_000).toISOString()}"}`
    writeFileSync(path, `${header}\n{"kind":"decision","row":{"at":${playedAt + 7_000}}}\n{"kind":"end","sha256":""}\n`)
    spreadFile(path, played, month)
    const lines = readFileSync(path, "utf8").trimEnd().split("\n")
    assert.strictEqual(lines[0], header)
    const { sha256 } = JSON.parse(lines[2] ?? "") as { readonly sha256: string }
    assert.strictEqual(sha256, createHash("sha256").update(`${lines[0]}\n${lines[1]}\n`).digest("hex"))
  })
})
