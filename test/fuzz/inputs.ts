import { deflateRawSync, gzipSync } from "node:zlib"
import { type Draw, drawOf } from "./draw.ts"
import type { Endpoint, Json } from "./endpoints.ts"
import { hostileText, mutated, mutatedQuery } from "./mutations.ts"

/** One request as bytes, and what is known of it. */
export interface Input {
  readonly index: number
  /** What was done to it, for the report of a failure. */
  readonly what: string
  /** Null for bytes that are no request to an endpoint. */
  readonly endpoint: Endpoint | null
  readonly bytes: Buffer
  /** Valid in all: anything but a 2xx, 422 included only for constraints, is a failure. */
  readonly isValid: boolean
  readonly method: string
}

export interface Corpus {
  readonly seed: number
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly key: string
  /** Of recommendations that exist, in the order in which they were made. */
  readonly recommendationIds: ReadonlyArray<string>
  readonly modelIds: ReadonlyArray<string>
}

type Headers = ReadonlyArray<readonly [string, string]>

const encodeQuery = (pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.length === 0 ? "" : `?${
    pairs.map(([name, value]) => `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`)
      .join("&")
  }`

const request = (method: string, target: string, headers: Headers, body: Buffer | null): Buffer => {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const length = body === null ? [] : [`content-length: ${body.length}`]
  const head = Buffer.from([`${method} ${target} HTTP/1.1`, "host: fuzz", ...lines, ...length, "", ""].join("\r\n"), "latin1")
  return body === null ? head : Buffer.concat([head, body])
}

const json: readonly [string, string] = ["content-type", "application/json"]
const keyOf = ({ key }: Corpus): readonly [string, string] => ["authorization", `Bearer ${key}`]

/** Random values rarely meet each other: real ids, shared lanes and few constraints reach deeper. */
const deepened = (body: Json, corpus: Corpus, draw: Draw): Json => {
  if (body === null || typeof body !== "object") return body
  const one = { ...body as Record<string, Json> }
  if ("namespace" in one && draw.chance(0.7)) one["namespace"] = draw.of([null, "fuzz", "shop"])
  if ("user_id" in one && draw.chance(0.7)) one["user_id"] = draw.of([null, "u1", "u2"])
  if ("constraints" in one && draw.chance(0.7)) delete one["constraints"]
  if ("recommendation_id" in one && draw.chance(0.7)) one["recommendation_id"] = draw.of(corpus.recommendationIds)
  if ("chosen_model_id" in one && draw.chance(0.7)) one["chosen_model_id"] = draw.of(corpus.modelIds)
  if ("chosen_effort" in one && draw.chance(0.7)) one["chosen_effort"] = draw.of(["low", "HIGH", "lowest", "#"])
  if ("baseline_model_id" in one && draw.chance(0.3)) one["baseline_model_id"] = draw.of(corpus.modelIds)
  return one
}

const plain = (query: Readonly<Record<string, Json>>) =>
  Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const))

const queryNames = (endpoint: Endpoint) => [...new Set(endpoint.queries.flatMap((query) => Object.keys(query)))]

const valid = (corpus: Corpus, endpoint: Endpoint, draw: Draw) => {
  const { method, path } = endpoint
  const body = endpoint.bodies.length === 0 ? null : deepened(draw.of(endpoint.bodies), corpus, draw)
  const target = path + encodeQuery(plain(draw.of(endpoint.queries)))
  return { method, target, headers: [keyOf(corpus)], body }
}

const bodyBytes = (body: Json): Buffer => Buffer.from(JSON.stringify(body))

