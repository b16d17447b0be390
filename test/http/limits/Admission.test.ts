import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Load, makeAdmission, type Purpose, purposeOf, type Ticket } from "../../../src/http/limits/Admission.ts"
import { limitSettings } from "../../../src/http/limits/LimitSettings.ts"

const settings = { ...limitSettings, inFlightMax: 100, accountShare: 0.25, accountMin: 2, turnsAtOnce: 4, turnsAtFirst: 16 }
const idle: Load = { heapShare: 0, processorShare: 0, loopDelayMs: 0, loopShare: 0 }
const saturated: Load = { ...idle, processorShare: 1 }

/** An admission whose requests are told apart by when their turn came. */
const admission = (load: Load = idle) => {
  const clock = { nowMs: 0 }
  const gate = makeAdmission(() => load, settings, () => clock.nowMs)
  const tickets = new Map<string, Array<Ticket>>()
  const started: Array<string> = []
  const enter = (account: string, purpose: Purpose, count: number, units = 1) =>
    Array.from({ length: count }, () => {
      const entered = gate.enter(account, purpose, units)
      if (typeof entered === "string") return entered
      gate.queue(entered, () => started.push(`${account} ${purpose}`))
      tickets.set(`${account} ${purpose}`, [...tickets.get(`${account} ${purpose}`) ?? [], entered])
      return null
    })
  const leave = (account: string, purpose: Purpose) => {
    const ticket = tickets.get(`${account} ${purpose}`)?.shift()
    if (ticket !== undefined) gate.leave(ticket)
  }
  return {
    ...gate, clock, started, enter,
    /** One that has entered by a name leaves, or a ticket. */
    leave: (account: string | Ticket, purpose: Purpose = "read") =>
      typeof account === "string" ? leave(account, purpose) : gate.leave(account),
    held: (account: string, purpose: Purpose) => tickets.get(`${account} ${purpose}`) ?? [],
    entered: (account: string, purpose: Purpose, count: number) =>
      enter(account, purpose, count).filter((refusal) => refusal === null).length
  }
}

