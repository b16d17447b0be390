import { assert, describe, layer, vi } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { gzipSync } from "node:zlib"
import { type FakeReasoner, fakeReasoner, honest, type Trouble } from "../reasoner/fake.ts"
import { type Service, startService } from "../support/Service.ts"
import { inTime, type Traffic, trafficOf } from "./invariants.ts"
import { type Fault, makeProxy, none, type Proxy } from "./proxy.ts"
import { database, hasServer, isFullRun, recallBudgetMs, fixedSettings } from "./setup.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const secret = "canary-reasoner-fault-0123456789"
const reasonerBudgetMs = 700

interface ReasonedWorld {
  readonly service: Service
  readonly fake: FakeReasoner
  readonly proxy: Proxy
}

class World extends Context.Service<World, ReasonedWorld>()("test/faults/Reasoner/World") {
  static readonly layer = Layer.effect(World, Effect.gen(function*() {
    const fake = yield* fakeReasoner
    const proxy = yield* makeProxy(Number(fake.url.port))
    const service = yield* startService({
      ...fixedSettings,
      DATABASE_URL: yield* database,
      SEXTANT_REASONER_URL: `http://127.0.0.1:${proxy.port}/v1`,
      SEXTANT_REASONER_MODEL: "gpt-4.1-mini",
      SEXTANT_REASONER_API_KEY: secret,
      SEXTANT_REASONER_TIMEOUT_MS: String(reasonerBudgetMs)
    })
    return { service, fake, proxy }
  }))
}

const asking = { allow_llm_escalation: true }
const judging = (warnings: ReadonlyArray<string>) => warnings.filter((warning) => /^(reasoner_|llm_)/.test(warning))

/** With the fault each answer is the deterministic one and says so; after it the reasoner is asked again. */
const through = Effect.fnUntraced(function*<E>(
  inject: (world: ReasonedWorld) => Effect.Effect<unknown, E>
) {
  const world = yield* World
  const traffic = trafficOf(world.service)
  const plain = (yield* traffic.recommend(1)).answers[0]
  yield* Effect.gen(function*() {
    yield* inject(world)
    const asked = yield* traffic.recommend(3, asking)
    for (const { decisionBasis, recommendedModel, warnings } of asked.answers) {
      assert.deepStrictEqual(judging(warnings), ["reasoner_failed"])
      assert.strictEqual(decisionBasis, "prior")
      assert.strictEqual(recommendedModel.modelId, plain?.recommendedModel.modelId)
    }
    inTime(asked, reasonerBudgetMs + recallBudgetMs)
  }).pipe(Effect.ensuring(Effect.andThen(world.proxy.set(none), Effect.sync(() => {
    world.fake.state.trouble = null
    world.fake.state.script = honest
  }))))
  yield* consultedAgain(traffic)
  for (const said of [world.service.stdout(), world.service.stderr()]) assert.notInclude(said, secret)
})

/** Its breaker lets one question through every 2 s. */
const consultedAgain = (traffic: Traffic) =>
  Effect.gen(function*() {
    for (let turn = 0; turn < 150; turn++) {
      const { answers: [answer] } = yield* traffic.recommend(1, asking)
      if (judging(answer?.warnings ?? []).includes("reasoner_consulted")) return
      yield* Effect.sleep("100 millis")
    }
    assert.fail("the reasoner is not asked again")
  })

const answers = (status: number, body: string | Buffer, headers = {}): Trouble => (response) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(body)
}

const ranking = (entries: ReadonlyArray<object>) => JSON.stringify({ ranking: entries })
const spoken = (content: unknown) => JSON.stringify({
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content, refusal: null } }],
  usage: { prompt_tokens: 10, completion_tokens: 10 }
})

const nonsense: Readonly<Record<string, Trouble>> = {
  "prose": answers(200, spoken("I would take the large one.")),
  "JSON of another shape": answers(200, spoken("{\"answer\":42}")),
  "models that nobody asked about": answers(
    200, spoken(ranking([{ model_id: "unheard-of", predicted_success: 0.9, rationale: "" }]))
  ),
  "a probability of 7": answers(
    200, spoken(ranking([{ model_id: "small", predicted_success: 7, rationale: "" }]))
  ),
  "nothing": answers(200, ""),
  "10 MB": answers(200, Buffer.alloc(10_000_000, 0x20)),
  "a gzip bomb": answers(200, gzipSync(Buffer.alloc(50_000_000, 0x20)), { "content-encoding": "gzip" }),
  "a tool call": answers(200, JSON.stringify({
    choices: [{
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant", content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "shell", arguments: "{}" } }]
      }
    }]
  }))
}

const wire: Readonly<Record<string, Fault>> = {
  "reset": { kind: "reset", afterBytes: 1 },
  "refused": { kind: "refuse" },
  "answered with noise": { kind: "garbage" }
}

describe.skipIf(!hasServer)("a service with a reasoner", () => {
  layer(World.layer, { excludeTestServices: true, timeout: "120 seconds" })((it) => {
    for (const fault of [{ kind: "black hole" }, { kind: "trickle", bytes: 1, everyMs: 50 }] as const) {
      it.effect.runIf(isFullRun || fault.kind === "black hole")(
        `answers within the reasoner's time, and as without it, when the reasoner's way is a ${fault.kind}`,
        () => through(({ proxy }) => proxy.set(fault))
      )
    }
    for (const [name, trouble] of Object.entries(nonsense)) {
      it.effect.runIf(isFullRun || name === "prose")(`takes ${name} of a reasoner for a failure`, () =>
        through(({ fake }) => Effect.sync(() => fake.state.trouble = trouble)))
    }
    for (const status of [401, 429, 500]) {
      it.effect.runIf(isFullRun || status === 401)(`takes a ${status} of a reasoner for a failure, and never says its key`, () =>
        through(({ fake }) =>
          Effect.sync(() => fake.state.trouble = answers(status, `{"error":"the key ${secret} is wrong"}`))))
    }
    for (const [name, fault] of Object.entries(wire)) {
      it.effect.runIf(isFullRun)(`takes a connection to a reasoner that is ${name} for a failure`, () =>
        through(({ proxy }) => proxy.set(fault)))
    }
  })
})
