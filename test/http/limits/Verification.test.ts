import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { parse } from "../../../src/accounts/Key.ts"
import { KeyRejected, Keys } from "../../../src/accounts/Keys.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { parseNetwork } from "../../../src/http/limits/Addresses.ts"
import { makeReadiness, type ReadinessState } from "../../../src/http/Readiness.ts"
import { localMemory } from "../../engine/pipelines.ts"
import { sendRequest, goodKey, fakeService } from "../FakeService.ts"
import { memoryServer } from "../../support/InProcess.ts"

const secret = "0123456789abcdef0123456789abcdef"
const good = `sxt_acme_known_${secret}`
const newcomer = `sxt_acme_new_${secret}`
const bad = `sxt_acme_bad_${secret}`

/** A key store that counts what it is asked, and knows keys once it has verified them. */
const store = { asked: 0, known: new Set<string>() }
const keys = Layer.succeed(Keys, {
  verify: (text) =>
    Effect.suspend(() => {
      const key = parse(Redacted.value(text))
      if (!store.known.has(Redacted.value(text))) store.asked++
      if (key === null || key.keyId === "bad") return Effect.fail(new KeyRejected())
      store.known.add(key.text)
      return Effect.succeed({ accountId: AccountId.make("acme"), key: text, role: "use", remainingMs: null })
    }),
  isKnown: (text) => Effect.sync(() => store.known.has(Redacted.value(text))),
  create: () => Effect.fail(new KeyRejected()),
  register: () => Effect.void,
  rotate: () => Effect.succeed(null),
  list: Effect.succeed([]),
  revoke: () => Effect.succeed(false)
})

const limit = 5
const loopback = parseNetwork("127.0.0.0/8")

const served = (
  trustedProxies: ReadonlyArray<NonNullable<typeof loopback>>,
  readiness: Effect.Effect<ReadinessState> = Effect.succeed("ready")
) =>
  Layer.fresh(memoryServer({ readiness, verification: { failedKeysPerMinute: limit, trustedProxies } })).pipe(Layer.provide([localMemory(), keys, Logger.layer([])]))

const ask = (key: string | null, forwardedFor?: string) =>
  sendRequest("GET", "/memory/v1/account", {
    key, ...(forwardedFor === undefined ? {} : { init: { headers: { "x-forwarded-for": forwardedFor } } })
  })

layer(served([]), { excludeTestServices: true })("an address whose keys have failed too often", (it) => {
  it.effect("is blocked before the key store is queried, and its known keys are accepted", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* ask(good)).status, 200)
      for (let i = 0; i < limit; i++) assert.strictEqual((yield* ask(bad)).status, 401)
      const { asked } = store
      for (const unknown of [bad, newcomer, "nonsense"]) {
        const { body, headers, status } = yield* ask(unknown)
        assert.strictEqual(status, 429, unknown)
        assert.strictEqual(headers.get("content-type"), "application/problem+json")
        assert.deepInclude(body, { type: "about:blank", title: "Too many requests", status: 429 })
        const seconds = Number(headers.get("retry-after"))
        assert.isTrue(seconds >= 1 && seconds <= 60, String(seconds))
      }
      assert.strictEqual(store.asked, asked)
      assert.strictEqual((yield* ask(good)).status, 200)
      assert.strictEqual((yield* ask(null)).status, 401)
      for (const probe of ["/health", "/livez", "/readyz"]) {
        assert.strictEqual((yield* sendRequest("GET", probe, { key: bad })).status, 200, probe)
      }
      // A stranger's header moves nobody to another address.
      assert.strictEqual((yield* ask(newcomer, "198.51.100.7")).status, 429)
    }))
})

const { mark, state } = makeReadiness()

layer(served([], state), { excludeTestServices: true })("before its keys are registered, a process", (it) => {
  it.effect("answers 503 to a key that it does not find, and does not count it as a failed key", () =>
    Effect.gen(function*() {
      yield* mark("schema")
      for (let i = 0; i <= limit; i++) {
        const { headers, status } = yield* ask(bad)
        assert.deepStrictEqual([status, headers.get("retry-after")], [503, "2"])
      }
      assert.strictEqual((yield* ask(good)).status, 200)
      assert.strictEqual((yield* ask(null)).status, 401)
      yield* mark("keys")
      assert.strictEqual((yield* ask(bad)).status, 401)
    }))
})

layer(served(loopback === null ? [] : [loopback]), { excludeTestServices: true })("behind a trusted proxy, an address", (it) => {
  it.effect("is the one that the proxy reports, so that other clients of the proxy are not blocked", () =>
    Effect.gen(function*() {
      for (let i = 0; i < limit; i++) {
        // Whatever the attacker claims to have passed through, the proxy appends where it came from.
        assert.strictEqual((yield* ask(bad, `192.0.2.${i}, 198.51.100.7`)).status, 401)
      }
      const fresh = `sxt_acme_fresh_${secret}`
      assert.strictEqual((yield* ask(fresh, "192.0.2.200, 198.51.100.7")).status, 429)
      assert.strictEqual((yield* ask(fresh, "198.51.100.8")).status, 200)
    }))

  it.effect("of IPv6 is blocked with its whole /64", () =>
    Effect.gen(function*() {
      for (let i = 0; i < limit; i++) {
        assert.strictEqual((yield* ask(bad, `2001:db8:1:2::${i}`)).status, 401)
      }
      assert.strictEqual((yield* ask(bad, "2001:db8:1:2:ffff::1")).status, 429)
      assert.strictEqual((yield* ask(bad, "2001:db8:1:3::1")).status, 401)
    }))
})

layer(fakeService({ verification: { failedKeysPerMinute: limit, trustedProxies: [] } }), { excludeTestServices: true })(
  "at a service, an address whose keys have failed too often",
  (it) => {
    it.effect("can read the health only, and cannot guess keys there either", () =>
      Effect.gen(function*() {
        const health = (key: string) => sendRequest("GET", "/v1/health", { key })
        const scope = ({ body }: { readonly body: Record<string, unknown> }) => Object(body["memory"])["scope"]
        assert.strictEqual(scope(yield* health(goodKey)), "account")
        for (let i = 0; i < limit; i++) assert.strictEqual((yield* health(bad)).status, 200)
        // The good one as well, which this fake store never knows beforehand: it was not looked up.
        const limited = yield* health(goodKey)
        assert.deepStrictEqual([limited.status, scope(limited)], [200, "unauthenticated"])
        for (const path of ["/v1/models", "/v1/memory/health"]) {
          assert.strictEqual((yield* sendRequest("GET", path)).status, 429, path)
        }
        for (const path of ["/v1/capabilities", "/livez", "/readyz", "/docs", "/openapi.json"]) {
          assert.strictEqual((yield* sendRequest("GET", path)).status, 200, path)
        }
      }))
  }
)