describe("admission", () => {
  it("derives the purpose of a request from its path", () => {
    assert.deepStrictEqual(
      ["/v1/recommend", "/v1/recommend/workflow?x", "/v1/feedback", "/v1/models", "/docs"].map(purposeOf),
      ["recommend", "recommend", "feedback", "read", "read"]
    )
    assert.deepStrictEqual(
      ["recall", "teach", "reinforce", "steps", "lessons", "strategies", "health"]
        .map((name) => purposeOf(`/memory/v1/${name}`)),
      ["recommend", "feedback", "feedback", "feedback", "feedback", "read", "read"]
    )
  })

  it("grants one account a quarter of all work, and as much again for its feedback", () => {
    const gate = admission()
    assert.strictEqual(gate.entered("a", "recommend", 40), 25)
    assert.strictEqual(gate.enter("a", "read", 1)[0], "account")
    assert.strictEqual(gate.entered("a", "feedback", 40), 25)
    gate.leave("a", "feedback")
    gate.leave("a", "recommend")
    assert.deepStrictEqual(gate.enter("a", "read", 2), [null, "account"])
  })

  it("refuses reads first, then recommendations, feedback last", () => {
    const gate = admission()
    for (const account of ["a", "b", "c"]) gate.enter(account, "recommend", 20)
    assert.deepStrictEqual(gate.enter("d", "read", 1), ["overload"])
    assert.strictEqual(gate.entered("d", "recommend", 25), 25)
    assert.deepStrictEqual(gate.enter("e", "recommend", 1), ["overload"])
    assert.strictEqual(gate.entered("e", "feedback", 25), 15)
    assert.deepStrictEqual(gate.enter("f", "feedback", 1), ["overload"])
    gate.leave("a", "recommend")
    assert.deepStrictEqual(gate.enter("f", "feedback", 1), [null])
  })

  it("counts a request by its units, and a workflow of a hundred steps as a hundred to its end", () => {
    const gate = admission()
    assert.deepStrictEqual(gate.enter("a", "recommend", 4, 10), [null, null, null, "account"])
    gate.leave("a", "recommend")
    gate.enter("b", "recommend", 1)
    for (const workflow of gate.held("b", "recommend")) gate.addUnits(workflow, 99)
    assert.deepStrictEqual(gate.enter("c", "feedback", 1), ["overload"])
    gate.leave("b", "recommend")
    assert.deepStrictEqual(gate.enter("c", "read", 1), [null])
  })

  it("runs all requests at once while the process is not saturated, and few while it is", () => {
    const load = { ...idle }
    const gate = admission(load)
    gate.enter("a", "recommend", 10)
    assert.lengthOf(gate.started, 10)
    load.processorShare = 1
    gate.enter("a", "recommend", 10)
    assert.lengthOf(gate.started, 10)
    for (let i = 0; i < 7; i++) gate.leave("a", "recommend")
    assert.lengthOf(gate.started, 11)
    load.processorShare = 0.1
    gate.reconsider()
    assert.lengthOf(gate.started, 20)
  })

  it("doubles the requests that run at once while the process has time and others wait", () => {
    const load = { ...idle }
    const gate = admission(load)
    for (const account of ["a", "b", "c", "d"]) gate.enter(account, "feedback", 25)
    // Those with nothing running begin whatever the turns.
    assert.isAtMost(gate.started.length, settings.turnsAtFirst + 3)
    gate.reconsider()
    assert.lengthOf(gate.started, 2 * settings.turnsAtFirst)
    load.processorShare = 1
    gate.reconsider()
    load.processorShare = 0
    gate.reconsider()
    assert.lengthOf(gate.started, 2 * settings.turnsAtFirst)
  })

  it("counts the process as saturated when the event loop is delayed", () => {
    const gate = admission({ ...idle, loopDelayMs: 50 })
    gate.enter("a", "recommend", 10)
    assert.lengthOf(gate.started, settings.turnsAtOnce)
  })

  it("counts the process as saturated when the event loop is busy, which refuses no request", () => {
    const gate = admission({ ...idle, loopShare: 0.99 })
    assert.deepStrictEqual(gate.enter("a", "recommend", 10), Array(10).fill(null))
    assert.lengthOf(gate.started, settings.turnsAtOnce)
  })

  it("gives no turn to a request whose body is still read, and counts its units", () => {
    const gate = makeAdmission(() => saturated, settings)
    for (let i = 0; i < 25; i++) assert.isObject(gate.enter("slow", "recommend", 1))
    assert.strictEqual(gate.enter("slow", "recommend", 1), "account")
    let started = 0
    for (let i = 0; i < settings.turnsAtOnce; i++) {
      const entered = gate.enter("quick", "recommend", 1)
      if (typeof entered !== "string") gate.queue(entered, () => started++)
    }
    assert.strictEqual(started, settings.turnsAtOnce)
  })

  it("starts a request of an account with nothing running beside one that has filled every turn", () => {
    const gate = admission(saturated)
    gate.enter("greedy", "recommend", 25)
    gate.enter("modest", "recommend", 1)
    assert.strictEqual(gate.started.at(-1), "modest recommend")
  })

  it("gives waiting accounts equal shares of work, not of requests", () => {
    const gate = admission(saturated)
    gate.enter("steps", "recommend", 5, 5)
    gate.enter("single", "recommend", 25, 1)
    const [steps, single] = [() => gate.leave("steps", "recommend"), () => gate.leave("single", "recommend")]
    for (let i = 0; i < 12; i++) if (i % 2 === 0) single(); else if (i < 8) steps()
    const count = (account: string) => gate.started.filter((name) => name.startsWith(account)).length
    assert.isAtLeast(count("single"), count("steps"))
    assert.isAtMost(Math.abs(5 * count("steps") - count("single")), 20)
  })

  it("counts each load as a unit of its account's share: the account's next turns come later", () => {
    const gate = admission(saturated)
    gate.enter("other", "recommend", 25)
    gate.enter("loads", "recommend", 25)
    const count = (account: string) => gate.started.filter((name) => name === `${account} recommend`).length
    for (let i = 0; i < 24; i++) {
      for (const ticket of gate.held("loads", "recommend").slice(0, 1)) gate.beginColdLoad(ticket)()
      gate.leave(i % 3 === 0 ? "loads" : "other", "recommend")
    }
    assert.isAtMost(Math.abs(count("other") - 2 * count("loads")), settings.turnsAtOnce)
  })

  it("starts no turn of an account whose turns and loads fill a saturated process", () => {
    const gate = admission()
    gate.enter("cold", "recommend", 3)
    const ends = gate.held("cold", "recommend").map((ticket) => gate.beginColdLoad(ticket))
    gate.enter("cold", "recommend", 9)
    gate.enter("warm", "recommend", 5)
    const count = (account: string) => gate.started.filter((name) => name === `${account} recommend`).length
    assert.deepStrictEqual([count("cold"), count("warm")], [3, 5])
    // A load may outlive its turn.
    for (let i = 0; i < 3; i++) gate.leave("cold", "recommend")
    assert.strictEqual(count("cold"), 4)
    for (const end of ends) end()
    assert.strictEqual(count("cold"), 12)
  })

  it("counts no load of a request that has no turn", () => {
    const gate = admission(saturated)
    gate.enter("a", "recommend", 9)
    const waiting = gate.held("a", "recommend").at(-1)
    assert.isDefined(waiting)
    for (let i = 0; i < 20; i++) gate.beginColdLoad(waiting!)
    gate.leave("a", "recommend")
    assert.lengthOf(gate.started, settings.turnsAtOnce + 1)
  })

  it("runs an account's feedback first, and refuses reads and recommendations after long waits", () => {
    const gate = admission(saturated)
    gate.enter("a", "recommend", 6)
    gate.enter("a", "feedback", 1)
    gate.leave("a", "recommend")
    assert.strictEqual(gate.started.at(-1), "a feedback")
    gate.clock.nowMs = limitSettings.waitMsMax.read
    assert.deepStrictEqual([gate.refusalOf("a", "read"), gate.refusalOf("a", "recommend")], ["overload", null])
    assert.isNull(gate.refusalOf("b", "read"))
    gate.clock.nowMs = limitSettings.waitMsMax.recommend
    assert.deepStrictEqual([gate.refusalOf("a", "recommend"), gate.refusalOf("a", "feedback")], ["overload", null])
    gate.clock.nowMs = 3_600_000
    assert.deepStrictEqual(gate.enter("a", "feedback", 1), [null])
  })

  it("gives each step of a workflow a turn, and never makes a step wait for the workflow itself", () => {
    const gate = admission(saturated)
    gate.enter("a", "recommend", 4)
    const workflows = gate.held("a", "recommend")
    let running = 0
    const parts: Array<Ticket> = []
    for (const workflow of workflows) {
      gate.pause(workflow)
      for (let i = 0; i < 10; i++) parts.push(gate.partOf(workflow))
    }
    for (const part of parts) gate.queue(part, () => running++)
    assert.strictEqual(running, settings.turnsAtOnce)
    gate.enter("b", "recommend", 1)
    assert.strictEqual(gate.started.at(-1), "b recommend")
    gate.leave("b", "recommend")
    for (const part of parts) gate.leave(part)
    for (const workflow of workflows) gate.leave(workflow)
    assert.lengthOf(gate.enter("a", "recommend", 25).filter((refusal) => refusal === null), 25)
  })

  it("stores nothing of accounts without work in flight", () => {
    const gate = admission(saturated)
    for (let i = 0; i < 1_000; i++) {
      assert.deepStrictEqual(gate.enter(`account ${i}`, "recommend", 1), [null])
      gate.leave(`account ${i}`, "recommend")
    }
    assert.strictEqual(gate.entered("a", "recommend", 25), 25)
  })

  const Account = Schema.Literals(["a", "b", "c"])
  const Purposes = Schema.Literals(["read", "recommend", "feedback"])
  const Step = Schema.Struct({
    kind: Schema.Literals([
      "enter", "enter", "enter", "leave", "weigh", "pause", "part", "load", "wait", "busy", "free"
    ]),
    account: Account,
    purpose: Purposes,
    units: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))
  })

  it.prop("there is no state in which feedback is refused and a read or a recommendation is admitted", {
    steps: Schema.Array(Step).check(Schema.isBetweenLength(20, 120))
  }, ({ steps }) => {
    const load = { ...idle }
    const gate = admission(load)
    for (const { account, kind, purpose, units } of steps) {
      const [ticket] = gate.held(account, purpose)
      if (kind === "enter") gate.enter(account, purpose, 3, units)
      else if (kind === "leave") gate.leave(account, purpose)
      else if (kind === "wait") gate.clock.nowMs += units * 100
      else if (kind === "busy") load.processorShare = 1
      else if (kind === "free") load.processorShare = 0
      else if (ticket !== undefined && kind === "weigh") gate.addUnits(ticket, units)
      else if (ticket !== undefined && kind === "load") gate.beginColdLoad(ticket)
      else if (ticket !== undefined && kind === "pause") gate.pause(ticket)
      else if (ticket !== undefined && kind === "part") gate.queue(gate.partOf(ticket), () => {})
      for (const each of ["a", "b", "c", "new"]) {
        const [feedback, recommend, read] = (["feedback", "recommend", "read"] as const)
          .map((name) => gate.refusalOf(each, name) === null)
        if (recommend === true) assert.isTrue(feedback)
        if (read === true) assert.isTrue(recommend)
      }
    }
  })

  it("refuses feedback last when memory is short, too", () => {
    for (let heapShare = 0; heapShare <= 1; heapShare += 0.01) {
      const { hasMemory } = admission({ ...idle, heapShare })
      if (hasMemory("read")) assert.isTrue(hasMemory("recommend"))
      if (hasMemory("recommend")) assert.isTrue(hasMemory("feedback"))
    }
  })
})
