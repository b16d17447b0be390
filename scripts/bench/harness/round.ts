/* One load on one subject: how many answers, how late, and at what processor time. */
import { kinds } from "./asks.ts"
import { quantiles } from "./figures.ts"
import { key } from "./history.ts"
import type { Load } from "./load.ts"
import { put, type Server } from "./processes.ts"
import { processorMsOfFamily, processorMsOfService } from "./processor.ts"
import type { Loaded } from "./tally.ts"

/** Figures of a load. Processor times are per answer; null where the system does not say. */
export interface Round {
  /** Answers of any status. */
  readonly answers: number
  /** Answers with 200, in all and per second. */
  readonly served: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of all Node processes of the service, µs. */
  readonly serverUs: number | null
  readonly postgresUs: number | null
  readonly generatorUs: number
}

/** The measured processes: a server, and the database behind it. */
export interface Subject {
  readonly server: Server
  /** PostgreSQL's first process, where it runs on this machine. */
  readonly postmaster: number | null
}

/** Processor milliseconds so far. */
export const spent = ({ postmaster, server }: Subject) => ({
  server: processorMsOfService(server.pid),
  postgres: postmaster === null ? null : processorMsOfFamily(postmaster)
})

export const perAnswerUs = (before: number | null, after: number | null, answers: number): number | null =>
  before === null || after === null ? null : (after - before) * 1_000 / answers

export const round = async (
  subject: Subject,
  load: Omit<Load, "port" | "key">
): Promise<{ readonly figures: Round; readonly loaded: Loaded }> => {
  const before = spent(subject)
  const loaded = await put({ ...load, port: subject.server.port, key })
  const after = spent(subject)
  const answers = Object.values(loaded.statuses).reduce((sum, count) => sum + count, 0)
  const served = loaded.statuses[200] ?? 0
  const [p50Ms = 0, p99Ms = 0] =
    quantiles(kinds.flatMap((kind) => loaded.latenciesMs[kind]), [0.5, 0.99])
  return {
    loaded,
    figures: {
      answers, served, perSecond: served / loaded.seconds, p50Ms, p99Ms,
      serverUs: perAnswerUs(before.server, after.server, answers),
      postgresUs: perAnswerUs(before.postgres, after.postgres, answers),
      generatorUs: loaded.processorMs * 1_000 / answers
    }
  }
}
