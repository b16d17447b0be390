import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { onServer, postgresServer } from "../support/Databases.ts"
import { scopedCluster, findBinaries } from "../support/PostgresCluster.ts"
import { awaitLog, sextant, startService, stopService } from "../support/Service.ts"

describe.skipIf(postgresServer === null || findBinaries() === null)("an owner without CREATEROLE", () => {
  it.live("gets the administrator's statements at start, migrate and doctor, which suffice (case 22)", () =>
    Effect.gen(function*() {
      // A new server, because the roles exist on that of the other suites.
      const { port, url } = yield* scopedCluster()
      const owner = `owner_${randomBytes(4).toString("hex")}`
      for (const [at, statements] of [[0, "create role sextant_app nologin; create role sextant_service nologin; "], [1, ""]] as const) {
        // The second time the roles exist, as for a second database of another owner.
        const role = `${owner}${at}`
        yield* onServer(url, `create role ${role} login`)
        yield* onServer(url, `create database ${role} owner ${role}`)
        const environment = { DATABASE_URL: `postgres://${role}@127.0.0.1:${port}/${role}` }
        const cure = `${statements}grant sextant_app to sextant_service; `
          + `grant sextant_app, sextant_service to "${role}" with admin option`
        const migrated = yield* sextant(["migrate"], environment)
        assert.strictEqual(migrated.code, 1)
        assert.include(migrated.stderr, `As an administrator, run: ${cure}`)
        assert.include((yield* sextant(["doctor"], environment)).stdout, `as an administrator, run: ${cure}`)
        const service = yield* startService(environment)
        yield* awaitLog(service, "As an administrator, run: ")
        for (const statement of cure.split("; ")) yield* onServer(url, statement)
        yield* awaitLog(service, "The database is ready")
        assert.lengthOf(service.stderr().match(/Migrating the database/g) ?? [], 1)
        assert.strictEqual(yield* stopService(service), 0, service.stderr())
        assert.strictEqual((yield* sextant(["migrate", "--service-role", role], environment)).code, 0)
      }
    }), 120_000)
})
