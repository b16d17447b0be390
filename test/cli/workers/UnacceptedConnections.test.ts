import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { giveBackUnaccepted } from "../../../src/cli/workers/UnacceptedConnections.ts"

/** A process of the port as the first one sees it, which says what `node:cluster` hears in its name. */
const makeProcess = () => {
  const events = Object.assign(new EventEmitter(), { connected: true, send: () => true })
  // Of a process only these are used.
  const child = events as unknown as ChildProcess
  const answers: Array<object> = []
  giveBackUnaccepted(child)
  events.on("internalMessage", (message: object) => {
    if ("ack" in message) answers.push(message)
  })
  return {
    answers,
    say: (message: object) => events.emit("internalMessage", { cmd: "NODE_CLUSTER", ...message }),
    hand: (seq: number) => child.send({ act: "newconn", seq }),
    exit: () => events.emit("exit", null, "SIGKILL"),
    /** The channel is read to its end, of which Node does not always say "disconnect". */
    endChannel: () => events.connected = false,
    disconnect: () => events.emit("disconnect")
  }
}

const settled = Effect.sleep("100 millis")

describe("connections that were handed to a process which has ended", () => {
  it.live("go to another, those too that were handed after its exit, unless it took them by its last words", () =>
    Effect.gen(function*() {
      const [other, killed] = [makeProcess(), makeProcess()]
      other.say({ act: "listening" })
      killed.say({ act: "listening" })
      for (const seq of [1, 2]) killed.hand(seq)
      killed.exit()
      yield* settled
      assert.deepStrictEqual(killed.answers, [])
      killed.say({ ack: 1, accepted: true })
      killed.hand(3)
      killed.endChannel()
      yield* settled
      assert.deepStrictEqual(killed.answers, [
        { cmd: "NODE_CLUSTER", ack: 1, accepted: true },
        { cmd: "NODE_CLUSTER", ack: 2, accepted: false },
        { cmd: "NODE_CLUSTER", ack: 3, accepted: false }
      ])
      other.disconnect()
    }))

  it.live("are closed where no other process listens, and given back once", () =>
    Effect.gen(function*() {
      const killed = makeProcess()
      killed.say({ act: "listening" })
      killed.hand(7)
      killed.endChannel()
      killed.disconnect()
      killed.exit()
      yield* settled
      assert.deepStrictEqual(killed.answers, [{ cmd: "NODE_CLUSTER", ack: 7, accepted: true }])
    }))
})
