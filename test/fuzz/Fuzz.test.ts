// As the service itself begins: bodies are read by compiled schemas.
import "effect/schema/SchemaJITCompiler/enable"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../src/api/Api.ts"
import { run } from "./campaign.ts"
import { endpointsOf } from "./endpoints.ts"
import { inputOf } from "./inputs.ts"
import type { Storage } from "./service.ts"

const seed = 20_261_121
/** `npm run test:fuzz` sends any number. */
const localInputs = 2_000
const embeddedInputs = 1_000
const memoryInputs = 1_000
/** Of this whole process, inputs, validators and server together. */
const residentBytesMax = 2e9

/** How a finding is sent again alone. */
const told = (storage: Storage, from: number) => `npm run test:fuzz -- --seed ${seed} --from ${from} --inputs 1 --storage ${storage}`

const campaign = (storage: Storage, from: number, inputs: number) =>
  Effect.gen(function*() {
    const outcome = yield* run({ seed, from, inputs, storage })
    const lines = outcome.findings.map(({ index, problem, what }) => `${what}\n  ${problem}\n  ${told(storage, index)}`)
    assert.deepStrictEqual(lines, [])
    assert.deepStrictEqual(outcome.logged, [])
    assert.strictEqual(outcome.inputs, inputs)
    // The inputs reach past the refusals: many are answered, and every way of refusing is seen.
    assert.isAbove(outcome.statuses["200"] ?? 0, inputs / 4)
    for (const status of [400, 401, 404, 405, 415, 417, 431]) assert.isAbove(outcome.statuses[status] ?? 0, 0, String(status))
    assert.isBelow(process.memoryUsage().rss, residentBytesMax)
  })

describe("hostile input derived from the schemas", () => {
  it.live("is answered in time, as documented, without a 5xx or a logged failure", () =>
    campaign("local", 0, localInputs), 300_000)

  it.live("is answered so on the embedded database, too", () =>
    campaign("embedded", localInputs, embeddedInputs), 300_000)

  it.live("is answered so by a memory that is served alone", () =>
    campaign("memory", localInputs + embeddedInputs, memoryInputs), 300_000)

  it("is the same for the same seed and index, and differs otherwise", () => {
    const corpus = { seed, endpoints: endpointsOf(Api, seed), key: "k", recommendationIds: ["r"], modelIds: ["m"] }
    const [again, other] = [{ ...corpus, endpoints: endpointsOf(Api, seed) }, { ...corpus, seed: seed + 1 }]
    for (let index = 0; index < 200; index++) {
      assert.isTrue(inputOf(corpus, index).bytes.equals(inputOf(again, index).bytes))
    }
    const differing = Array.from({ length: 200 }, (_, index) => index)
      .filter((index) => !inputOf(corpus, index).bytes.equals(inputOf(other, index).bytes))
    assert.isAbove(differing.length, 150)
  })
})
