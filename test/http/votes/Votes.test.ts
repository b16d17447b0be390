import { assert, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, Tracer } from "effect"
import { HttpServer } from "effect/http"
import { once } from "node:events"
import { connect } from "node:net"
import { VoteSecrets } from "../../../src/accounts/VoteSecrets.ts"
import { readToken, signed } from "../../../src/accounts/VoteToken.ts"
import { AccountId } from "../../../src/domain/Scope.ts"
import { limitSettings } from "../../../src/http/limits/LimitSettings.ts"
import { LedgerUnavailable } from "../../../src/ledger/Ledger.ts"
import * as VoteSecretsLocal from "../../local/VoteSecretsLocal.ts"
import { ledgerOf } from "../../support/fakes.ts"
import { account, engineService, feedback, key, recommend } from "../EngineService.ts"
import { sendRequest } from "../FakeService.ts"

const voteOn = (token: string, json: unknown, init: RequestInit = {}) =>
  sendRequest("POST", `/v1/votes/${token}`, { key: null, json, init })

const asked = (over: object = {}) =>
  Effect.map(recommend({ vote: true, ...over }), ({ body }) => ({
    id: String(body["recommendation_id"]), token: String(body["vote_token"])
  }))

const decisionOf = (id: string) =>
  Effect.map(sendRequest("GET", `/v1/decision?recommendation_id=${id}`, { key }), ({ body }) =>
    body["decision"] as Record<string, any>)

/** The decision once it is so: votes are counted after their answers. */
const decisionWhen = (id: string, isSo: (decision: Record<string, any>) => boolean) =>
  Effect.gen(function*() {
    for (let tries = 0; tries < 200; tries++) {
      const decision = yield* decisionOf(id)
      if (isSo(decision)) return decision
      yield* Effect.sleep("20 millis")
    }
    return assert.fail("the vote was not counted")
  })

const labelOf = (decision: Record<string, any>) => {
  const [first] = decision["outcomes"]
  return first === undefined ? null : [first.model_id, first.provenance, first.outcome]
}

const serviceWith = (ports: Parameters<typeof engineService>[0] = {}) => Effect.provide(engineService(ports))

it.live("a request without `vote` has no token, and one with it has the same one each time it is asked for", () =>
  Effect.gen(function*() {
    assert.notProperty((yield* recommend()).body, "vote_token")
    const { id, token } = yield* asked()
    const read = readToken(token)
    assert.deepStrictEqual([read?.accountId, read?.recommendationId, read?.version], [account, id, 1])
    assert.deepInclude((yield* recommend({ vote: true, detail: "short" })).body, { warnings: ["cold_start"] })
  }).pipe(serviceWith()))

it.live("a vote waits for the report that says which model ran, and is then its label", () =>
  Effect.gen(function*() {
    const { id, token } = yield* asked()
    const seen = yield* voteOn(token, { thumb: "down", comment: "wrong" })
    assert.deepStrictEqual([seen.status, seen.body], [200, { received: true }])
    const waiting = yield* decisionWhen(id, (decision) => decision["vote"] !== null)
    assert.deepInclude(waiting["vote"], { thumb: "down", comment: "wrong" })
    assert.isNull(labelOf(waiting))
    yield* feedback(id, { evidence_source: "none", outcome: "success", latency_ms: 12, chosen_model_id: "dear" })
    assert.deepStrictEqual(labelOf(yield* decisionOf(id)), ["dear", "vote", "failure"])
  }).pipe(serviceWith()))

it.live("a vote that comes after the report is the label of the model that ran last, and the last vote counts", () =>
  Effect.gen(function*() {
    const { id, token } = yield* asked()
    yield* feedback(id, { evidence_source: "none", chosen_model_id: "middle" })
    yield* feedback(id, { outcome: "failure", error_cause: "infra", chosen_model_id: "dear" })
    for (const thumb of ["up", "down", "up", "up"] as const) {
      yield* voteOn(token, { thumb })
      const outcome = thumb === "up" ? "success" : "failure"
      const decision = yield* decisionWhen(id, ({ outcomes }) =>
        outcomes.some((each: Record<string, any>) => each["provenance"] === "vote" && each["outcome"] === outcome))
      const voted = decision["outcomes"].filter((each: Record<string, any>) => each["provenance"] === "vote")
      assert.deepStrictEqual(voted.map((each: Record<string, any>) => each["model_id"]), ["middle"])
    }
  }).pipe(serviceWith()))

