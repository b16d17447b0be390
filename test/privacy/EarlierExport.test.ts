import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rowForms } from "../../src/cli/Layers.ts"
import type { MemoryWrite, Observation } from "../../src/domain/MemoryWrite.ts"
import type { LaneId } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory } from "../../src/memory/Memory.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { importAccount } from "../../src/privacy/ImportAccount.ts"
import { withAccount, withAccountLog } from "../../src/sql/AccountScope.ts"
import { freshAccount, freshScope, observationIn, reinforcementIn } from "../memory/fixtures.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const quiet = () => {}

/** The lines of an export, without its seal, as a version wrote them that had a table of votes, and no log. */
const earlierLines = (text: string): ReadonlyArray<unknown> => {
  const lines = text.trimEnd().split("\n").slice(0, -1).map((line) => JSON.parse(line))
    .filter(({ kind }) => kind !== "account_log")
  const votes = lines.flatMap(({ kind, row, version }) => kind !== "observation" || row.voted_up === null ? [] : [{
    kind: "reinforcement", version,
    row: {
      lane: row.lane, reinforcement_id: row.observation_id, voted_up: row.voted_up, voted_down: row.voted_down,
      told_at: row.occurred_at
    }
  }])
  const [header, ...others] = lines.map((line) => {
    if (line.kind !== "observation") return line
    const { voted_down: _down, voted_up: _up, ...row } = line.row
    return { ...line, row }
  })
  const { account_log: _log, ...kept } = header.counts
  const counts = { ...kept, reinforcement: votes.length }
  return [{ ...header, schema: ["tables"], counts }, ...others, ...votes]
}

const sealed = (lines: ReadonlyArray<unknown>): string => {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  return `${body}${JSON.stringify({ kind: "end", sha256: createHash("sha256").update(body).digest("hex") })}\n`
}

/** Exports an account as the earlier version did; yields the file. */
const exportEarlier = ({ accountId }: LaneId) =>
  Effect.gen(function*() {
    const folder = temporaryFolder()
    const [now, path] = [join(folder, "now.jsonl"), join(folder, "earlier.jsonl")]
    yield* exportToFile(now, accountId, quiet, quiet, rowForms)
    writeFileSync(path, sealed(earlierLines(readFileSync(now, "utf8"))))
    return path
  })

/** An outcome with the vote of its label on an entry. */
const voting = (scope: LaneId, entryId: string, own: Observation): ReadonlyArray<MemoryWrite> => [
  { kind: "teach", body: own },
  {
    kind: "reinforce",
    body: reinforcementIn(scope, [entryId], {
      reinforcementId: own.observationId, revision: own.revision, quality: own.quality
    })
  }
]

const votesOn = ({ accountId }: LaneId, entryId: string) =>
  SqlClient.SqlClient.use((sql) => sql`select votes_up, votes_down from observation
    where account_id = ${accountId} and observation_id = ${entryId}`.pipe(withAccount(accountId)))

const memory = MemorySql.layer({ endpoint: "postgresql", keptText: "excerpt" }).pipe(Layer.provide(EmbedderLexical.layer))

onEachEngine((name, engine) => {
  layer(Layer.provideMerge(memory, engine), slow)(`an export of an earlier version, ${name}`, (it) => {
    it.effect("brings votes from their own table: a later label takes back what the earlier one voted", () =>
      Effect.scoped(Effect.gen(function*() {
        const { store } = yield* Memory
        const scope = freshScope()
        const entry = observationIn(scope, { revision: 1, verdictRevision: 1 })
        const own = observationIn(scope, { revision: 2, verdictRevision: 2, quality: 0.9 })
        yield* store(scope.accountId, [{ kind: "teach", body: entry }, ...voting(scope, entry.observationId, own)])
        const path = yield* exportEarlier(scope)
        const copy = { ...scope, accountId: freshAccount() }
        const request = { path, accountId: copy.accountId, isForced: false }
        const imported = yield* importAccount(request, quiet, rowForms)
        assert.deepStrictEqual([imported.leftOut, imported.counts["reinforcement"]], [{}, 1])
        assert.deepStrictEqual(yield* votesOn(copy, entry.observationId), [{ votes_up: 1, votes_down: 0 }])
        const again = yield* importAccount({ ...request, isForced: true }, quiet, rowForms)
        assert.strictEqual(again.counts["reinforcement"], 0, "a label that has its votes keeps them")

        const later = { ...own, accountId: copy.accountId, revision: 3, verdictRevision: 3, outcome: "failure", quality: 0 } as const
        yield* store(copy.accountId, voting(copy, entry.observationId, later))
        assert.deepStrictEqual(yield* votesOn(copy, entry.observationId), [{ votes_up: 0, votes_down: 1 }])
      })))

    it.effect("is imported under the lock of the account's log from the first row on, without a log", () =>
      Effect.scoped(Effect.gen(function*() {
        const { store } = yield* Memory
        const scope = freshScope()
        yield* store(scope.accountId, [{ kind: "teach", body: observationIn(scope) }])
        const path = yield* exportEarlier(scope)
        const accountId = freshAccount()
        const [isAtRow, mayGoOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const lane = () => Effect.as(Effect.andThen(Deferred.succeed(isAtRow, undefined), Deferred.await(mayGoOn)), 0)
        const importing = yield* Effect.forkChild(
          importAccount({ path, accountId, isForced: true }, quiet, { ...rowForms, lane: { write: lane } }))
        yield* Deferred.await(isAtRow)
        const feedback = yield* Effect.forkChild(withAccountLog(accountId, 1)(Effect.succeed))
        yield* Effect.sleep("300 millis")
        assert.isUndefined(feedback.pollUnsafe(), "feedback waits for the import")
        yield* Deferred.succeed(mayGoOn, undefined)
        yield* Fiber.join(importing)
        assert.strictEqual(yield* Fiber.join(feedback), 1)
      })))
  })
})
