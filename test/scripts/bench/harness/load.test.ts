import { assert, describe, it } from "@effect/vitest"
import { createServer, type RequestListener } from "node:http"
import { decisionsIn, type Kind, recommend } from "../../../../scripts/bench/harness/asks.ts"
import { type Load, run } from "../../../../scripts/bench/harness/load.ts"
import { trafficOf } from "../../../../scripts/bench/harness/traffic.ts"

describe("the mix", () => {
  const drawn = (decide: boolean) => {
    const traffic = trafficOf({ kind: "mix", namespace: "bench", seed: 3 })
    const counts = { recommend: 0, feedback: 0, workflow: 0, read: 0 }
    const told: Array<string> = []
    for (let i = 0; i < 17_200; i++) {
      const { body, kind } = traffic.next()
      counts[kind]++
      if (kind === "feedback") told.push(JSON.parse(body ?? "").recommendation_id)
      if (decide) traffic.hear([{ recommendationId: String(i), modelId: "m" }])
    }
    return { counts, told }
  }

  it("has its shares of each kind, and tells no decision twice", () => {
    const { counts, told } = drawn(true)
    assert.closeTo(counts.recommend, 10_000, 350)
    assert.closeTo(counts.feedback, 6_000, 350)
    assert.closeTo(counts.workflow, 1_000, 160)
    assert.closeTo(counts.read, 200, 70)
    assert.strictEqual(new Set(told).size, told.length)
  })

  it("asks rather than tells while nothing was decided", () => {
    const { counts } = drawn(false)
    assert.strictEqual(counts.feedback, 0)
  })
})

it("the decisions of an answer are its own and its steps'", () => {
  const answer = (id: string) => `{"recommendation_id":"${id}","recommended_model":{"model_id":"m-${id}"}}`
  const modelsIn = (kind: Kind, text: string) =>
    decisionsIn(kind, Buffer.from(text)).map(({ modelId }) => modelId)
  assert.deepStrictEqual(modelsIn("recommend", answer("a")), ["m-a"])
  const steps = `{"workflow_recommendation_id":"w","steps":[${answer("b")},${answer("c")}]}`
  assert.deepStrictEqual(modelsIn("workflow", steps), ["m-b", "m-c"])
  assert.deepStrictEqual(modelsIn("read", steps), [])
})

/** Runs `work` on the port of a server that answers so. */
const served = async (listener: RequestListener, work: (port: number) => Promise<void>) => {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()))
  const address = server.address()
  try {
    await work(typeof address === "object" && address !== null ? address.port : 0)
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

const loadOf = (port: number, connections: number, pace: Load["pace"]): Load =>
  ({ key: "k", port, connections, pace, traffic: { kind: "given", asks: [recommend("bench", 0)] } })

describe("the loops", () => {
  it("the open one sends every arrival, and counts refusals and broken connections apart", async () => {
    let asked = 0
    await served((request, response) => {
      const turn = asked++ % 4
      if (turn === 3) return request.socket.destroy()
      // A body in two pieces, and a head that comes before it.
      response.writeHead(turn === 2 ? 503 : 200, { "content-length": 4 }).flushHeaders()
      response.write("{ ")
      response.end(" }")
    }, async (port) => {
      const pace = { kind: "open", perSecond: 200, seconds: 0.5, seed: 5, patienceMs: 10_000 } as const
      const loaded = await run(loadOf(port, 3, pace))
      // Five standard deviations of a Poisson count.
      assert.closeTo(asked, 100, 50)
      // Requests of each turn.
      const [first = 0, second = 0, refused = 0, broken = 0] =
        [0, 1, 2, 3].map((turn) => Math.ceil((asked - turn) / 4))
      const answered = first + second
      assert.deepStrictEqual(loaded.statuses, { 0: broken, 200: answered, 503: refused })
      assert.strictEqual(loaded.latenciesMs.recommend.length, answered)
      assert.strictEqual(loaded.unanswered, 0)
      assert.include(loaded.complaint, "recommend ")
    })
  })

  it("the open one counts whom nobody answered or sent by how long they waited", async () => {
    let asked = 0
    await served(() => void asked++, async (port) => {
      const pace = { kind: "open", perSecond: 100, seconds: 0.3, seed: 5, patienceMs: 100 } as const
      const { latenciesMs, unanswered } = await run(loadOf(port, 2, pace))
      assert.strictEqual(asked, 2)
      assert.closeTo(unanswered, 30, 28)
      assert.lengthOf(latenciesMs.recommend, unanswered)
      for (const ms of latenciesMs.recommend) assert.isAtLeast(ms, 95)
    })
  })

  it("the closed one asks as often as it may", async () => {
    await served((_, response) => response.writeHead(200, { "content-length": 2 }).end("{}"), async (port) => {
      const { latenciesMs, statuses } = await run(loadOf(port, 4, { kind: "closed", seconds: 60, requestsMax: 100 }))
      assert.deepStrictEqual(statuses, { 200: 100 })
      assert.strictEqual(latenciesMs.recommend.length, 100)
    })
  })
})