it.live("a thumb that turns after another model was reported replaces the vote of the first one", () =>
  Effect.gen(function*() {
    const { id, token } = yield* asked()
    yield* feedback(id, { evidence_source: "none", chosen_model_id: "middle" })
    for (const thumb of ["up", "down", "up"] as const) {
      yield* voteOn(token, { thumb })
      const outcome = thumb === "up" ? "success" : "failure"
      const decision = yield* decisionWhen(id, ({ outcomes }) =>
        outcomes.some((each: Record<string, any>) => each["provenance"] === "vote" && each["outcome"] === outcome))
      const voted = decision["outcomes"].filter((each: Record<string, any>) => each["provenance"] === "vote")
      assert.deepStrictEqual(voted.map((each: Record<string, any>) => each["model_id"]), ["middle"])
      yield* feedback(id, { evidence_source: "none", chosen_model_id: "dear" })
    }
  }).pipe(serviceWith()))

it.live("a vote never replaces what a gate, a person, a judge or the caller said, whichever came first", () =>
  Effect.gen(function*() {
    for (const source of ["gate", "human", "judge", undefined]) {
      const said = source ?? "assertion"
      const before = yield* asked()
      yield* voteOn(before.token, { thumb: "down" })
      yield* decisionWhen(before.id, ({ vote }) => vote !== null)
      yield* feedback(before.id, { evidence_source: source })
      assert.deepStrictEqual(labelOf(yield* decisionOf(before.id)), ["cheap", said, "success"])
      const after = yield* asked()
      yield* feedback(after.id, { evidence_source: source })
      yield* voteOn(after.token, { thumb: "down" })
      yield* decisionWhen(after.id, ({ vote }) => vote !== null)
      yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(labelOf(yield* decisionOf(after.id)), ["cheap", said, "success"])
    }
  }).pipe(serviceWith()))

it.live("a backend that collects thumbs by itself may report `vote`, which counts as no verified outcome", () =>
  Effect.gen(function*() {
    const { body } = yield* recommend()
    const reported = yield* feedback(body["recommendation_id"], { evidence_source: "vote" })
    assert.isTrue(reported.body["accepted"])
    const { body: worth } = yield* sendRequest("GET", "/v1/policy-value", { key })
    assert.deepInclude(worth["report"], { n_trusted: 0, n_total_reconciled: 1 })
  }).pipe(serviceWith()))

it.live("wrong, ended, foreign, cut and long tokens are answered as a good one, and count nothing", () =>
  Effect.gen(function*() {
    const secrets = yield* VoteSecrets
    const { id, token } = yield* asked()
    const secret = yield* secrets.readOrMake(account)
    const good = readToken(token) ?? assert.fail("no token")
    const foreign = yield* secrets.readOrMake(AccountId.make("other"))
    const shown = (seen: { status: number; text: string; headers: Headers }) =>
      [seen.status, seen.text, seen.headers.get("access-control-allow-origin")]
    const wrong = [
      token.slice(0, -1), token.slice(0, 40), `${token}x`, token.toUpperCase(), "x", "%00", "%F0%9F%A6%89", "a".repeat(400),
      token.replace(/\.[\w-]{43}\./, `.${"A".repeat(43)}.`),
      signed({ ...good, expiresAtSeconds: 1 }, secret), signed(good, foreign), signed({ ...good, accountId: AccountId.make("other") }, secret),
      signed(good, { ...secret, version: 2 })
    ]
    const expected = shown(yield* voteOn(token, { thumb: "up" }))
    yield* decisionWhen(id, ({ vote }) => vote !== null)
    for (const each of wrong) assert.deepStrictEqual(shown(yield* voteOn(each, { thumb: "down" })), expected, each)
    yield* Effect.sleep("100 millis")
    assert.strictEqual((yield* decisionOf(id))["vote"].thumb, "up")
    yield* secrets.rotate(account)
    assert.deepStrictEqual(shown(yield* voteOn(token, { thumb: "down" })), expected)
    yield* Effect.sleep("100 millis")
    assert.strictEqual((yield* decisionOf(id))["vote"].thumb, "up")
    const later = yield* asked()
    assert.strictEqual(readToken(later.token)?.version, 2)
    yield* voteOn(later.token, { thumb: "down" })
    yield* decisionWhen(later.id, ({ vote }) => vote !== null)
  }).pipe(
    Effect.provide(Layer.unwrap(Effect.map(VoteSecrets, (secrets) =>
      engineService({ voteSecrets: Layer.succeed(VoteSecrets, secrets) })))),
    Effect.provide(Layer.fresh(VoteSecretsLocal.layer))
  ))

