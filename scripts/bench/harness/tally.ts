/* Counts the answers of a load: by status, by kind, with latencies and warnings. */
import { type Ask, type Decision, decisionsIn, type Kind } from "./asks.ts"

export interface Answer {
  /** The status; 0 without an answer. */
  readonly status: number
  readonly body: Buffer
}

/** The counted answers of a load. */
export interface Loaded {
  /** Time from the load's beginning to the last answer. */
  readonly seconds: number
  /** Latencies by kind: of answers with 200 in their order, and then the waits of unanswered requests. */
  readonly latenciesMs: Readonly<Record<Kind, ReadonlyArray<number>>>
  /** Answers by status, which is 0 for a broken connection. */
  readonly statuses: Readonly<Record<number, number>>
  /** Requests that were due and had no answer when the load was given up. */
  readonly unanswered: number
  /** Recommendations that were made without memory, or not written when they were answered. */
  readonly degraded: number
  /** Decisions that were answered, each step of a workflow counted; and those among them that were written. */
  readonly decided: number
  readonly written: number
  /** Feedback that was acknowledged; and feedback that was not, which may be in the ledger. */
  readonly accepted: number
  readonly unsure: number
  /** The first answer of each kind, and the first that was not 200. */
  readonly answers: Readonly<Partial<Record<Kind, string>>>
  readonly complaint: string
  /** The first 60,000 decisions. */
  readonly decisions: ReadonlyArray<Decision>
  /** Processor time of the generator, ms. */
  readonly processorMs: number
}

const decisionsMax = 60_000
const isAccepted = Buffer.from(`"accepted":true`)
const unavailable = Buffer.from(`"memory_unavailable"`)
const isDegraded = [unavailable, Buffer.from(`"recall_timeout"`)]

/** Counts answers while they come. */
export class Tally {
  readonly latenciesMs: Record<Kind, Array<number>> = { recommend: [], feedback: [], workflow: [], read: [] }
  readonly statuses: Record<number, number> = {}
  readonly decisions: Array<Decision> = []
  unanswered = 0
  degraded = 0
  decided = 0
  written = 0
  accepted = 0
  unsure = 0
  readonly answers: Partial<Record<Kind, string>> = {}
  complaint = ""

  /** Yields the decisions that the answer tells of. */
  note({ kind }: Ask, { body, status }: Answer, latencyMs: number): ReadonlyArray<Decision> {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    if (status !== 200) {
      if (kind === "feedback") this.unsure++
      this.complaint ||= `${kind} ${status} ${body.toString("utf8")}`
      return []
    }
    this.answers[kind] ??= body.toString("utf8")
    this.latenciesMs[kind].push(latencyMs)
    if (kind === "feedback" && body.includes(isAccepted)) this.accepted++
    const decisions = decisionsIn(kind, body)
    if (decisions.length === 0) return decisions
    this.decided += decisions.length
    if (isDegraded.some((word) => body.includes(word))) this.degraded++
    if (!body.includes(unavailable)) this.written += decisions.length
    if (this.decisions.length < decisionsMax) this.decisions.push(...decisions)
    return decisions
  }

  /** Counts an unanswered request, with the time that it has waited. */
  giveUp(kind: Kind, waitedMs: number): void {
    this.unanswered++
    if (kind === "feedback") this.unsure++
    this.latenciesMs[kind].push(waitedMs)
  }
}
