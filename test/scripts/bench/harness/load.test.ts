import { assert, describe, it } from "@effect/vitest"
import { createServer, type RequestListener } from "node:http"
import { arrivals, Schedule } from "../../../../scripts/bench/harness/arrivals.ts"
import { decisionsIn, type Kind, recommend } from "../../../../scripts/bench/harness/asks.ts"
import { closedLoop } from "../../../../scripts/bench/harness/closedLoop.ts"
import { openLoop } from "../../../../scripts/bench/harness/openLoop.ts"
import { Tally } from "../../../../scripts/bench/harness/tally.ts"
import { trafficOf } from "../../../../scripts/bench/harness/traffic.ts"

describe("arrivals", () => {
  it("come in order, within the run, at about the rate, and the same for a seed", () => {
    const dueMs = arrivals(100, 60, 1)
    assert.deepStrictEqual(dueMs, dueMs.toSorted((one, other) => one - other))
    assert.isTrue(dueMs.every((atMs) => atMs >= 0 && atMs < 60_000))
    // Five standard deviations of a Poisson count.
    assert.closeTo(dueMs.length, 6_000, 5 * Math.sqrt(6_000))
    assert.deepStrictEqual(arrivals(100, 60, 1), dueMs)
    assert.notDeepEqual(arrivals(100, 60, 2), dueMs)
  })

  it("that wait for a connection count from when they were due", () => {
    const schedule = new Schedule([0, 5, 6, 50])
    const latenciesMs: Array<number> = []
    // One connection, and a server that takes 10 ms.
    for (let nowMs = 0; schedule.nextMs !== null;) {
      const dueMs = schedule.take(nowMs)
      nowMs = dueMs === null ? schedule.nextMs : nowMs + 10
      if (dueMs !== null) latenciesMs.push(nowMs - dueMs)
    }
    assert.deepStrictEqual(latenciesMs, [10, 15, 24, 10])
    assert.isNull(schedule.take(Infinity))
  })
})

describe("the mix", () => {
  const drawn = (reads: boolean, decide: boolean) => {
    const traffic = trafficOf({ kind: "mix", namespace: "bench", seed: 3, reads })
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
    const { counts, told } = drawn(true, true)
    assert.closeTo(counts.recommend, 10_000, 350)
    assert.closeTo(counts.feedback, 6_000, 350)
    assert.closeTo(counts.workflow, 1_000, 160)
    assert.closeTo(counts.read, 200, 70)
    assert.strictEqual(new Set(told).size, told.length)
  })

  it("asks rather than tells while nothing was decided, and reads nothing when told so", () => {
    const { counts } = drawn(false, false)
    assert.strictEqual(counts.feedback, 0)
    assert.strictEqual(counts.read, 0)
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

const traffic = () => trafficOf({ kind: "given", asks: [recommend("bench", 0)] })

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
      const tally = new Tally()
      const pace = { kind: "open", perSecond: 200, seconds: 0.5, seed: 5, patienceMs: 10_000 } as const
      await openLoop({ key: "k", ports: [port], connections: 3, pace }, traffic(), tally)
      assert.strictEqual(asked, arrivals(200, 0.5, 5).length)
      // Requests of each turn.
      const [first = 0, second = 0, refused = 0, broken = 0] =
        [0, 1, 2, 3].map((turn) => Math.ceil((asked - turn) / 4))
      const answered = first + second
      assert.deepStrictEqual(tally.statuses, { 0: broken, 200: answered, 503: refused })
      assert.strictEqual(tally.latenciesMs.recommend.length, answered)
      assert.strictEqual(tally.unanswered, 0)
      assert.include(tally.complaint, "recommend ")
    })
  })

  it("the open one counts whom nobody answered or sent by how long they waited", async () => {
    let asked = 0
    await served(() => void asked++, async (port) => {
      const tally = new Tally()
      const pace = { kind: "open", perSecond: 100, seconds: 0.3, seed: 5, patienceMs: 100 } as const
      await openLoop({ key: "k", ports: [port], connections: 2, pace }, traffic(), tally)
      const dueMs = arrivals(100, 0.3, 5)
      assert.strictEqual(asked, 2)
      assert.strictEqual(tally.unanswered, dueMs.length)
      tally.latenciesMs.recommend.forEach((ms, i) => assert.isAtLeast(ms, 395 - (dueMs[i] ?? 0)))
    })
  })

  it("the closed one asks as often as it may, at both ports", async () => {
    const at = [0, 0]
    const answering = (index: number): RequestListener => (_, response) => {
      at[index] = (at[index] ?? 0) + 1
      response.writeHead(200, { "content-length": 2 }).end("{}")
    }
    await served(answering(0), (one) =>
      served(answering(1), async (other) => {
        const tally = new Tally()
        const pace = { kind: "closed", seconds: 60, requestsMax: 100 } as const
        await closedLoop({ key: "k", ports: [one, other], connections: 4, pace }, traffic(), tally)
        assert.deepStrictEqual(tally.statuses, { 200: 100 })
        assert.isAbove(at[0] ?? 0, 0)
        assert.isAbove(at[1] ?? 0, 0)
        assert.strictEqual(tally.latenciesMs.recommend.length, 100)
      }))
  })
})
