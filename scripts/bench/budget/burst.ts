/** What a burst of recommendations has cost under a budget, by processes, with bills that come only after it. */
import { Effect } from "effect"
import { runBurst } from "../../../test/support/burst.ts"
import { table } from "../harness/figures.ts"

/** Prints what bursts of so many requests came to, each at a new service with an embedded database. */
export const measureBursts = async (requests: number): Promise<void> => {
  const lines: Array<ReadonlyArray<string>> = []
  for (const isHard of [false, true]) {
    for (const share of [0.3, 0.2, 0.1]) {
      for (const processes of [1, 4]) {
        const run = Effect.flatMap(runBurst({ processes, requests, isHard, share }), (came) => Effect.as(came.stop, came))
        const { billed, refused, reserved } = await Effect.runPromise(Effect.scoped(run))
        lines.push([
          isHard ? "hard" : "paced", String(share), String(processes), billed.toFixed(2), reserved.toFixed(2), String(refused)
        ])
      }
    }
  }
  console.log(table(["budget", "budget / unpaced", "processes", "bills / budget", "reserved / budget", "refused"], lines))
}
