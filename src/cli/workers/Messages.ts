/* The messages between the processes of one port, which the first process passes on. */
import { Predicate } from "effect"
import type { Counted } from "../../http/limits/Siblings.ts"

/** A process serves; the lines are what a lone process would print then. */
interface Ready {
  readonly kind: "ready"
  readonly lines: string
}

/** What a process counted since its last message, by key. The first process passes it on to the others. */
export interface Counts {
  readonly kind: "counts"
  readonly counts: ReadonlyArray<readonly [counted: Counted, key: string, units: number]>
}

/** A process is alive: its event loop comes round. */
interface Beat {
  readonly kind: "beat"
}

export type WorkerMessage = Ready | Counts | Beat

const kinds: ReadonlySet<unknown> = new Set<WorkerMessage["kind"]>(["ready", "counts", "beat"])

/** Whether a message of the channel is one of ours; Node's own have other forms. */
export const isMessage = (message: unknown): message is WorkerMessage =>
  Predicate.hasProperty(message, "kind") && kinds.has(message.kind)
