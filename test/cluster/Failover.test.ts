import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { onServer } from "../support/Databases.ts"
import { findBinaries, freePort, scopedCluster } from "../support/PostgresCluster.ts"
import { startService } from "../support/Service.ts"
import { acknowledgedMore, audit, nothingHeard, underLoad } from "./drill.ts"

describe.skipIf(findBinaries() === null)("a PostgreSQL that is lost for good", () => {
  it.live("leaves every acknowledged outcome, once, in its synchronous replica", () =>
    Effect.gen(function*() {
      const primary = yield* scopedCluster({ settings: ["synchronous_standby_names='*'"] })
      const replica = yield* scopedCluster({ replicaOf: primary })
      const port = String(yield* Effect.promise(freePort))
      const service = yield* startService({ DATABASE_URL: primary.url, PORT: port })
      const at = { url: service.baseUrl }
      const heard = nothingHeard()
      yield* underLoad(at, heard, 3, Effect.gen(function*() {
        yield* acknowledgedMore(heard, 20)
        yield* Effect.promise(primary.kill)
        yield* onServer(replica.url, "select pg_promote()")
        yield* service.kill("SIGKILL")
        yield* service.exitCode
        yield* startService({ DATABASE_URL: replica.url, PORT: port })
        yield* acknowledgedMore(heard, 20)
      }))
      assert.deepStrictEqual(yield* audit(replica.url, at, heard), { lost: [], forgotten: [], closed: [], twice: 0 })
    }))
})
