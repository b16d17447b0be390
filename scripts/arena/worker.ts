import { Cause, Effect, Exit, References } from "effect"
import { parentPort } from "node:worker_threads"
import type { Answer } from "./pool.ts"
import { replay, type ReplayReport, type ReplayTask } from "./replay.ts"
import { route, type RouteReport } from "./routellm.ts"

/** One unit of work: a set in one order, or RouteLLM's figures in one order. */
export type ArenaTask =
  | { readonly kind: "replay"; readonly task: ReplayTask }
  | { readonly kind: "route"; readonly task: ReplayTask }

export type ArenaResult =
  | { readonly kind: "replay"; readonly report: ReplayReport }
  | { readonly kind: "route"; readonly report: RouteReport }

const run = (work: ArenaTask) =>
  work.kind === "replay"
    ? Effect.map(replay(work.task), (report): ArenaResult => ({ kind: "replay", report }))
    : Effect.map(route(work.task), (report): ArenaResult => ({ kind: "route", report }))

const port = parentPort
port?.on("message", (message: { readonly position: number; readonly task: ArenaTask }) => {
  const { position, task } = message
  // Nobody reads spans here, and making them takes time.
  const work = run(task).pipe(Effect.provideService(References.TracerEnabled, false))
  void Effect.runPromiseExit(work).then((exit) => {
    const answer: Answer<ArenaResult> = Exit.isSuccess(exit)
      ? { position, result: exit.value }
      : { position, failure: Cause.pretty(exit.cause) }
    port.postMessage(answer)
  })
})
