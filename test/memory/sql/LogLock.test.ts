import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MemoryWrite } from "../../../src/domain/MemoryWrite.ts"
import { laneOf, type LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { OutcomeImports } from "../../../src/memory/OutcomeImport.ts"
import { deleteOutcomes } from "../../../src/memory/sql/DeleteOutcomes.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import * as OutcomeImportSql from "../../../src/memory/sql/OutcomeImportSql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { retryTransient } from "../../../src/sql/Transient.ts"
import { generator } from "../../../src/stats/Generator.ts"
import { onOneEngine, slow } from "../../support/Databases.ts"
import { freshScope, observationIn, promptSettings, reinforcementIn } from "../fixtures.ts"

const idAt = (prefix: string, at: number) => `${prefix}-0000-7000-8000-${String(at).padStart(12, "0")}`
const users = ["ann", "bob", "mallory"] as const
const models = ["alpha", "beta"] as const

/** A report as memory gets it: its outcome, now and then with another label than before, and its votes. */
const reportIn = (scope: LaneId, revision: number, random: () => number): ReadonlyArray<MemoryWrite> => {
  const at = Math.floor(random() * 40)
  // What mallory reports is deleted meanwhile; it does not come again, or votes cast on it before would differ.
  const observationId = idAt("01900000", users[at % 3] === "mallory" ? 1000 + revision : at)
  const isFailure = random() < 0.4
  const of = { userId: users[at % 3]!, occurredAt: new Date() }
  const quality = isFailure ? 0 : 1
  const entryIds = Array.from({ length: 4 }, () =>
    idAt("01900000", Math.floor(random() * 40) + (random() < 0.3 ? 1000 + Math.floor(revision / 2) : 0)))
  return [
    {
      kind: "teach",
      body: observationIn(scope, {
        ...of, observationId, revision, verdictRevision: revision, modelId: models[at % 2]!, quality,
        outcome: isFailure ? "failure" : "success", teaches: random() < 0.9
      })
    },
    {
      kind: "reinforce",
      body: reinforcementIn(scope, entryIds, { ...of, reinforcementId: observationId, revision, quality })
    }
  ]
}

/** What must be zero: the differences of each count from what it counts. */
const differences = ({ accountId, lane }: LaneId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Record<string, number>>`select
      (select count(*)::int from lane l where lane = ${lane} and taught <> (
        select count(*) from observation where lane = ${lane} and teaches)) as taught,
      (select count(*)::int from outcome_record r full join (
        select cluster, model_id, count(*) as n, sum(votes_up) as up
        from observation where lane = ${lane} group by 1, 2
      ) o using (cluster, model_id)
        where coalesce(r.lane, ${lane}) = ${lane} and (coalesce(r.outcomes, 0) <> coalesce(o.n, 0)
          or coalesce(r.reinforcement, 0) <> coalesce(o.up, 0))) as records,
      (select count(*)::int from observation e where lane = ${lane} and (
        e.votes_up <> (select count(*) from observation v
          where v.lane = ${lane} and e.observation_id = any(v.voted_up))
        or e.votes_down <> (select count(*) from observation v
          where v.lane = ${lane} and e.observation_id = any(v.voted_down))
      )) as votes,
      (select count(*)::int from observation e
        where lane = ${lane} and e.votes_up + e.votes_down <> coalesce((
          select sum(v.votes) from vote v
          where v.lane = ${lane} and v.observation_id = e.observation_id), 0)) as days,
      (select count(*)::int from observation e where lane = ${lane} and version > (
        select version from lane where lane = ${lane})) as versions,
      (select count(*)::int from observation_vector v where lane = ${lane} and not exists (
        select from observation o where o.lane = ${lane} and o.observation_id = v.observation_id)) as vectors`
    return row
  }).pipe(withAccount(accountId))

const nothing = { taught: 0, records: 0, votes: 0, days: 0, versions: 0, vectors: 0 }

describe("reports, imports, undoing and deletions at once", () =>
  onOneEngine((name, engine) => {
    const memory = MemorySql.layer({ endpoint: "postgresql", settings: promptSettings }).pipe(
      Layer.provide(EmbedderLexical.layer))
    layer(Layer.provideMerge(Layer.merge(memory, OutcomeImportSql.layer), engine), slow)(name, (it) => {
      for (const seed of [1, 2]) {
        it.effect(`leave every count equal to what it counts: ${seed}`, () =>
          Effect.gen(function*() {
            const random = generator(seed)
            const own = yield* Memory
            const imports = yield* OutcomeImports
            const scope = { ...freshScope(), lane: laneOf("log") }
            const { accountId, lane } = scope
            let revision = 0
            const report = Effect.suspend(() => {
              const writes = reportIn(scope, ++revision, random)
              return retryTransient(own.store(accountId, writes))
            })
            const imported = Effect.gen(function*() {
              const command = { ...scope, command: `${seed} ${random()}`, fileNames: ["calls.jsonl"] }
              const running = yield* imports.begin(command)
              const outcomes = Array.from({ length: 10 }, (_, at) =>
                imports.embedded(observationIn(scope, {
                  observationId: idAt("01800000", at), modelId: models[at % 2]!, userId: users[at % 3]!,
                  occurredAt: new Date()
                })))
              yield* imports.add(running, { leftOut: {}, isTextKept: false, rowsRead: 10, outcomes })
              yield* imports.end(running)
              return running.importId
            })
            const undone = Effect.flatMap(imported, (importId) =>
              imports.undo({ accountId, importId }, () => {}))
            const deleted = retryTransient(
              deleteOutcomes({ accountId, lane, userId: "mallory", since: null, until: null }, promptSettings))
            // One command at a time, as an owner runs them: an import beside an undoing is refused. Erasure is
            // not among them: it leaves the sums as they are.
            const commands = Effect.gen(function*() {
              for (let round = 0; round < 3; round++) {
                yield* imported
                yield* deleted
                yield* undone
              }
            })
            const reports = Effect.all(Array.from({ length: 90 }, () => report), {
              concurrency: 6, discard: true
            })
            yield* Effect.all([reports, commands], { concurrency: 2, discard: true })
            assert.deepStrictEqual(yield* differences(scope), nothing)
            const { entryCounts } = yield* own.health({ ...scope, staleThresholdDays: 30 })
            assert.isAbove(entryCounts["observation"] ?? 0, 0)
          }))
      }
    })
  }))
