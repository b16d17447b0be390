import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Api } from "../../src/api/Api.ts"
import { assertRounded } from "../support/digits.ts"
import { answers, service } from "./answers.ts"

/*
 * The examples of answers in `/openapi.json`. `SEXTANT_ANSWERS=write` before this test writes them anew, from
 * answers of the service over HTTP.
 */

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields whose own fields are data. */
const maps = new Set(["aliases", "est_cost_breakdown", "entry_counts", "capability_by_task_type", "capability_priors"])

/** Asserts that an answer has the fields of the example, as far as both have values there. */
const assertGiven = (example: unknown, answer: unknown, at: string): void => {
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (example.length > 0 && answer.length > 0) assertGiven(example[0], answer[0], `${at}[0]`)
  } else if (isNode(example) && isNode(answer)) {
    assert.includeMembers(Object.keys(answer), Object.keys(example), at)
    for (const [name, value] of Object.entries(example)) {
      if (!maps.has(name)) assertGiven(value, answer[name], `${at}.${name}`)
    }
  }
}

/** The schema of each operation's answer. */
const schemas = new Map<string, Schema.Top>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, successes }) => void schemas.set(endpoint.identifier, successes.get(200)![0])
})
const path = fileURLToPath(new URL("../../src/http/answers.json", import.meta.url))
const examples: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(path, "utf8"))

describe("the examples of answers", () => {
  it.live("are answers that the service still gives, of few digits", () =>
    Effect.gen(function*() {
      const given = yield* answers
      if (process.env["SEXTANT_ANSWERS"] === "write") {
        return writeFileSync(path, `${JSON.stringify(given, null, 1)}\n`)
      }
      for (const [operation, answer] of Object.entries(given)) {
        assertRounded(answer, operation)
        assertGiven(examples[operation], answer, `${operation}; SEXTANT_ANSWERS=write writes the examples anew`)
      }
    }).pipe(Effect.provide(service)), 60_000)

  it("exist for every operation, and decode", () => {
    assert.sameMembers(Object.keys(examples), [...schemas.keys()])
    for (const [operation, schema] of schemas) {
      // Every answer of the API is decoded without services.
      const decode = Schema.decodeUnknownSync(Schema.toCodecJson(schema as Schema.Codec<unknown>))
      assert.doesNotThrow(() => decode(examples[operation]), operation)
    }
  })
})