it.live("a token is in no span and no log line, however its path is spelled", () =>
  Effect.gen(function*() {
    const seen: Array<string> = []
    const note = (value: unknown) => void seen.push(String(value))
    const tracer = Tracer.make({
      span: (options) => {
        note(options.name)
        const made = new Tracer.NativeSpan(options)
        const attribute = made.attribute.bind(made)
        made.attribute = (key, value) => {
          note(value)
          attribute(key, value)
        }
        return made
      }
    })
    const logger = Logger.make(({ cause, message }) => note(`${String(message)} ${Cause.pretty(cause)}`))
    const traced = Layer.provide(
      engineService({}), [Layer.succeed(Tracer.Tracer, tracer), Logger.layer([logger])]
    )
    yield* Effect.provide(Effect.gen(function*() {
      const { token } = yield* asked()
      for (const path of ["/v1/votes/", "/V1//VOTES/", "/v1/v%6ftes/", "/v1/vote/", "/vots/"]) {
        for (const suffix of ["", "/", "/more", "?key=1"]) {
          yield* sendRequest("POST", `${path}${token}${suffix}`, { key: null, json: { thumb: "up" } })
        }
      }
      yield* Effect.sleep("200 millis")
      assert.isTrue(seen.some((each) => each.includes("/v1/recommend")))
      for (const each of seen) assert.notInclude(each, token)
    }), traced)
  }))

