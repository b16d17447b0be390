/*
 * Takes connections back that `node:cluster` gave a process that died before it accepted them. It answers
 * in that process's name, with a private message of Node's. `reusePort`, with which each process listens for
 * itself, was weighed: two services could then share a port by mistake, and macOS does not have it.
 */
import { Predicate } from "effect"
import type { ChildProcess } from "node:child_process"

/** The number of a message by which `node:cluster` hands over a connection; null of any other message. */
const handedNumber = (message: unknown): number | null =>
  Predicate.hasProperty(message, "act") && message.act === "newconn"
    && Predicate.hasProperty(message, "seq") && typeof message.seq === "number"
    ? message.seq
    : null

/** The processes that can be handed connections. */
const listening = new Set<ChildProcess>()

/** Keeps {@link listening} by what a process tells `node:cluster`. */
const noteListening = (child: ChildProcess, message: object): void => {
  if (!Predicate.hasProperty(message, "act")) return
  if (message.act === "listening") listening.add(child)
  if (message.act === "close") listening.delete(child)
}

/** Calls `then` once the channel to an ended process has been read to its end, or after a second. */
const whenRead = (child: ChildProcess, then: () => void, triesLeft = 100): void => {
  if (!child.connected || triesLeft === 0) return then()
  setTimeout(() => whenRead(child, then, triesLeft - 1), 10)
}

/**
 * Gives `node:cluster` the connections back that a process was handed and had not accepted when it ended, so
 * that another process gets them, or closes them where no other listens. Without this they stay open and are
 * never answered (seen with Node 24: some milliseconds pass until the end of a killed process is noticed). It
 * answers in the dead process's name as a process answers that refuses a connection, or that has taken it,
 * which is Node's own protocol between both; should that change, this does nothing.
 *
 * It does so when the channel has been read to its end, which may come after the exit: until then the process
 * may have said that it took a connection, whose request it may have read, and may be handed others. Node
 * itself does not say "disconnect" of a process that ended with a connection under way.
 */
export const giveBackUnaccepted = (child: ChildProcess): void => {
  const handed = new Set<number>()
  let isClosed = false
  const send = child.send
  // Every overload of `send` begins with the message.
  child.send = (...args: ReadonlyArray<unknown>): boolean => {
    const number = handedNumber(args[0])
    if (number !== null) handed.add(number)
    return Reflect.apply(send, child, args)
  }
  child.on("internalMessage", (message: unknown) => {
    if (!Predicate.isObject(message)) return
    noteListening(child, message)
    if (Predicate.hasProperty(message, "ack") && typeof message.ack === "number") handed.delete(message.ack)
  })
  child.once("disconnect", () => {
    isClosed = true
    listening.delete(child)
    const accepted = listening.size === 0
    for (const ack of [...handed]) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted })
  })
  child.once("exit", () => whenRead(child, () => {
    if (!isClosed) child.emit("disconnect")
  }))
}