/** Bytes that are no JSON, or JSON of a kind that hurts parsers. */
const rawBody = (sane: string, draw: Draw): { readonly bytes: Buffer; readonly what: string } => {
  const cut = draw.below(sane.length + 1)
  const cases: ReadonlyArray<() => readonly [string, Buffer]> = [
    () => ["cut short", Buffer.from(sane.slice(0, cut))],
    () => ["a byte changed", (() => {
      const bytes = Buffer.from(sane)
      if (bytes.length > 0) bytes[draw.below(bytes.length)] = draw.below(256)
      return bytes
    })()],
    () => ["random bytes", Buffer.from(Array.from({ length: draw.below(300) }, () => draw.below(256)))],
    () => ["empty", Buffer.alloc(0)],
    () => ["byte order mark", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(sane)])],
    () => ["UTF-16", Buffer.from(sane, "utf16le")],
    () => ["bad UTF-8", Buffer.concat([Buffer.from(`{"task":{"task":"`), Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), Buffer.from(`"}}`)])],
    () => ["depth bomb", Buffer.from(draw.of(["[", `{"a":`, `[{"a":`]).repeat(draw.of([33, 1_000, 100_000])))],
    () => ["two values", Buffer.from(sane + sane)],
    () => ["trailing text", Buffer.from(`${sane}x`)],
    () => ["white space", Buffer.from(" ".repeat(50_000) + sane)],
    () => ["a scalar", Buffer.from(draw.of(["null", "1", "true", `"x"`, "[]", "{}", "[null]"]))],
    () => ["many keys", Buffer.from(`{${Array.from({ length: 20_000 }, (_, i) => `"${i * 65_536}":0`).join(",")}}`)],
    () => ["gzip", gzipSync(sane)],
    () => ["quotes", Buffer.from(`"${"\\".repeat(draw.below(5_000))}"`)],
    () => ["comments", Buffer.from(`/* */${sane}//`)]
  ]
  const [what, bytes] = draw.of(cases)()
  return { bytes, what }
}

/** Headers that change how a body is read, who asks, or how the answer is sent. */
const hostileHeader = (corpus: Corpus, draw: Draw): Headers => {
  const text = hostileText(draw).replace(/[^\x20-\x7e\x80-\xff]/g, "?").slice(0, 3_000)
  const auth = keyOf(corpus)
  return draw.of<() => Headers>([
    () => [auth, ["content-type", draw.of(["text/plain", "application/jsonx", "multipart/form-data; boundary=x", "", "application/json; charset=utf-16", "APPLICATION/JSON", "application/problem+json", "application/x-www-form-urlencoded", text])]],
    () => [auth, json, ["content-encoding", draw.of(["gzip", "br", "deflate", "zstd", "gzip, gzip", "identity", "IDENTITY", "", text])]],
    () => [json, ["authorization", draw.of(["", "Bearer", "Bearer ", `bearer ${corpus.key}`, `Basic ${corpus.key}`, `Bearer  ${corpus.key}`, `Bearer ${corpus.key}, Bearer x`, `Bearer\t${corpus.key}`, `Bearer ${text}`, "Bearer sxt__k_s", "Bearer sxt_a'b_k_s", `Bearer sxt_${"a".repeat(3_000)}_k_s`])]],
    () => [json, auth, auth],
    () => [json],
    () => [json, auth, ["accept", text], ["accept-encoding", "gzip;q=0, *;q=0"]],
    () => [json, auth, ["x-http-method-override", "DELETE"], ["x-forwarded-for", text], ["x-forwarded-host", text]],
    () => [json, auth, ["traceparent", text], ["tracestate", text], ["b3", text], ["baggage", text]],
    () => [json, auth, ["traceparent", "00-00000000000000000000000000000000-0000000000000000-01"]],
    () => [json, auth, ["cookie", text], ["range", "bytes=0-1"], ["if-none-match", "*"], ["if-match", text]],
    () => [json, auth, ["expect", draw.of(["100-continue", "200-ok", text])]],
    () => [json, auth, ["upgrade", "websocket"], ["connection", "upgrade"], ["sec-websocket-key", "x"]],
    () => [json, auth, ["__proto__", "x"], ["constructor", "x"], ["hasownproperty", "x"]],
    () => [json, auth, ...Array.from({ length: draw.of([50, 500, 2_500]) }, (_, i) => [`x-${i}`, "y"] as const)],
    () => [json, auth, ["x-long", "y".repeat(draw.of([1_000, 15_000, 100_000]))]]
  ])()
}

const hostileTarget = (corpus: Corpus, { path }: Endpoint, draw: Draw): string => {
  const text = encodeURIComponent(hostileText(draw).toWellFormed()).slice(0, 2_000)
  return draw.of([
    `${path}/`, `/${path}`, path.toUpperCase(), `${path}/${text}`, `${path}?${text}`, `${path}?a=%`, `${path}%00`, `${path}/..`, `/${text}`,
    `/v1/../v1/health`, "/v1", "/v1/", "/", "*", `http://evil.example${path}`, `${path}#x`, `${path}?key=${corpus.key.slice(0, 9)}`,
    `${path}?${"a&".repeat(2_000)}`, `${path}?__proto__=1&constructor=2`, `${path}?namespace[]=1&namespace[a]=2`, "/docs", "/dashboard",
    "/openapi.json", "/dashboard/../../package.json", "/dashboard/%2e%2e/%2e%2e/package.json", "/favicon.ico", "/%ff%fe", "/v1/health%"
  ])
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "PURGE"]

