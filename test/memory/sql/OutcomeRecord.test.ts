import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LaneId } from "../../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../../src/embedder/lexical/EmbedderLexical.ts"
import { teach } from "../../../src/memory/DirectWrites.ts"
import { Memory } from "../../../src/memory/Memory.ts"
import { memorySettings } from "../../../src/memory/MemorySettings.ts"
import { deleteOutcomes } from "../../../src/memory/sql/DeleteOutcomes.ts"
import * as MemorySql from "../../../src/memory/sql/MemorySql.ts"
import { withAccount } from "../../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../../support/Databases.ts"
import { freshScope, observationIn } from "../fixtures.ts"

const recordsOf = ({ accountId, lane }: LaneId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select outcomes::int, last_cost_usd as cost, last_input_tokens as input, last_output_tokens as output,
      last_quality as quality from outcome_record where lane = ${lane}`).pipe(withAccount(accountId))

onEachEngine((name, engine) => {
  const memory = MemorySql.layer({ endpoint: "postgresql" }).pipe(Layer.provide(EmbedderLexical.layer))
  layer(Layer.provideMerge(memory, engine), slow)(`the record of a cluster and model ${name}`, (it) => {
    it.effect("carries cost, tokens and quality of what occurred last, whenever it is told", () =>
      Effect.gen(function*() {
        const service = yield* Memory
        const scope = freshScope()
        const tell = (day: number, fields: object) =>
          teach(service, observationIn(scope, { occurredAt: new Date(Date.UTC(2026, 9, day)), ...fields }))
        yield* tell(3, { costUsd: 0.03, inputTokens: 300, outputTokens: null, quality: 0.9 })
        yield* tell(1, { costUsd: 0.01, inputTokens: 100, outputTokens: 10, quality: 0.1 })
        assert.deepStrictEqual(yield* recordsOf(scope), [{ outcomes: 2, cost: 0.03, input: 300, output: 10, quality: 0.9 }])
        yield* tell(4, { costUsd: null, inputTokens: 400, outputTokens: 40, quality: 0.5 })
        assert.deepStrictEqual(yield* recordsOf(scope), [{ outcomes: 3, cost: 0.03, input: 400, output: 40, quality: 0.5 }])
      }))

    it.effect("follows a label that replaces another, and an outcome that is deleted", () =>
      Effect.gen(function*() {
        const service = yield* Memory
        const scope = freshScope()
        const tell = (day: number, fields: object) =>
          teach(service, observationIn(scope, { occurredAt: new Date(Date.UTC(2026, 9, day)), userId: `user-${day}`, ...fields }))
        yield* tell(1, { costUsd: 0.01, inputTokens: 100, outputTokens: 10, quality: 0.1 })
        const [observationId, rest] = [crypto.randomUUID(), { costUsd: 0.02, inputTokens: 200, outputTokens: 20 }]
        yield* tell(2, { ...rest, observationId, quality: 0.2 })
        yield* tell(2, { ...rest, observationId, quality: 0.9, revision: 1, verdictRevision: 1 })
        assert.deepStrictEqual(yield* recordsOf(scope), [{ outcomes: 2, cost: 0.02, input: 200, output: 20, quality: 0.9 }])
        yield* deleteOutcomes({ accountId: scope.accountId, lane: null, userId: "user-2", since: null, until: null }, memorySettings)
        assert.deepStrictEqual(yield* recordsOf(scope), [{ outcomes: 1, cost: 0.01, input: 100, output: 10, quality: 0.1 }])
      }))
  })
})
