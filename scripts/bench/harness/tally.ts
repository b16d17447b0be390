/* Counts the answers of a load: by status, by kind, with latencies and warnings. */
import { type Ask, type Decision, decisionsIn, type Kind } from "./asks.ts"

export interface Answer {
  /** 0 where none came. */
  readonly status: number
  readonly body: Buffer
}

/** What came of a load. */
export interface Loaded {
  /** From its beginning to the last answer. */
  readonly seconds: number
  /** By kind, in the order of the answers: those with 200, and how long the unanswered waited in vain. */
  readonly latenciesMs: Readonly<Record<Kind, ReadonlyArray<number>>>
  /** Answers by status; 0 where the connection broke. */
  readonly statuses: Readonly<Record<number, number>>
  /** Requests that were due and had no answer when the load was given up. */
  readonly unanswered: number
  /** Recommendations that had to do without memory or were not written down when they were answered. */
  readonly degraded: number
  /**
   * Decisions that were answered, a workflow's steps each; of these, the ones that said they were written.
   */
  readonly decided: number
  readonly written: number
  /** Feedback that was acknowledged; and that was not, and may be in the ledger all the same. */
  readonly accepted: number
  readonly unsure: number
  /** The first answer of each kind, and the first that was not 200. */
  readonly answers: Readonly<Partial<Record<Kind, string>>>
  readonly complaint: string
  /** What was decided, as far as it is kept. */
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

  /** An unanswered request has waited at least this long. */
  giveUp(kind: Kind, waitedMs: number): void {
    this.unanswered++
    if (kind === "feedback") this.unsure++
    this.latenciesMs[kind].push(waitedMs)
  }
}
