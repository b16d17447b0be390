// Reports that the service refuses for a time, by the key or by a limit: they wait, and are tried again seldom.
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { createSextant } from "../../../packages/client/src/index.ts"
import { answerOf, scripted } from "./support/Scripted.ts"

const options = { baseUrl: "http://sextant.test", apiKey: "k", models: ["a", "b"], defaultModelId: "b", warn: false } as const
const minuteMs = 60_000

// One clock for the whole file: the process tries a refused key at most once a minute of it.
beforeAll(() => void vi.useFakeTimers())
afterAll(() => void vi.useRealTimers())
const pass = (durationMs: number) => vi.advanceTimersByTimeAsync(durationMs)

const accepted = () => Response.json({ accepted: true, warnings: [] })
const refused = (status: number, headers: Record<string, string> = {}) => () => new Response("{}", { status, headers })

/** A client whose reports are answered as the test says, and how many were sent. */
const clientOf = (over: object = {}) => {
  let feedback: () => Response = accepted
  const { fetch, urls } = scripted(() => answerOf("a"), () => feedback())
  const sextant = createSextant({ ...options, fetch, ...over })
  return {
    sextant,
    sent: () => urls().filter((url) => url.endsWith("/feedback")).length,
    set: (next: () => Response) => {
      feedback = next
    }
  }
}

describe("a report whose key is refused", () => {
  it("is kept with those behind it, and one is tried once a minute until the key is accepted", async () => {
    const { sent, set, sextant } = clientOf()
    set(refused(401))
    for (let i = 0; i < 3; i++) assert.isTrue(sextant.score("r", true))
    await pass(0)
    assert.isTrue(sextant.score("r", true))
    assert.isFalse(await sextant.flush())
    const before = sent()
    assert.isAtMost(before, 3)
    for (let minute = 1; minute <= 3; minute++) {
      await pass(minuteMs)
      assert.strictEqual(sent(), before + minute)
    }
    assert.deepStrictEqual([sextant.pending(), sextant.dropped()], [4, 0])
    set(accepted)
    await pass(minuteMs)
    assert.deepStrictEqual([sent(), sextant.pending(), sextant.dropped()], [before + 3 + 4, 0, 0])
  })

  it("is tried again by the whole process at most once a minute, however many clients it has", async () => {
    const clients = Array.from({ length: 5 }, () => clientOf())
    for (const { sextant, set } of clients) {
      set(refused(401))
      sextant.score("r", true)
    }
    await pass(0)
    const sum = () => clients.reduce((all, { sent }) => all + sent(), 0)
    const first = sum()
    for (let minute = 1; minute <= 10; minute++) {
      await pass(minuteMs)
      assert.isAtMost(sum(), first + minute)
    }
    // Each of them has its turn.
    for (const { sent } of clients) assert.isAtLeast(sent(), 2)
    for (const { set } of clients) set(accepted)
    await pass(6 * minuteMs)
    for (const { sextant } of clients) assert.strictEqual(sextant.pending(), 0)
  })

  it("goes at once when a question was answered, whose key was the same", async () => {
    const { set, sextant } = clientOf()
    set(refused(401))
    sextant.score("r", true)
    await pass(0)
    assert.strictEqual(sextant.pending(), 1)
    set(accepted)
    await sextant.choose("x")
    await pass(0)
    assert.deepStrictEqual([sextant.pending(), sextant.dropped()], [0, 0])
  })

  it("stays where the service is out at its turn, and is not more than the queue holds", async () => {
    const { set, sextant } = clientOf({ queueMax: 2 })
    set(refused(401))
    for (let i = 0; i < 2; i++) sextant.score("r", true)
    await pass(0)
    assert.isFalse(sextant.score("r", true))
    assert.strictEqual(sextant.dropped(), 1)
    set(refused(503))
    await pass(5 * minuteMs)
    assert.deepStrictEqual([sextant.pending(), sextant.dropped()], [2, 1])
    set(accepted)
    await pass(5 * minuteMs)
    assert.deepStrictEqual([sextant.pending(), sextant.dropped()], [0, 1])
  })
})

describe("a report that a limit refuses", () => {
  for (
    const [name, headers, waitMs] of [
      ["as long as Retry-After says", { "retry-after": "20" }, 20_000],
      ["a minute at most", { "retry-after": "86400" }, minuteMs]
    ] as const
  ) {
    it(`waits ${name}, and arrives`, async () => {
      const { sent, set, sextant } = clientOf()
      set(refused(429, headers))
      sextant.score("r", true)
      await pass(waitMs - 1_000)
      assert.strictEqual(sent(), 1)
      set(accepted)
      await pass(1_000)
      assert.deepStrictEqual([sent(), sextant.pending(), sextant.dropped()], [2, 0, 0])
    })
  }
})

describe("a question whose key is refused", () => {
  it("is asked by a client that pauses, so that the address is not blocked for all", async () => {
    let asked = 0
    const sextant = createSextant({
      ...options,
      fetch: async () => {
        asked++
        return refused(401)()
      }
    })
    for (let i = 0; i < 600; i++) {
      assert.strictEqual((await sextant.choose("x")).source, "default")
      await pass(100)
    }
    assert.isBelow(asked, 20)
  })
})