/** Bytes on the connection that are hardly HTTP; the server may answer and close. */
const hostileBytes = (sane: Buffer, draw: Draw): Buffer =>
  draw.of<() => Buffer>([
    () => Buffer.from(Array.from({ length: 1 + draw.below(200) }, () => draw.below(256))),
    () => {
      const bytes = Buffer.from(sane)
      for (let i = 0; i < 3; i++) bytes[draw.below(Math.min(200, bytes.length))] = draw.below(256)
      return bytes
    },
    () => Buffer.from("GET /v1/health HTTP/9.9\r\n\r\n"),
    () => Buffer.from("GET /v1/health\r\n\r\n"),
    () => Buffer.from("POST /v1/recommend HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
    () => Buffer.from("POST /v1/recommend HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef"),
    () => Buffer.from("POST /v1/recommend HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n"),
    () => Buffer.from("POST /v1/recommend HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"),
    () => Buffer.from("GET /v1/health HTTP/1.1\r\n\r\n"),
    () => Buffer.from(`GET /v1/health HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(40_000)}\r\n\r\n`),
    () => Buffer.from("GET /v1/health HTTP/1.1\r\nhost: a\r\n folded: x\r\n\r\n"),
    () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0xa5, 0x01, 0x00]),
    () => Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
  ])()

const shares = [
  ["valid", 30], ["field", 38], ["query", 10], ["raw", 7], ["header", 6], ["target", 4], ["method", 3], ["bytes", 2]
] as const

type Kind = typeof shares[number][0]
const kinds: ReadonlyArray<Kind> = shares.flatMap(([kind, share]) => Array.from({ length: share }, () => kind))

/** Input `index` of a seed; depends on nothing but the two and the corpus. */
export const inputOf = (corpus: Corpus, index: number): Input => {
  const draw = drawOf(corpus.seed, index)
  const kind = draw.of(kinds)
  const needsBody = kind === "field" || kind === "raw"
  const endpoint = draw.of(needsBody ? corpus.endpoints.filter(({ bodies }) => bodies.length > 0) : corpus.endpoints)
  const { body, headers, method, target } = valid(corpus, endpoint, draw)
  const bytes = body === null ? null : bodyBytes(body)
  const whole: Headers = body === null ? headers : [...headers, json]
  const input = (what: string, sent: Buffer, over: Partial<Input> = {}): Input =>
    ({ index, what: `${kind}: ${what}`, endpoint, bytes: sent, isValid: false, method, ...over })
  switch (kind) {
    case "valid":
      // Text of nothing but NUL is empty once it is scrubbed.
      return input("", request(method, target, whole, bytes), { isValid: bytes?.includes(`"\\u0000"`) !== true })
    case "field": {
      const { text, what } = mutated(body, draw)
      return input(what, request(method, target, whole, Buffer.from(text)))
    }
    case "query": {
      const query = encodeQuery(mutatedQuery(draw.of(endpoint.queries), queryNames(endpoint), draw))
      return input(query.slice(0, 80), request(method, endpoint.path + query, whole, bytes))
    }
    case "raw": {
      const raw = rawBody(JSON.stringify(body), draw)
      return input(raw.what, request(method, target, whole, raw.bytes))
    }
    case "header": {
      const chosen = hostileHeader(corpus, draw)
      const isPacked = chosen.some(([name, value]) => name === "content-encoding" && value === "gzip")
      const sent = bytes !== null && isPacked ? gzipSync(bytes) : bytes !== null && draw.chance(0.02) ? deflateRawSync(bytes) : bytes
      return input(JSON.stringify(chosen).slice(0, 160), request(method, target, chosen, sent))
    }
    case "target": {
      const path = hostileTarget(corpus, endpoint, draw)
      return input(path.slice(0, 160), request(method, path, whole, bytes), { endpoint: null })
    }
    case "method": {
      const other = draw.of(methods)
      return input(other, request(other, target, whole, bytes), { endpoint: null, method: other })
    }
    case "bytes":
      return input("", hostileBytes(request(method, target, whole, bytes), draw), { endpoint: null, method: "?" })
  }
}
