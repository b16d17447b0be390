import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { HttpServerRequest } from "effect/http"
import { Admissions, makeAdmission, type Ticket } from "../../../src/http/limits/Admission.ts"
import { admitting, unitsOf } from "../../../src/http/limits/Admitting.ts"
import { limitSettings } from "../../../src/http/limits/LimitSettings.ts"
import { coldLoad } from "../../../src/resilience/ColdLoad.ts"
import { PartTurns } from "../../../src/resilience/CooperativeYield.ts"

const idle = { heapShare: 0, processorShare: 0, loopDelayMs: 0, loopShare: 0 }
const request = HttpServerRequest.fromWeb(new Request("http://x/v1/models"))
/** Steps after which the runtime lets another request run: one of them falls between any two steps of a request. */
const budgets = Array.from({ length: 20 }, (_, index) => index + 3)

it.live("a turn that comes while its request begins to wait is not lost", () =>
  Effect.forEach(budgets, (steps) =>
    Effect.gen(function*() {
      const admit = yield* admitting(null)
      const requests = Array.from({ length: 20 }, (_, index) => admit("acme", "read")(Effect.succeed(index)).pipe(
        Effect.provideService(References.MaxOpsBeforeYield, steps)
      ))
      const answers = yield* Effect.all(requests, { concurrency: "unbounded" }).pipe(Effect.timeoutOption("2 seconds"))
      assert.isTrue(answers._tag === "Some", `requests wait for ever at ${steps} steps`)
    }).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(
        Admissions, makeAdmission(() => idle, { ...limitSettings, turnsAtFirst: 1, turnsAtOnce: 1 })
      )
    )))

it.live("what a request and its parts load counts for their account while it is loaded", () =>
  Effect.gen(function*() {
    const admissions = makeAdmission(() => idle)
    const loading: Array<string> = []
    const counted = {
      ...admissions,
      beginColdLoad: (ticket: Ticket) => {
        const end = admissions.beginColdLoad(ticket)
        loading.push(ticket.account)
        return () => {
          loading.pop()
          end()
        }
      }
    }
    const admit = yield* Effect.provideService(admitting(null), Admissions, counted)
    const during = Effect.sync(() => [...loading])
    const load = coldLoad(during)
    const parts = Effect.flatMap(Effect.flatten(PartTurns), (inTurn) => Effect.all([inTurn(load), inTurn(during)]))
    const answer = yield* admit("acme", "recommend")(Effect.all([load, coldLoad(load), during, parts])).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
    assert.deepStrictEqual(answer, [["acme"], ["acme", "acme"], [], [["acme"], []]])
  }))

it("a request has one unit, and one more for every 100,000 bytes of its body", () => {
  const units = [{}, { "content-length": "99999" }, { "content-length": "250000" }, { "transfer-encoding": "chunked" }]
    .map(unitsOf)
  assert.deepStrictEqual(units, [1, 1, 3, 11])
})
