import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { readFileSync } from "node:fs"
import { HealthResponse } from "../../src/domain/System.ts"
import { database, hasServer, makeFront, preloaded, type Script } from "../faults/setup.ts"
import { onServer, temporaryDirectory } from "../support/Databases.ts"
import { requestJson, type Service, startService, stopService } from "../support/Service.ts"

interface Card {
  readonly model_id: string
  readonly input_cost_per_mtok: number
  readonly output_cost_per_mtok: number
}

// The seam: the file is ours.
const { models } = JSON.parse(readFileSync(new URL("../../src/catalog/file/cards.json", import.meta.url), "utf8")) as {
  readonly models: ReadonlyArray<Card>
}

/** LiteLLM's list with every bundled model this much dearer; the other two sources are down. */
const dearer = (factor: number): Script => (request, response) => {
  if (request.url?.includes("githubusercontent") !== true) response.writeHead(500).end("down")
  else {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(Object.fromEntries(
      models.map((card) => [card.model_id, {
        input_cost_per_token: card.input_cost_per_mtok * factor / 1e6,
        output_cost_per_token: card.output_cost_per_mtok * factor / 1e6
      }])
    )))
  }
  return "answered"
}

const catalogVersion = (service: Service) =>
  Effect.map(requestJson(HealthResponse, service, "/v1/health"), ({ catalog }) => catalog.version)

const mute: Script = () => "answered"

/** Waits until all copies have one version, and another than this. */
const agreed = (copies: ReadonlyArray<Service>, not: string) =>
  Effect.repeat(Effect.forEach(copies, catalogVersion), {
    until: (versions) => versions.every((each) => each === versions[0] && each !== not),
    schedule: Schedule.spaced("100 millis"),
    times: 600
  }).pipe(Effect.map(([version, ...others]) => {
    assert.deepStrictEqual(others, copies.slice(1).map(() => version))
    assert.notStrictEqual(version, not)
    return version ?? ""
  }))

const world = Effect.gen(function*() {
  const front = yield* makeFront("http://127.0.0.1:9")
  const url = yield* database
  const copy = Effect.gen(function*() {
    return yield* startService({
      ...preloaded, DATABASE_URL: url, SEXTANT_DATA_DIR: yield* temporaryDirectory,
      SEXTANT_CATALOG_REFRESH: "on", FAULTS_FETCH: `http://127.0.0.1:${front.port}`
    })
  })
  return { front, url, copy }
})

describe.skipIf(!hasServer)("the prices of copies on one database", () => {
  it.live("are fetched by one copy per interval, and are the same in all", () =>
    Effect.gen(function*() {
      const { copy, front, url } = yield* world
      front.state.script = dearer(1.25)
      const [a, b] = yield* Effect.all([copy, copy], { concurrency: 2 })
      const bundled = yield* catalogVersion(yield* startService({ DATABASE_URL: url }))
      const first = yield* agreed([a, b], bundled)
      // Three sources, asked once each.
      assert.lengthOf(front.heard, 3)

      front.state.script = dearer(1.5)
      // As if the interval had gone by, by the only clock that counts.
      yield* onServer(url, "update shared_prices set due_at = now()")
      const second = yield* agreed([a, b], first)
      assert.lengthOf(front.heard, 6)

      const late = yield* copy
      assert.strictEqual(yield* agreed([a, b, late], first), second)
      assert.lengthOf(front.heard, 6)
      assert.deepStrictEqual([yield* stopService(a), yield* stopService(b), yield* stopService(late)], [0, 0, 0])
    }), 180_000)

  it.live("are fetched by another copy when the fetching one is killed", () =>
    Effect.gen(function*() {
      const { copy, front, url } = yield* world
      front.state.script = mute
      const holder = yield* copy
      const bundled = yield* catalogVersion(holder)
      while (front.heard.length < 3) yield* Effect.sleep("20 millis")
      yield* holder.kill("SIGKILL")
      front.state.script = dearer(1.25)
      const [b, c] = yield* Effect.all([copy, copy], { concurrency: 2 })
      // Nobody reads while the dead one's turn may still be settled.
      assert.lengthOf(front.heard, 3)
      // As if its lease had gone by.
      yield* onServer(url, "update shared_prices set leased_until = now()")
      yield* agreed([b, c], bundled)
      assert.lengthOf(front.heard, 6)
    }), 180_000)
})