it.live("a page of any origin may vote, without credentials, and reads every refusal", () =>
  Effect.gen(function*() {
    const origin = { origin: "https://shop.example" }
    const { token } = yield* asked()
    const preflight = yield* sendRequest("OPTIONS", `/v1/votes/${token}`, {
      key: null,
      init: { headers: { ...origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" } }
    })
    assert.strictEqual(preflight.status, 204)
    const bodies: ReadonlyArray<readonly [status: number, init: RequestInit]> = [
      [200, { body: `{"thumb":"up"}` }], [200, { body: `{"thumb":"down","comment":${JSON.stringify("🦉".repeat(1_500))}}` }],
      [400, { body: `{"thumb":"sideways"}` }], [400, { body: "{" }], [400, { body: "[]" }], [400, { body: `{"comment":"x"}` }],
      [413, { body: JSON.stringify({ thumb: "up", comment: "x".repeat(20_000) }) }],
      [415, { body: "thumb=up", headers: { ...origin, "content-type": "text/plain" } }],
      [405, { method: "GET" }]
    ]
    for (const [status, init] of bodies) {
      for (const each of [token, "wrong"]) {
        const seen = yield* sendRequest(init.method ?? "POST", `/v1/votes/${each}`, {
          key: null, init: { headers: { ...origin, "content-type": "application/json" }, ...init }
        })
        assert.strictEqual(seen.status, status, `${String(init.body).slice(0, 40)} ${seen.text}`)
        assert.strictEqual(seen.headers.get("access-control-allow-origin"), "*")
        assert.isNull(seen.headers.get("access-control-allow-credentials"))
        assert.notInclude(seen.text, each)
      }
    }
    const elsewhere = yield* sendRequest("GET", "/v1/capabilities", { key: null, init: { headers: origin } })
    assert.isNull(elsewhere.headers.get("access-control-allow-origin"))
    assert.strictEqual(preflight.headers.get("access-control-allow-methods"), "POST")
    assert.strictEqual(preflight.headers.get("access-control-allow-headers"), "content-type")
  }).pipe(serviceWith()))

it.live("an answer takes so many votes an hour, and an address so many a minute, whatever the tokens are", () =>
  Effect.gen(function*() {
    const { votesPerAddress, votesPerToken } = limitSettings
    const { token } = yield* asked()
    for (const each of [token, "forged"]) {
      const answers = yield* Effect.forEach(Array.from({ length: votesPerToken + 1 }), (_, i) =>
        voteOn(each, { thumb: i % 2 === 0 ? "up" : "down" }))
      assert.deepStrictEqual(answers.map(({ status }) => status), [...Array(votesPerToken).fill(200), 429])
      assert.isAbove(Number(answers.at(-1)?.headers.get("retry-after")), 0)
    }
    const flood = yield* Effect.forEach(Array.from({ length: votesPerAddress }), (_, i) =>
      voteOn(`forged-${i}`, { thumb: "up" }), { concurrency: 16 })
    const statuses = new Set(flood.map(({ status }) => status))
    assert.deepStrictEqual([...statuses].sort(), [200, 429])
    assert.strictEqual((yield* voteOn(token, { thumb: "up" })).status, 429)
    assert.strictEqual((yield* recommend()).status, 200)
  }).pipe(serviceWith()))

it.live("further spellings of a token and tokens of another version share the votes of their answer", () =>
  Effect.gen(function*() {
    const { id, token } = yield* asked()
    const other = token.replace(/^1/, "2")
    for (let i = 0; i < limitSettings.votesPerToken; i++) {
      assert.strictEqual((yield* voteOn(i % 2 === 0 ? token : other, { thumb: "up" })).status, 200)
    }
    assert.strictEqual((yield* voteOn(token, { thumb: "up" })).status, 429)
    const turned = yield* decisionWhen(id, ({ vote }) => vote !== null)
    yield* voteOn(`0${token}`, { thumb: "down" })
    yield* Effect.sleep("100 millis")
    assert.deepStrictEqual((yield* decisionOf(id))["vote"], turned["vote"])
  }).pipe(serviceWith()))

it.live("while the ledger or the secrets are out a good token is answered as a wrong one", () =>
  Effect.gen(function*() {
    const { token } = yield* asked()
    for (const each of [token, "wrong"]) assert.strictEqual((yield* voteOn(each, { thumb: "up" })).status, 200)
  }).pipe(
    serviceWith({ ledger: ledgerOf({ record: () => Effect.void, vote: () => Effect.fail(LedgerUnavailable.timedOut(1)) }) })
  ))

it.live("bodies of votes that do not come keep out other votes, and no recommendation", () =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    const { voteBytesMax, votesBytesMax } = limitSettings
    const count = Math.ceil(votesBytesMax / voteBytesMax)
    yield* Effect.acquireRelease(
      Effect.promise(() => Promise.all(Array.from({ length: count }, async (_, i) => {
        const length = Math.min(voteBytesMax, votesBytesMax - i * voteBytesMax)
        const socket = connect(port, "127.0.0.1")
        socket.on("error", () => {})
        await once(socket, "connect")
        const head = ["POST /v1/votes/x HTTP/1.1", "host: a", "content-type: application/json", `content-length: ${length}`]
        socket.write(`${head.join("\r\n")}\r\n\r\n{`)
        return socket
      }))),
      (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
    )
    let status = 200
    for (let tries = 0; tries < 100 && status === 200; tries++) {
      yield* Effect.sleep("20 millis")
      status = (yield* voteOn(`x${tries}`, { thumb: "up" })).status
    }
    assert.strictEqual(status, 503)
    assert.strictEqual((yield* recommend()).status, 200)
  }).pipe(Effect.scoped, serviceWith()))
