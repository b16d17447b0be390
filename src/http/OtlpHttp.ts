/* Receives telemetry by OTLP/HTTP, in JSON or protobuf, optionally compressed with gzip. */
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { type Authorization, type AuthorizationIfVerifiable, CurrentCaller } from "../api/Authorization.ts"
import { OtlpApi } from "../api/OtlpApi.ts"
import { InvalidRequest, UnsupportedMediaType } from "../api/Problems.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { exceededLimit } from "../domain/text/JsonLimits.ts"
import { type UnreadCounts, observe } from "../engine/Observe.ts"
import { Settings } from "../engine/Settings.ts"
import { isRow, type Row } from "../logs/formats/Values.ts"
import { leftOutReasons, type LeftOutReason } from "../logs/LoggedCall.ts"
import { type OtlpSignal, readOtlpProtobuf } from "../logs/OtlpProtobuf.ts"
import { bodyBytesOf } from "./body/Body.ts"
import { makeAuthorize } from "./Endpoints.ts"
import { AddUnits } from "./limits/Admitting.ts"
import { limitSettings } from "./limits/LimitSettings.ts"
import type { Response } from "./limits/Limits.ts"
import { unavailable } from "./limits/Retry.ts"

/** Maximum nesting and number of values of a request's JSON or protobuf. Chosen. */
const limits = { depth: 100, values: 400_000 }

const types = { json: "application/json", protobuf: "application/x-protobuf" } as const
type MediaType = typeof types[keyof typeof types]

const unreadable = (what: string) => new InvalidRequest({
  detail: `Expected ${what} of at most ${limits.depth} levels and ${limits.values} values`
})

/** Returns a body's type; null if it is unknown. A body without a content type is read as JSON. */
const typeOf = ({ headers }: HttpServerRequest.HttpServerRequest): MediaType | null => {
  const type = (headers["content-type"] ?? types.json).split(";")[0]?.trim().toLowerCase()
  return Object.values(types).find((each) => each === type) ?? null
}

const rowOfJson = (bytes: Uint8Array): Row | null => {
  if (bytes.length === 0) return {}
  if (exceededLimit(bytes, limits) !== null) return null
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRow(value) ? value : null
  } catch {
    return null
  }
}

/** The reasons for which a record that is left out counts as rejected in the answer. */
const rejecting: ReadonlySet<LeftOutReason> = new Set(["no_model", "no_date", "implausible_date"])

const partialSuccess = (leftOut: UnreadCounts) => {
  const rejected = [...leftOut].filter(([reason]) => rejecting.has(reason))
  if (rejected.length === 0) return null
  return {
    count: rejected.reduce((sum, [, records]) => sum + records, 0),
    message: rejected.map(([reason, records]) => `${records} ${leftOutReasons[reason]}`).join("; ")
  }
}

/** Encodes a whole number of at least 0 as a varint of protobuf. */
const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.floor(value / 0x80))]

const lengthDelimited = (field: number, bytes: ReadonlyArray<number>): ReadonlyArray<number> =>
  [field * 8 + 2, ...varint(bytes.length), ...bytes]

const counted: Readonly<Record<OtlpSignal, string>> = {
  traces: "rejectedSpans", logs: "rejectedLogRecords"
}

const answerOf = (signal: OtlpSignal, type: MediaType, leftOut: UnreadCounts): Response => {
  const partial = partialSuccess(leftOut)
  if (type === types.json) {
    return HttpServerResponse.jsonUnsafe(partial === null ? {} : {
      partialSuccess: { [counted[signal]]: String(partial.count), errorMessage: partial.message }
    })
  }
  const bytes = partial === null ? [] : lengthDelimited(1, [
    8, ...varint(partial.count), ...lengthDelimited(2, [...new TextEncoder().encode(partial.message)])
  ])
  return HttpServerResponse.uint8Array(Uint8Array.from(bytes), { contentType: types.protobuf })
}

const receive = Effect.fnUntraced(function*(signal: OtlpSignal) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { accountId } = yield* CurrentCaller
  const type = typeOf(request)
  if (type === null) {
    return yield* new UnsupportedMediaType({ detail: `Send ${Object.values(types).join(" or ")}` })
  }
  const bytes = yield* bodyBytesOf(request)
  const addUnits = yield* AddUnits
  yield* addUnits(1 + Math.floor(bytes.length / limitSettings.unitBytes))
  const row = type === types.json ? rowOfJson(bytes) : readOtlpProtobuf(bytes, signal, limits)
  if (row === null) return yield* unreadable(type === types.json ? "an object of JSON" : "a message of OTLP")
  const leftOut = yield* observe(accountId, row).pipe(
    Effect.catchTag("LedgerUnavailable", unavailable("The ledger"))
  )
  return answerOf(signal, type, leftOut)
})

export const layer: Layer.Layer<
  never, never, Authorization | AuthorizationIfVerifiable | Catalog | HttpRouter.HttpRouter | Settings
> = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const authorize = yield* makeAuthorize
  const ports = yield* Effect.context<Catalog | Settings>()
  for (const group of Object.values<HttpApiGroup.Top>(Object(OtlpApi.groups))) {
    for (const endpoint of Object.values(group.endpoints)) {
      const signal = endpoint.identifier === "traces" ? "traces" : "logs"
      // The authorization provides the services that the answer still needs.
      const answer = Effect.provide(receive(signal), ports) as unknown as Effect.Effect<Response>
      yield* router.add("POST", endpoint.path as "/", authorize(endpoint, group, answer) as typeof answer)
    }
  }
}))
