import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { MemoryApi } from "../../../src/api/memory/MemoryApi.ts"
import { firstOf, listOf, wrongElementsMax } from "../../../src/domain/text/Lists.ts"

/** A schema of an element that counts how often it is asked, and yields to `isRight`. */
const counting = (isRight: (value: string) => boolean = () => true) => {
  const asked = { count: 0 }
  const element = Schema.String.check(Schema.makeFilter((value: string) => {
    asked.count++
    return isRight(value)
  }))
  return { asked, element }
}

const issuesOf = (text: string) => text.split("at [").length - 1

describe("a list of a request", () => {
  it("is refused for its length before any of its elements is decoded", () => {
    const { asked, element } = counting()
    const decode = Schema.decodeUnknownSync(listOf(element, { min: 2, max: 3 }))
    for (const length of [0, 1, 4, 100_000]) {
      assert.throws(() => decode(Array.from({ length }, () => "x")), /length of at (most|least)/)
    }
    assert.strictEqual(asked.count, 0)
    assert.deepStrictEqual(decode(["a", "b", "c"]), ["a", "b", "c"])
    assert.throws(() => decode({ length: 2, 0: "a", 1: "b" }), /array/)
  })

  it("is decoded to its first wrong element, or to a handful of them where all are asked for", () => {
    for (const [errors, wrong] of [["first", 1], ["all", wrongElementsMax]] as const) {
      const { asked, element } = counting((value) => value !== "wrong")
      const list = Schema.decodeUnknownResult(listOf(element, { max: 1_000 }), { errors })
      const result = list(["right", ...Array.from({ length: 500 }, () => "wrong")])
      assert.strictEqual(asked.count, 1 + wrong)
      assert.strictEqual(result._tag === "Failure" ? issuesOf(String(result.failure)) : 0, wrong)
    }
  })

  it("is encoded as it was sent, and documented with its length and its elements", () => {
    const list = listOf(Schema.FiniteFromString, { min: 1, max: 7 })
    assert.deepStrictEqual(Schema.decodeUnknownSync(list)(["1", "2"]), [1, 2])
    assert.deepStrictEqual(Schema.encodeSync(list)([1, 2]), ["1", "2"])
    const { schema } = Schema.toJsonSchemaDocument(listOf(Schema.String.check(Schema.isMaxLength(9)), { min: 1, max: 7 }))
    assert.deepInclude(schema, {
      type: "array", items: { type: "string", maxLength: 9 }, minItems: 1, maxItems: 7
    })
  })
})

describe("a list of which the first elements are read", () => {
  it("decodes none of the others, whatever they are, and keeps their count", () => {
    const { asked, element } = counting()
    const list = firstOf(element, 2)
    const others = [{}, 1, "c", ...Array.from({ length: 10_000 }, () => [])]
    const decoded = Schema.decodeUnknownSync(list)(["a", "b", ...others])
    assert.deepStrictEqual(decoded.slice(0, 3), ["a", "b", null])
    assert.strictEqual(decoded.length, 2 + others.length)
    // Once as it is sent and once as it is in code.
    assert.isAtMost(asked.count, 4)
    assert.throws(() => Schema.decodeUnknownSync(list)(["a", 2]), /string/)
  })

  it("sends what was read", () => {
    const list = firstOf(Schema.String, 2)
    assert.deepStrictEqual(Schema.encodeSync(list)(["a", "b", null, null]), ["a", "b"])
    assert.deepStrictEqual(Schema.decodeUnknownSync(list)(["a"]), ["a"])
  })
})

/** The greatest length of every array of a JSON Schema, by its path; undefined where it has none. */
const lengthsOf = (part: unknown, path: string): ReadonlyArray<readonly [path: string, maxItems: unknown]> => {
  if (part === null || typeof part !== "object") return []
  const inner = Object.entries(part).flatMap(([key, value]) => lengthsOf(value, `${path}.${key}`))
  if (!("type" in part) || part.type !== "array") return inner
  return [[path, "maxItems" in part ? part.maxItems : undefined], ...inner]
}

describe("the requests of both APIs", () => {
  /** The specification caps it with a warning, so that its length refuses nothing. */
  const capped = new Set(["feedback:step_outcomes"])

  it("bound every array, and check its length before its elements", () => {
    const found: Array<string> = []
    for (const api of [Api, MemoryApi]) {
      HttpApi.reflect(api as typeof Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) => {
          const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
          for (const schema of [...payloads, ...(endpoint.query === undefined ? [] : [endpoint.query])]) {
            const document = Schema.toJsonSchemaDocument(schema as Schema.Codec<unknown, unknown>)
            for (const [path, maxItems] of lengthsOf(document, endpoint.identifier)) {
              const name = `${endpoint.identifier}:${path.split(".").at(-1)}`
              found.push(name)
              if (!capped.has(name)) assert.isNumber(maxItems, path)
            }
          }
        }
      })
    }
    assert.includeMembers(found, ["recommend:tags", "recommendWorkflow:steps", "feedback:step_outcomes", "recall:tags"])
  })
})
