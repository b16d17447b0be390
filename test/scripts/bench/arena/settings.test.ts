import { assert, describe, it } from "@effect/vitest"
import { overlaid, settingsIn } from "../../../../scripts/bench/arena/settings.ts"
import { defaults } from "../../../../src/engine/Settings.ts"
import { memorySettings } from "../../../../src/memory/MemorySettings.ts"

const memory = { memory: memorySettings }

describe("settings of a trial", () => {
  it("lie over the engine's own, nested ones field by field", () => {
    const base = { a: 1, b: { c: 2, d: 3 } }
    assert.deepStrictEqual(overlaid(base, { b: { d: 4 } }), { a: 1, b: { c: 2, d: 4 } })
    assert.deepStrictEqual(settingsIn("{}"), { ...defaults, ...memory })
    assert.deepStrictEqual(settingsIn(`{"clusterPull":50}`), { ...defaults, ...memory, clusterPull: 50 })
  })

  it("that the engine does not know are refused, and so are those of another type", () => {
    assert.throws(() => settingsIn(`{"clusterPul":50}`), "settings has no clusterPul")
    assert.throws(() => settingsIn(`{"clusterPull":"50"}`), "settings.clusterPull is a number, not a string")
    assert.throws(() => settingsIn(`{"outputByDifficulty":2}`), "settings.outputByDifficulty is an object")
    assert.throws(() => settingsIn(`{"outputByDifficulty":{"odd":2}}`), "outputByDifficulty has no odd")
  })

  it("leave out mechanisms by name, beside those of the JSON, and no unknown one", () => {
    const trial = settingsIn(`{"decayHalfLifeDays":9}`, "change,stale")
    assert.deepStrictEqual(
      [trial.changeRule.prior, trial.decayHalfLifeDays, trial.memory.changes.limit], [0, 9, Infinity]
    )
    assert.throws(() => settingsIn("{}", "chance"), "chance is none of read-difficulty, ")
  })
})
