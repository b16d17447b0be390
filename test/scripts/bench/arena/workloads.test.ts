import { assert, describe, it } from "@effect/vitest"
import { edited, kinds, write } from "../../../../scripts/bench/arena/prompts.ts"
import { workloadNames, workloadOf } from "../../../../scripts/bench/arena/workloads.ts"
import { generator } from "../../../../src/stats/Generator.ts"

describe("the arena's prompts", () => {
  it("are of at least 38 kinds with names of their own, in two or three wordings each", () => {
    assert.isAtLeast(kinds.length, 38)
    assert.strictEqual(new Set(kinds.map((kind) => kind.name)).size, kinds.length)
    for (const { wordings } of kinds) assert.include([2, 3], wordings.length)
  })

  it("have every slot filled", () => {
    const random = generator(1)
    for (const kind of kinds) {
      for (let i = 0; i < 20; i++) assert.notMatch(write(kind, random), /[{}]/)
    }
  })

  it("come back with small edits, not with other words", () => {
    const random = generator(2)
    const text = write(kinds[0]!, random)
    for (let i = 0; i < 50; i++) assert.isBelow(Math.abs(edited(text, random).length - text.length), 70)
  })
})

describe("a workload", () => {
  it("is the same for the same seed and another for another", () => {
    for (const name of workloadNames) {
      assert.deepStrictEqual(workloadOf(name, 1, 50), workloadOf(name, 1, 50))
      assert.notDeepEqual(workloadOf(name, 1, 50), workloadOf(name, 2, 50))
    }
  })

  it("w3 is w2 with a tag", () => {
    const [plain, tagged] = [workloadOf("w2", 4, 50), workloadOf("w3", 4, 50)]
    assert.deepStrictEqual(tagged.prompts.map((prompt) => ({ ...prompt, tag: null })), plain.prompts)
    assert.isTrue(tagged.prompts.every((prompt) => prompt.tag !== null))
  })

  it("w6 breaks the cheapest model of one kind half way", () => {
    const { prompts, tables } = workloadOf("w6", 3, 400)
    assert.strictEqual(tables[0]?.[0], 0.95)
    assert.strictEqual(tables.at(-1)?.[0], 0.1)
    assert.isFalse(prompts.slice(0, 200).some((prompt) => prompt.isBroken))
    assert.isFalse(prompts.slice(200).some((prompt) => prompt.table === 0))
    assert.isTrue(prompts.slice(200).some((prompt) => prompt.isBroken))
  })

  it("lands nine times of ten in one cluster", () => {
    const { prompts } = workloadOf("w2", 5, 2_000)
    const share = prompts.filter((prompt) => prompt.taskType === "qa").length / prompts.length
    assert.closeTo(share, 0.9, 0.03)
    assert.strictEqual(new Set(prompts.map((prompt) => prompt.taskType)).size, 3)
  })
})
