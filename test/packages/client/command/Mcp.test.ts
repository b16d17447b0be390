// `sextant-client mcp` as a host runs it: lines of its own over standard input, and the real client of the protocol.
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { createTasks } from "../../../../packages/client/src/command/mcp/Attempts.ts"
import { type Built, buildCommand, nodes, runProgram, type RunOptions } from "../support/Command.ts"
import { onEachVersion } from "../support/Peers.ts"
import { exhaustedBudget, type RealService, startRealService } from "../support/RealService.ts"

/** A parsed message, of whose fields a test names those that it reads. */
type Json = Record<string, any>

let service: RealService
let built: Built
beforeAll(async () => {
  built = buildCommand()
  service = await startRealService()
})
afterEach(() => service.set("up"))
afterAll(() => service.close())

const environment = () => ({ SEXTANT_URL: service.baseUrl, SEXTANT_KEY: service.apiKey })

const request = (id: unknown, method: string, params: unknown = {}) => ({ jsonrpc: "2.0", id, method, params })
const initialize = (version: string, id = "init") =>
  request(id, "initialize", { protocolVersion: version, capabilities: {}, clientInfo: { name: "t", version: "0" } })
const call = (id: unknown, name: unknown, given: unknown) => request(id, "tools/call", { name, arguments: given })

/** Sends lines, ends the input, and yields every message of the output: each line must be one. */
const exchange = async (lines: ReadonlyArray<unknown>, options: RunOptions = {}) => {
  const input = lines.map((line) => typeof line === "string" ? line : JSON.stringify(line)).join("\n")
  const { code, stderr, stdout } = await runProgram(built.program, ["mcp"], {
    environment: environment(), input: `${input}\n`, ...options
  })
  const replies = stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Json)
  return { code, stderr, replies, byId: (id: unknown) => replies.find((reply) => reply["id"] === id) ?? {} }
}

