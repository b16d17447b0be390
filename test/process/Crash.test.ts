import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataDirectory } from "../support/Databases.ts"
import { killAndSettle } from "./crash.ts"

describe("a service killed with SIGKILL", () => {
  it.live("keeps every answer that it gave, and counts each outcome once, five times on one directory", () =>
    Effect.gen(function*() {
      yield* killAndSettle({ SEXTANT_DATA_DIR: yield* dataDirectory }, 5)
    }), 240_000)
})
