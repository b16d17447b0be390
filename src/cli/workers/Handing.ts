/* Connections that are handed to a process which dies before it has taken them. */
import { Predicate } from "effect"
import type { ChildProcess } from "node:child_process"

/** The number of a message by which `node:cluster` hands over a connection; null of any other message. */
const handedNumber = (message: unknown): number | null =>
  Predicate.hasProperty(message, "act") && message.act === "newconn"
    && Predicate.hasProperty(message, "seq") && typeof message.seq === "number"
    ? message.seq
    : null

/**
 * Gives `node:cluster` the connections back that a process was handed and had not accepted when it ended, so
 * that another process gets them. Without this they stay open and are never answered (seen with Node 24: some
 * milliseconds pass until the end of a killed process is noticed). It answers in the dead process's name as a
 * process answers that refuses a connection, which is Node's own protocol between both; should that change,
 * this does nothing.
 */
export const giveBackUnaccepted = (child: ChildProcess): void => {
  const handed = new Set<number>()
  const send = child.send
  // Every overload of `send` begins with the message.
  child.send = (...args: ReadonlyArray<unknown>): boolean => {
    const number = handedNumber(args[0])
    if (number !== null) handed.add(number)
    return Reflect.apply(send, child, args)
  }
  child.on("internalMessage", (message: unknown) => {
    if (!Predicate.hasProperty(message, "ack") || typeof message.ack !== "number") return
    handed.delete(message.ack)
  })
  child.once("exit", () => {
    for (const ack of [...handed]) {
      child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: false })
    }
  })
}
