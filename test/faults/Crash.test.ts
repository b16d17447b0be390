import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { killAndSettle } from "../process/crash.ts"
import { database, hasServer, isFullRun } from "./setup.ts"

/** Two starts each; 16 take three minutes on two cores that others share, at eleven seconds each. */
const kills = Number(process.env["SEXTANT_KILLS"] ?? 16)

describe.skipIf(!hasServer)("a service", () => {
  it.live.runIf(isFullRun)(`F22 killed amid feedback ${kills} times over one PostgreSQL keeps every answer, and counts once`, () =>
    Effect.gen(function*() {
      const total = yield* killAndSettle({ DATABASE_URL: yield* database }, kills)
      console.log(`F22: ${kills} kills, ${total} outcomes, each once`)
    }), 60_000 + kills * 30_000)
})
