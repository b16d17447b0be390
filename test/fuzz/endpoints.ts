import { Arbitrary, Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import type { Api } from "../../src/api/Api.ts"
import type { MemoryApi } from "../../src/api/memory/MemoryApi.ts"

/** Any JSON value, as the wire carries it. */
export type Json = unknown

export interface Endpoint {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly needsKey: boolean
  /** Valid bodies in wire form; empty for an endpoint without one. */
  readonly bodies: ReadonlyArray<Json>
  /** Valid queries in wire form; one empty query for an endpoint without any. */
  readonly queries: ReadonlyArray<Readonly<Record<string, Json>>>
  /** Throws what does not fit about a decoded 2xx body. */
  readonly decode: (body: Json) => unknown
}

/** The seam to HttpApi's reflection, whose schemas have no services left once the whole API type-checks. */
type Closed = Schema.Codec<unknown, unknown>

/** An API of ours; all reflect alike, whatever their groups are. */
export type Reflected = typeof Api | typeof MemoryApi

const poolSize = 300

const sampled = (schema: Closed, seed: string, size: number): ReadonlyArray<Json> => {
  const encode = Schema.encodeUnknownSync(schema)
  return Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), {
    count: poolSize,
    size,
    seed,
    // Identifiers without lone surrogates are found by trying.
    maxDiscards: 1_000_000
  }))
    .map((value) => encode(value))
}

/** Small values and large ones, the same for the same seed. */
const pool = (schema: Closed | undefined, seed: string): ReadonlyArray<Json> =>
  schema === undefined ? [] : [...sampled(schema, seed, 3), ...sampled(schema, `${seed}+`, 12)]

/** Every endpoint of the API with what it takes, derived from its schemas: a new one is covered by itself. */
export const endpointsOf = (api: Reflected, seed: number): ReadonlyArray<Endpoint> => {
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(api as typeof Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
      const success = successes.get(200)?.[0] as Closed | undefined
      if (success === undefined) throw new Error(`${endpoint.path} has no 200`)
      const queries = pool(endpoint.query as Closed | undefined, `${seed}:${endpoint.path}:query`)
      endpoints.push({
        name: endpoint.identifier,
        method: endpoint.method,
        path: endpoint.path,
        needsKey: endpoint.middlewares.size > 1,
        bodies: pool(payloads[0] as Closed | undefined, `${seed}:${endpoint.path}:body`),
        queries: queries.length === 0 ? [{}] : queries as ReadonlyArray<Record<string, Json>>,
        decode: Schema.decodeUnknownSync(success)
      })
    }
  })
  return endpoints
}
