import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../../src/http/docs/DocumentedApi.ts"
import { type Answer, assertProblem, fakeService, keyOfRole, outageKey, sendRequest } from "../FakeService.ts"

/*
 * Provokes the problems of every operation, and finds each in the document. `ClientErrors.test.ts` provokes
 * those of the listener (408, 417, 431), which stand with every operation.
 */

// The document's own type allows other members of a path, which HttpApi does not write.
const document = OpenApi.fromApi(DocumentedApi) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApi.OpenAPISpecOperation>>>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(), path, responses: operation.responses, name: `${method} ${path}`,
    hasBody: "requestBody" in operation, needsKey: operation.security.length > 0,
    // These two answer empty while keys cannot be verified.
    isServedUnverified: path === "/v1/diagnose" || path === "/v1/memory/health"
  })))

layer(fakeService(), { excludeTestServices: true })("the document names the problem", (it) => {
  const titles = {
    400: "Invalid request", 401: "Unauthorized", 403: "Forbidden", 413: "Payload too large", 415: "Unsupported media type",
    503: "Service unavailable"
  } as const
  const assertNamed = (operation: (typeof operations)[number], status: keyof typeof titles, said: Answer) => {
    assert.strictEqual(said.status, status, `${operation.name}: ${said.text}`)
    assertProblem(said, status, titles[status])
    assert.property(operation.responses, String(status), operation.name)
  }

  it.effect("of a missing or wrong key, a role that lacks the right, and keys that cannot be verified", () =>
    Effect.gen(function*() {
      for (const each of operations.filter(({ needsKey }) => needsKey)) {
        const json = each.hasBody ? { json: {} } : {}
        const send = (key: string | null) => sendRequest(each.method, each.path, { key, ...json })
        for (const key of [null, "", "nonsense", "sxt_acme_k9_wrong"]) assertNamed(each, 401, yield* send(key))
        const byReader = yield* send(keyOfRole.read)
        if (byReader.status === 403) assertNamed(each, 403, byReader)
        else assert.strictEqual(each.method === "GET" || each.isServedUnverified, true, each.name)
        if (!each.isServedUnverified) assertNamed(each, 503, yield* send(outageKey))
      }
    }))

  it.effect("of a body that is invalid, too large, encoded, or of another type", () =>
    Effect.gen(function*() {
      for (const each of operations.filter(({ hasBody }) => hasBody)) {
        const send = (body: BodyInit, headers: Record<string, string> = { "content-type": "application/json" }) =>
          sendRequest(each.method, each.path, { key: keyOfRole.admin, init: { body, headers } })
        assertNamed(each, 400, yield* send("[]"))
        assertNamed(each, 413, yield* send(`"${"x".repeat(1_000_001)}"`))
        assertNamed(each, 415, yield* send("task", { "content-type": "text/plain" }))
        const encoded = { "content-type": "application/json", "content-encoding": "gzip" }
        assertNamed(each, 415, yield* send("{}", encoded))
      }
    }))
})

layer(fakeService({ rateLimitPerMinute: 1 }), { excludeTestServices: true })("the document names", (it) => {
  it.effect("429 where an account's quota holds", () =>
    Effect.gen(function*() {
      yield* sendRequest("GET", "/v1/models")
      // Feedback has no quota: its 429 is of an address that tries too many keys (`limits/Verification.test.ts`).
      for (const each of operations.filter(({ needsKey, path }) => needsKey && path !== "/v1/feedback")) {
        assertProblem(yield* sendRequest(each.method, each.path, {
          key: keyOfRole.admin, ...(each.hasBody ? { json: {} } : {})
        }), 429, "Too many requests")
        assert.property(each.responses, "429", each.name)
      }
    }))
})
