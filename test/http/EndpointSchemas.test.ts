import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { HttpApi, HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { MemoryApi } from "../../src/api/memory/MemoryApi.ts"
import { wire } from "../../src/domain/wire/Wire.ts"
import { wireDecoder } from "../../src/domain/wire/WireDecoding.ts"
import { wireEncoder } from "../../src/domain/wire/WireEncoding.ts"
import { payloadOf, successOf } from "../../src/http/EndpointSchemas.ts"

const Body = wire({ oneName: Schema.String, twoNames: Schema.String })

type Codec = Schema.Codec<unknown, unknown>

const endpoints: Array<HttpApiEndpoint.Top> = []
for (const api of [Api, MemoryApi]) {
  HttpApi.reflect(api as never, { onGroup: () => {}, onEndpoint: ({ endpoint }) => void endpoints.push(endpoint) })
}

const samples = <S extends Schema.Constraint>(schema: S) =>
  Arbitrary.sampleEffect(Arbitrary.schema(schema as unknown as Codec), {
    // Identifiers without lone surrogates are found by trying.
    count: 12, seed: 3, maxDiscards: 1_000_000
  })

const named = (endpoint: HttpApiEndpoint.Top) => `${endpoint.method} ${endpoint.path}`

describe("the schemas of an endpoint", () => {
  it("are those of its definition, a check that was added to a body included", () => {
    const Checked = Body.check(Schema.makeFilter(({ oneName, twoNames }) => oneName !== twoNames || "they differ"))
    const endpoint = HttpApiEndpoint.post("b", "/b", { payload: Checked, success: Body })
    assert.strictEqual<unknown>(payloadOf(endpoint), Checked)
    assert.strictEqual<unknown>(successOf(endpoint), Body)
    const decode = wireDecoder(payloadOf(endpoint)!)
    assert.deepStrictEqual(decode({ one_name: "x", two_names: "y" }), { oneName: "x", twoNames: "y" })
    assert.isUndefined(decode({ one_name: "x", two_names: "x" }))
  })

  it("end the start where a body or an answer has several, or an answer none", () => {
    const several = HttpApiEndpoint.post("several", "/s", {
      payload: [Body, Schema.String], success: [Body, Schema.String]
    })
    assert.throws(() => payloadOf(several), /several has not one schema/)
    assert.throws(() => successOf(several), /several has not one schema/)
    assert.isNull(payloadOf(HttpApiEndpoint.get("none", "/n", { success: Body })))
  })

  it.effect("write every answer as HttpApi's own codec does, byte by byte", () =>
    Effect.gen(function*() {
      assert.isAtLeast(endpoints.length, 27)
      for (const endpoint of endpoints) {
        const [held] = endpoint.success as ReadonlySet<Schema.Constraint>
        const encode = Schema.encodeUnknownSync(held as Codec)
        const encodeOurs = wireEncoder(successOf(endpoint))
        for (const value of yield* samples(successOf(endpoint))) {
          assert.strictEqual(JSON.stringify(encodeOurs(value)), JSON.stringify(encode(value)), named(endpoint))
        }
      }
    }))

  it.effect("read no body otherwise than HttpApi's own codec does", () =>
    Effect.gen(function*() {
      let quick = 0
      for (const endpoint of endpoints) {
        const schema = payloadOf(endpoint)
        if (schema === null) continue
        const held = endpoint.payload.get("application/json")!.schemas[0] as unknown as Codec
        const decode = Schema.decodeUnknownOption(held)
        const decodeOurs = wireDecoder(schema)
        for (const value of yield* samples(schema)) {
          const sent = JSON.parse(JSON.stringify(Schema.encodeUnknownSync(held)(value)))
          const theirs = decode(sent)
          const ours = decodeOurs(sent)
          if (ours === undefined) continue
          quick++
          assert.deepStrictEqual(Option.some(ours), theirs, named(endpoint))
        }
      }
      assert.isAtLeast(quick, 50)
    }))
})
