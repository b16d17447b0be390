// The configuration of HAProxy in docs/running/scaling.md, before two servers that say which installation they are.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../support/Databases.ts"
import { startHttpServer } from "../support/HttpServer.ts"
import { freePort } from "../support/PostgresCluster.ts"
import { canary, ServiceFailed, spawnCommand } from "../support/Service.ts"

const program = "/usr/sbin/haproxy"
const page = readFileSync(new URL("../../docs/running/scaling.md", import.meta.url), "utf8")
const [, block = ""] = /^```haproxy\n([\s\S]*?)^```$/m.exec(page) ?? []

const answerTo = (baseUrl: string, authorization: string | null) =>
  Effect.promise(async () => {
    const answer = await fetch(`${baseUrl}/v1/recommend`, {
      method: "POST", body: "{}", headers: authorization === null ? {} : { authorization }
    })
    return answer.text()
  })

/** The block as it stands, but for its addresses. */
const balancer = Effect.gen(function*() {
  const copies = { "first-1": "first", "first-2": "first", "second-1": "second" }
  const port = yield* Effect.promise(freePort)
  let text = block.replace("bind :8080", `bind 127.0.0.1:${port}`)
  for (const [copy, name] of Object.entries(copies)) {
    const { port: own } = yield* startHttpServer((_, response) => response.end(name))
    text = text.replace(` ${copy}:8080`, ` 127.0.0.1:${own}`)
  }
  assert.notInclude(text, ":8080")
  const file = join(yield* temporaryDirectory, "haproxy.cfg")
  writeFileSync(file, text)
  const { stderr } = yield* spawnCommand(program, ["-db", "-f", file], {})
  const baseUrl = `http://127.0.0.1:${port}`
  yield* Effect.tryPromise(() => fetch(baseUrl)).pipe(
    Effect.retry({ times: 100, schedule: Schedule.spaced("50 millis") }),
    Effect.mapError(() => new ServiceFailed({ message: stderr() }))
  )
  return baseUrl
})

describe.skipIf(!existsSync(program))("the balancer before two installations", () => {
  it.live("sends each key to the installation of its instance", () =>
    Effect.gen(function*() {
      const baseUrl = yield* balancer
      for (const instance of ["acme", "globex"]) {
        for (const scheme of ["Bearer ", "bearer ", "Bearer  "]) {
          assert.strictEqual(yield* answerTo(baseUrl, `${scheme}sxt_${instance}_k1_${canary}`), "second", instance)
        }
      }
      for (const instance of ["umbrella", "acm", "acme2", "k1"]) {
        assert.strictEqual(yield* answerTo(baseUrl, `Bearer sxt_${instance}_acme_globex`), "first", instance)
      }
    }))

  it.live("sends what has no key of this form to the first one", () =>
    Effect.gen(function*() {
      const baseUrl = yield* balancer
      for (const authorization of [null, "Bearer other", "Basic YWNtZTo="]) {
        assert.strictEqual(yield* answerTo(baseUrl, authorization), "first", String(authorization))
      }
    }))
})
