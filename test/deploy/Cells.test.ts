// The shipped HAProxy configuration before two real services, each on a PostgreSQL database of its own.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { parse } from "yaml"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ask } from "../../src/cli/Routing.ts"
import { lacking, shipped, startBalancer, startCell } from "../cluster/cells.ts"
import { onServer } from "../support/Databases.ts"
import { canary, sendRequest } from "../support/Service.ts"

const accounts = Array.from({ length: 20 }, (_, n) => `team-${n}`)
const cellOf = (account: string) => accounts.indexOf(account) % 2 === 0 ? "cell_a" : "cell_b"
const accountsOf = (cell: string) => accounts.filter((account) => cellOf(account) === cell)
const keyOf = (account: string) => `sxt_${account}_k1_${canary}`
const question = { task: { task: "Write a function that sums a list" } }

const post = (baseUrl: string, account: string, path: string, body: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `bearer ${keyOf(account)}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    return { answer, body: await answer.json() as Readonly<Record<string, unknown>> }
  })

/** A recommendation, and the report on it, which is repeated as clients do; yields both statuses. */
const turn = Effect.fnUntraced(function*(baseUrl: string, account: string) {
  const { answer, body } = yield* post(baseUrl, account, "/v1/recommend", question)
  if (answer.status !== 200) return [answer.status]
  const feedback = yield* post(baseUrl, account, "/v1/feedback", {
    recommendation_id: body["recommendation_id"], outcome: "success", idempotency_key: `${account}-1`
  }).pipe(Effect.repeat({ until: (told) => told.answer.status !== 503, schedule: Schedule.spaced("1 second"), times: 5 }))
  return [answer.status, feedback.answer.status]
})

const storedIn = (url: string) =>
  Effect.map(onServer<{ readonly account_id: string }>(url,
    "select distinct account_id from decision where account_id like 'team-%' order by 1"),
  (rows) => rows.map(({ account_id }) => account_id))

if (lacking !== null) {
  describe.skip(`cells behind HAProxy (${lacking})`, () => it("are not tried here", () => {}))
} else {
  describe("cells behind HAProxy", () => {
    it.live("keep each account in its own database, and a killed one leaves the other's accounts unharmed", () =>
      Effect.gen(function*() {
        const [a, b] = yield* Effect.all(["cell_a", "cell_b"].map((cell) => startCell(accountsOf(cell).map(keyOf))), {
          concurrency: 2
        })
        if (a === undefined || b === undefined) return assert.fail("two cells start")
        const map = new Map(accounts.map((account) => [account, cellOf(account)]))
        const { baseUrl, socket } = yield* startBalancer(map, a.address, b.address)
        const all = (names: ReadonlyArray<string>) =>
          Effect.forEach(names, (account) => turn(baseUrl, account), { concurrency: 5 })
        for (const statuses of yield* all(accounts)) assert.deepStrictEqual(statuses, [200, 200])
        assert.sameMembers(yield* storedIn(a.url), accountsOf("cell_a"))
        assert.sameMembers(yield* storedIn(b.url), accountsOf("cell_b"))

        // An account of no cell is told so; a request without a key, or with none of this form, goes to any cell.
        const unknown = yield* post(baseUrl, "nobody", "/v1/recommend", question)
        assert.strictEqual(unknown.answer.status, 401)
        assert.strictEqual(unknown.answer.headers.get("content-type"), "application/problem+json")
        assert.include(String(unknown.body["detail"]), "No cell has the account")
        assert.strictEqual((yield* sendRequest({ baseUrl, key: "other" }, "/docs")).status, 200)
        assert.strictEqual((yield* sendRequest({ baseUrl, key: "other" }, "/v1/recommend", question)).status, 401)

        // A reader's vote has no key, and goes to the cell of the account that its token names.
        const asked = yield* post(baseUrl, "team-1", "/v1/recommend", { ...question, vote: true })
        const vote = yield* sendRequest({ baseUrl, key: "" }, `/v1/votes/${asked.body["vote_token"]}`, { thumb: "up" })
        assert.strictEqual(vote.status, 200)
        const voted = "select 1 from decision where account_id = 'team-1' and vote is not null"
        yield* Effect.repeat(Effect.delay(onServer(b.url, voted), 50), { until: (rows) => rows.length === 1 }).pipe(
          Effect.timeout("10 seconds")
        )

        // The map follows the runtime socket: the service of the other cell does not know the key.
        assert.strictEqual(yield* ask(socket, "set map cells.map team-0 cell_b"), "")
        assert.strictEqual((yield* post(baseUrl, "team-0", "/v1/recommend", question)).answer.status, 401)
        assert.strictEqual(yield* ask(socket, "set map cells.map team-0 cell_a"), "")

        yield* a.service.kill("SIGKILL")
        yield* a.service.exitCode
        const [outages, others] = yield* Effect.all([
          Effect.forEach(accountsOf("cell_a"), (account) => post(baseUrl, account, "/v1/recommend", question),
            { concurrency: 10 }),
          all(accountsOf("cell_b"))
        ], { concurrency: 2 })
        for (const statuses of others) assert.deepStrictEqual(statuses, [200, 200])
        for (const { answer, body } of outages) {
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
          assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
          assert.strictEqual(body["status"], 503)
        }
        assert.strictEqual((yield* sendRequest({ baseUrl, key: "" }, "/docs")).status, 200)
      }), 120_000)
  })
}

describe("the composition of two cells", () => {
  const { networks, services, volumes } = parse(readFileSync(join(shipped, "docker-compose.yml"), "utf8"), { merge: true })
  const rootImage = parse(readFileSync(join(shipped, "../../docker-compose.yml"), "utf8")).services.sextant.image

  it("gives each cell a service, a PostgreSQL and its replica, which no other cell reaches", () => {
    assert.sameMembers(Object.keys(services), ["balancer",
      ...["a", "b"].flatMap((cell) => [`secrets-${cell}`, `postgres-${cell}`, `replica-${cell}`, `cell-${cell}`])])
    for (const cell of ["a", "b"]) {
      assert.deepStrictEqual(services[`postgres-${cell}`].networks, { [`storage-${cell}`]: { aliases: ["postgres"] } })
      assert.deepStrictEqual(services[`replica-${cell}`].networks, { [`storage-${cell}`]: { aliases: ["replica"] } })
      assert.deepStrictEqual(services[`cell-${cell}`].networks, ["front", `storage-${cell}`])
      assert.strictEqual(services[`cell-${cell}`].image, rootImage)
      assert.isTrue(networks[`storage-${cell}`].internal)
      assert.include(services[`cell-${cell}`].environment, {
        OTEL_RESOURCE_ATTRIBUTES: `sextant.cell=cell_${cell}`, DATABASE_URL_FILE: "/secrets/database/url"
      })
    }
    assert.deepStrictEqual(services.balancer.networks, ["front"])
  })

  it("gives up every privilege, and mounts what is there", () => {
    for (const [name, service] of Object.entries<Record<string, ReadonlyArray<string>>>(services)) {
      assert.isTrue(Boolean(service["read_only"]), name)
      assert.deepStrictEqual(service["cap_drop"], ["ALL"], name)
      for (const volume of service["volumes"] ?? []) {
        const [source = ""] = volume.split(":")
        if (source.startsWith("./")) assert.isTrue(existsSync(join(shipped, source)), volume)
        else {
          assert.property(volumes, source, name)
          assert.isTrue(name === "balancer" || source.endsWith(name.slice(-2)), `${name} mounts ${source}`)
        }
      }
    }
  })
})