/** Calls tools one after another in one session, which ends well; `next` sees the results so far, and ends it with null. */
const session = async (next: (results: ReadonlyArray<Json>) => readonly [string, object] | null): Promise<ReadonlyArray<Json>> => {
  const child = spawn(process.execPath, [built.program, "mcp"], { env: environment(), stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("close", resolve))
  const results: Array<Json> = []
  const proceed = () => {
    const step = next(results)
    if (step === null) child.stdin.end()
    else child.stdin.write(`${JSON.stringify(call(results.length, ...step))}\n`)
  }
  proceed()
  for await (const line of createInterface({ input: child.stdout })) {
    results.push(JSON.parse(line)["result"])
    proceed()
  }
  assert.strictEqual(await ended, 0)
  return results
}

const taskOf = (task = "Write a function that sums a list") =>
  ({ task, candidate_models: ["cheap", "dear"], difficulty: "medium", task_type: "code" })

for (const [version, node] of nodes) {
  describe(`the server on Node ${version}`, () => {
    it("speaks each published version of the protocol, and offers the newest to any other client", async () => {
      const asked = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2099-01-01", ""]
      const { byId, code } = await exchange(asked.map((version) => initialize(version, `of ${version}`)), { node })
      assert.strictEqual(code, 0)
      const given = asked.map((version) => byId(`of ${version}`)["result"].protocolVersion)
      assert.deepStrictEqual(given, [...asked.slice(0, 4), "2025-11-25", "2025-11-25"])
    })

    it("recommends, reports and ends with its input, with nothing on its output but messages", async () => {
      const { byId, code, replies, stderr } = await exchange([
        initialize("2025-11-25"), { jsonrpc: "2.0", method: "notifications/initialized" }, request(1, "ping"),
        request(2, "tools/list"), call(3, "recommend_model", taskOf()), call(4, "savings", { days: 7 }),
        call(5, "diagnose", { error_text: "TimeoutError" })
      ], { node })
      assert.deepStrictEqual([code, stderr, replies.length], [0, "", 6])
      assert.deepStrictEqual(byId(1)["result"], {})
      assert.deepStrictEqual(byId(2)["result"].tools.map((tool: Json) => tool["name"]), [
        "recommend_model", "report_outcome", "next_attempt", "explain", "savings", "diagnose"
      ])
      const { content, structuredContent } = byId(3)["result"]
      assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
      assert.include(["cheap", "dear"], structuredContent.model_id)
      assert.strictEqual(byId(4)["result"].structuredContent.days, 7)
      assert.isArray(byId(5)["result"].structuredContent.failure_lessons)
      const { constraints, task } = service.asked.at(-1) ?? {}
      assert.deepStrictEqual(task, { task: taskOf().task, difficulty: "medium", task_type: "code" })
      assert.deepStrictEqual(constraints, { candidate_models: ["cheap", "dear"] })
    })
  })
}

describe("the tool next_attempt", () => {
  const idOf = (results: ReadonlyArray<Json>): string => results.at(-1)?.["structuredContent"].recommendation_id

  it("names another model for a task whose result failed, and says when no attempt is worth it", async () => {
    service.asked.length = 0
    const results = await session((before) => [
      ["recommend_model", taskOf()] as const,
      ["next_attempt", { recommendation_id: idOf(before), success_value_usd: 100, max_attempts: 2 }] as const,
      ["next_attempt", { recommendation_id: idOf(before), evidence_source: "judge", max_total_cost_usd: 0 }] as const
    ][before.length] ?? null)
    const [first, second, third] = results.map(({ structuredContent }) => structuredContent)
    assert.notStrictEqual(second.model_id, first.model_id)
    assert.deepInclude(second, { is_worth_trying: true, attempt_number: 2, is_retry: false })
    assert.strictEqual(second.plan[0].model_id, second.model_id)
    assert.isAbove(second.plan[0].predicted_success, 0)
    assert.deepInclude(third, { is_worth_trying: false, plan: [], stop_reason: "max_total_cost", attempt_number: null })
    const [asked, again, last] = service.asked as ReadonlyArray<Json>
    assert.isFalse("attempts" in (asked ?? {}))
    const failed = { recommendation_id: first.recommendation_id, outcome: "failure", evidence_source: "gate" }
    assert.deepStrictEqual(again, {
      ...asked, success_value_usd: 100, max_attempts: 2, verification: { kind: "gate" }, attempts: [failed]
    })
    // What is worth, and how many attempts there may be, stays until it is said anew.
    assert.deepStrictEqual(last, {
      ...again, max_total_cost_usd: 0, verification: { kind: "judge" },
      attempts: [failed, { recommendation_id: second.recommendation_id, outcome: "failure", evidence_source: "judge" }]
    })
  })

  it("knows the tasks of its session alone, and says how to go on without the service", async () => {
    const [unknown] = await session((before) => before.length === 0 ? ["next_attempt", { recommendation_id: "r" }] : null)
    assert.isTrue(unknown?.["isError"])
    assert.include(unknown?.["content"][0].text, "call recommend_model")
    const [, failed, wrong] = await session((before) => {
      if (before.length === 1) service.set("down")
      return [
        ["recommend_model", taskOf()] as const,
        ["next_attempt", { recommendation_id: before.length === 1 ? idOf(before) : "" }] as const,
        ["next_attempt", { model_id: "cheap" }] as const
      ][before.length] ?? null
    })
    assert.isTrue(failed?.["isError"])
    assert.include(failed?.["content"][0].text, "if it has not tried yet")
    assert.include(wrong?.["content"][0].text, "takes no \"model_id\"")
  })

  it("forgets the oldest of more than 200 tasks, and keeps no more of one than the service reads", async () => {
    const tasks = createTasks()
    const long = `${"a".repeat(1_000_000)}z`
    for (let i = 0; i < 201; i++) tasks.keep(`r-${i}`, { task: { task: long, tags: ["t"] }, constraints: {} })
    assert.isNull(tasks.after({ recommendation_id: "r-0" }))
    const { task } = tasks.after({ recommendation_id: "r-1" }) as { readonly task: { readonly task: string; readonly tags: object } }
    assert.strictEqual(task.task.length, 8_000)
    assert.isTrue(task.task.endsWith("z"))
    assert.deepStrictEqual(task.tags, ["t"])
  })

  it("names the newest 16 attempts of a task", () => {
    const tasks = createTasks()
    tasks.keep("r-0", { task: { task: "x" } })
    for (let i = 0; i < 20; i++) tasks.keep(`r-${i + 1}`, tasks.after({ recommendation_id: `r-${i}` }) ?? {})
    const { attempts } = tasks.after({ recommendation_id: "r-20" }) as { readonly attempts: ReadonlyArray<Json> }
    assert.deepStrictEqual(attempts.map((each) => each["recommendation_id"]), Array.from({ length: 16 }, (_, i) => `r-${i + 5}`))
  })
})

describe("the server", () => {
  it("answers every hostile line with an error of the protocol, and goes on", async () => {
    const { code, replies, stderr } = await exchange([
      initialize("2025-11-25"), "{", "nonsense", "null", "1", "\"text\"", "[]", "[{}]", JSON.stringify([request(9, "ping")]), "{}",
      { jsonrpc: "1.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 2 }, { jsonrpc: "2.0", id: 3, method: 4 },
      { jsonrpc: "2.0", id: null, method: "ping" }, { jsonrpc: "2.0", id: { a: 1 }, method: "ping" },
      { jsonrpc: "2.0", id: 1.5, method: "ping" }, { jsonrpc: "2.0", id: 5, method: "ping", params: [1] },
      request(6, "resources/list"), request(7, "__proto__"), request(8, "tools/list", { cursor: "next" }),
      call(10, "constructor", {}), call(11, 12, {}), call(13, "savings", [1]), call(14, "savings", "days"),
      "[".repeat(100_000), "\u0000", `{"jsonrpc":"2.0","id":"\u2028","method":"ping"}`, "", "   ",
      { jsonrpc: "2.0", method: "unknown" }, { jsonrpc: "2.0", id: 15, result: {} },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "none" } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: null }, request("last", "ping")
    ])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const seen = replies.map(({ error, id }) => [id, error?.code ?? "result"])
    const expected = [
      ["init", "result"], [null, -32700], [null, -32700], [null, -32600], [null, -32600], [null, -32600], [null, -32600],
      [null, -32600], [null, -32600], [null, -32600], [1, -32600], [2, -32600], [3, -32600], [null, -32600], [null, -32600],
      [null, -32600], [5, -32602], [6, -32601], [7, -32601], [8, -32602], [10, -32602], [11, -32602], [13, -32602],
      [14, -32602], [null, -32700], [null, -32700], ["\u2028", "result"], ["last", "result"]
    ]
    // Calls end when they end: the order of the replies is not promised.
    assert.deepStrictEqual(seen.map(String).sort(), expected.map(String).sort())
  })

  it("answers batches in the one version that has them", async () => {
    const { replies } = await exchange([
      initialize("2025-03-26"), JSON.stringify([request(1, "ping"), { jsonrpc: "2.0", method: "x" }, request(2, "ping"), 3]),
      JSON.stringify([{ jsonrpc: "2.0", method: "x" }])
    ])
    assert.strictEqual(replies.length, 2)
    assert.deepStrictEqual(replies[1]?.map(({ error, id }: Json) => [id, error?.code]), [
      [1, undefined], [2, undefined], [null, -32600]
    ])
  })

  it("refuses a line of more than 4 MiB, and reads on behind it", async () => {
    const { byId, code, replies } = await exchange([`"${"x".repeat(5 * 1_024 * 1_024)}"`, request(1, "ping")])
    assert.deepStrictEqual([code, replies.length, byId(null)["error"].code, byId(1)["result"]], [0, 2, -32600, {}])
  })

  it("names a wrong argument in a result that the model reads, as the service's refusal does", async () => {
    const { byId } = await exchange([
      call(1, "recommend_model", { task: "x", model: "gpt" }), call(2, "recommend_model", {}),
      call(3, "recommend_model", { task: "x", cost_quality_tradeoff: 11 }), call(4, "report_outcome", { recommendation_id: 7, outcome: "success" }),
      call(5, "recommend_model", { task: "x", candidate_models: ["none"] }), call(6, "explain", { recommendation_id: "unknown" })
    ])
    for (const [id, text] of [[1, "takes no \"model\""], [2, "needs task"], [3, "cost_quality_tradeoff"], [4, "recommendation_id"], [5, "422"], [6, "No decision"]] as const) {
      const { content, isError } = byId(id)["result"]
      assert.isTrue(isError, String(id))
      assert.include(content[0].text, text)
    }
  })

  it("says to use the default model while the service is down, and recommends once it is back", async () => {
    const states = ["down", 503, { status: 200, text: "<html>" }, { status: 302, headers: { location: "http://127.0.0.1:1" }, text: "" }] as const
    const results = await session(({ length }) => {
      service.set(states[Math.floor(length / 2)] ?? "up")
      if (length > 2 * states.length) return null
      return length % 2 === 0 ? ["recommend_model", taskOf()] : ["savings", {}]
    })
    assert.lengthOf(results, 2 * states.length + 1)
    for (const [i, { content, isError }] of results.slice(0, -1).entries()) {
      assert.isTrue(isError)
      if (i % 2 === 0) assert.include(content[0].text, "Run your default model")
    }
    assert.isUndefined(results.at(-1)?.["isError"])
  })

  it("serves without a usable key or address, and its tools say what is wrong without any value", async () => {
    const cases = [
      [{ SEXTANT_URL: service.baseUrl }, "SEXTANT_KEY is not set"],
      [{ SEXTANT_URL: service.baseUrl, SEXTANT_KEY: "sxt_secret\nvalue" }, "SEXTANT_KEY holds"],
      [{ SEXTANT_URL: "secret", SEXTANT_KEY: service.apiKey }, "SEXTANT_URL is not an http URL"],
      [{ SEXTANT_URL: "http://secret:word@127.0.0.1", SEXTANT_KEY: service.apiKey }, "without a user and a password"],
      [{ SEXTANT_URL: service.baseUrl, SEXTANT_KEY: "sxt_acme_k1_secret" }, "401"]
    ] as const
    await Promise.all(cases.map(async ([variables, text]) => {
      const { byId, code, stderr } = await exchange([call(1, "recommend_model", taskOf())], { environment: variables })
      const shown = byId(1)["result"].content[0].text
      assert.strictEqual(code, 0)
      assert.include(shown, text)
      assert.notInclude(shown + stderr, "secret")
    }))
  })

  it("says to run no model, and not the default, when the budget is used up", async () => {
    service.set(exhaustedBudget)
    const { byId } = await exchange([call(1, "recommend_model", taskOf())])
    const { content: [{ text }], isError } = byId(1)["result"]
    assert.isTrue(isError)
    assert.include(text, "all is spent. The budget is used up: run no model")
    assert.notInclude(text, "default")
  })

  it("shows no key that a refusal repeats, and reads no answer without an end", async () => {
    service.set({ status: 401, text: `{"detail":"Bearer ${service.apiKey} is wrong"}` })
    const refused = await exchange([call(1, "recommend_model", taskOf()), call(2, "savings", {})])
    assert.include(JSON.stringify(refused.replies), "is wrong")
    assert.notInclude(JSON.stringify(refused.replies), service.apiKey)
    service.set({ status: 200, text: " ".repeat(5_000_000) })
    const long = await exchange([call(1, "recommend_model", taskOf())])
    assert.include(long.byId(1)["result"].content[0].text, "too long")
  })

  it("tells the agent how to go on, whatever a service answers in its stead", async () => {
    const model = { model_id: "cheap", predicted_success: 0.5 }
    const deep = `{"ranked":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    const texts = [
      "{}", "[]", "null", "5", deep, ...[
        { recommended_model: null }, { recommended_model: 5, ranked: 5 }, { recommended_model: model, ranked: null },
        { recommended_model: model, ranked: [null] }, { recommended_model: model, fallback_model: 7, ranked: [model] }
      ].map((answer) => JSON.stringify({ recommendation_id: "r", ...answer }))
    ]
    const calls = [
      ["recommend_model", taskOf()], ["savings", {}], ["explain", { recommendation_id: "r" }], ["diagnose", { error_text: "x" }],
      ["report_outcome", { recommendation_id: "r", outcome: "success" }]
    ] as const
    const results = await session(({ length }) => {
      const text = texts[Math.floor(length / calls.length)]
      if (text === undefined) return null
      service.set({ status: 200, text })
      return calls[length % calls.length] ?? null
    })
    assert.lengthOf(results, texts.length * calls.length)
    for (const [i, result] of results.entries()) {
      const text = texts[Math.floor(i / calls.length)] ?? ""
      assert.isString(result?.["content"][0].text, `${i} ${text.slice(0, 80)}`)
      if (i % calls.length > 0) continue
      const { content, isError, structuredContent } = result
      assert.isTrue(isError === true ? content[0].text.includes("Run your default model") : structuredContent.model_id === "cheap")
    }
  })

  it("lets the service name an argument that is of a wrong kind", async () => {
    const { byId } = await exchange([{}, { toString: 1 }, [7, [8]], null, true].map((days, i) => call(i, "savings", { days })))
    for (let id = 0; id < 5; id++) {
      assert.isTrue(byId(id)["result"]?.isError)
      assert.include(byId(id)["result"].content[0].text, "days")
    }
  })

  it("reads no further while its output is full, and answers every line in the end", async () => {
    const child = spawn(process.execPath, [built.program, "mcp"], { env: environment(), stdio: ["pipe", "pipe", "inherit"] })
    // Three times what pipes and streams hold.
    const count = 5_000
    let taken = 0
    let isBlocked = false
    const send = () => {
      while (taken < count) {
        if (child.stdin.write(`${JSON.stringify(request(taken++, "tools/list"))}\n`)) continue
        isBlocked = true
        return void child.stdin.once("drain", () => {
          isBlocked = false
          send()
        })
      }
      child.stdin.end()
    }
    send()
    // Full pipes on both sides, or the whole input in the server's memory: then nothing moves any more.
    for (let before = -1, same = 0; same < 4; before = taken) {
      same = before === taken ? same + 1 : 0
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    assert.isTrue(isBlocked, String(taken))
    let lines = 0
    child.stdout.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) lines++
    })
    const code = await new Promise((resolve) => child.once("close", resolve))
    assert.deepStrictEqual([code, lines], [0, count])
  })

  it("tries a report three times before it is said as not recorded, though its input has ended", async () => {
    service.set(503)
    const before = service.hits.get("/v1/feedback") ?? 0
    const { byId, code, stderr } = await exchange([call(1, "report_outcome", { recommendation_id: "r", outcome: "success" })])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.isTrue(byId(1)["result"].isError)
    assert.include(byId(1)["result"].content[0].text, "not recorded")
    assert.strictEqual((service.hits.get("/v1/feedback") ?? 0) - before, 3)
  })

  it("gives no answer to a call that is cancelled, and answers the others", async () => {
    service.set("silent")
    const { byId, code, replies } = await exchange([
      call(1, "recommend_model", taskOf()), { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      request(1, "ping"), request(2, "ping")
    ])
    assert.deepStrictEqual([code, byId(2)["result"]], [0, {}])
    // The cancelled call has left its id free, or the repeat of it is refused: it is never answered as a call.
    assert.isTrue(replies.every(({ result }) => result?.content === undefined))
  })

  it("refuses an id that is under way, and more than 64 calls at once", async () => {
    service.set({ status: 503, text: "{}" })
    const { replies } = await exchange([
      call(1, "savings", {}), call(1, "savings", {}), ...Array.from({ length: 70 }, (_, i) => call(i + 100, "savings", {}))
    ])
    assert.strictEqual(replies.length, 72)
    assert.strictEqual(replies.filter(({ error }) => error?.code === -32600).length, 1)
    assert.strictEqual(replies.filter(({ error }) => error?.code === -32603).length, 7)
  })

  it("ends when its host has gone, though nothing ended its input politely", async () => {
    const child = spawn(process.execPath, ["-e", `
const { spawn } = require("node:child_process")
const child = spawn(process.execPath, [${JSON.stringify(built.program)}, "mcp"], { stdio: ["pipe", "pipe", "inherit"] })
child.stdin.write(${JSON.stringify(`${JSON.stringify(request(1, "ping"))}\n`)})
child.stdout.once("data", () => { console.log(child.pid); setInterval(() => {}, 1000) })
`], { stdio: ["ignore", "pipe", "inherit"] })
    const pid = await new Promise<number>((resolve) => child.stdout.once("data", (chunk) => resolve(Number(String(chunk)))))
    child.kill("SIGKILL")
    const isAlive = () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    for (let tries = 0; tries < 500 && isAlive(); tries++) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.isFalse(isAlive())
  })

  it("takes no argument, so that no key is ever in a list of processes", async () => {
    const { code, stderr, stdout } = await runProgram(built.program, ["mcp", "--key", "sxt_secret"])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.notInclude(stderr, "secret")
  })
})

/** What the tests use of the protocol's client, in all of its versions. */
interface ClientModule {
  readonly Client: new(info: object, options: object) => {
    readonly connect: (transport: unknown) => Promise<void>
    readonly listTools: () => Promise<Json>
    readonly callTool: (params: object) => Promise<Json>
    readonly ping: () => Promise<unknown>
    readonly getServerVersion: () => Json
    readonly close: () => Promise<void>
  }
}
interface StdioModule {
  readonly StdioClientTransport: new(options: object) => object
}

onEachVersion("command", ({ load, version: clientVersion }) => {
  // The oldest client beside the oldest Node, so that each of both is driven through all.
  const [version = "", node = ""] = [...nodes].at(clientVersion.startsWith("1.0.") ? -1 : 0) ?? []
  it(`the protocol's own client recommends, explains, reports and reads savings, Node ${version}`, async () => {
    const { Client } = await load<ClientModule>("@modelcontextprotocol/sdk/client/index.js")
    const { StdioClientTransport } = await load<StdioModule>("@modelcontextprotocol/sdk/client/stdio.js")
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} })
    await client.connect(new StdioClientTransport({ command: node, args: [built.program, "mcp"], env: environment() }))
    try {
      await client.ping()
      assert.deepInclude(client.getServerVersion(), { name: "sextant", version: "0.1.0" })
      assert.strictEqual((await client.listTools())["tools"].length, 6)
      const ask = async (name: string, given: object) => {
        const { content, isError } = await client.callTool({ name, arguments: given })
        assert.isNotOk(isError, JSON.stringify(content))
        return JSON.parse(content[0].text) as Json
      }
      const asked = await ask("recommend_model", taskOf())
      const id = asked["recommendation_id"]
      const explained = await ask("explain", { recommendation_id: id })
      assert.deepStrictEqual(explained["candidates"].map((each: Json) => each["model_id"]).sort(), ["cheap", "dear"])
      const said = await ask("report_outcome", {
        recommendation_id: id, outcome: "success", evidence_source: "gate", actual_cost_usd: 0.01, latency_ms: 900
      })
      assert.isTrue(said["accepted"])
      const corrected = await ask("report_outcome", { recommendation_id: id, outcome: "failure", evidence_source: "gate" })
      assert.include(corrected["warnings"], "outcome_replaced")
      const [report] = await service.reported(id, 2)
      assert.strictEqual(report?.sent.outcome, "success")
      assert.isNumber((await ask("savings", {}))["days"])
      service.set("down")
      const failed = await client.callTool({ name: "recommend_model", arguments: taskOf() })
      assert.isTrue(failed["isError"])
      assert.include(failed["content"][0].text, "Run your default model")
    } finally {
      await client.close()
    }
  })

  it(`a decision of another session is explained by the account's last ones, Node ${version}`, async () => {
    const { byId } = await exchange([call(1, "recommend_model", taskOf())], { node })
    const id = byId(1)["result"].structuredContent.recommendation_id
    const other = await exchange([call(1, "explain", { recommendation_id: id })], { node })
    assert.deepInclude(other.byId(1)["result"].structuredContent, { recommendation_id: id })
    assert.isString(other.byId(1)["result"].structuredContent.rationale)
  })
})
