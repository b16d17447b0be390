import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rowForms } from "../../src/cli/Layers.ts"
import type { LaneId } from "../../src/domain/Scope.ts"
import * as EmbedderLexical from "../../src/embedder/lexical/EmbedderLexical.ts"
import { Memory } from "../../src/memory/Memory.ts"
import * as MemorySql from "../../src/memory/sql/MemorySql.ts"
import { exportToFile } from "../../src/privacy/ExportFile.ts"
import { importAccount } from "../../src/privacy/ImportAccount.ts"
import { withAccountLog } from "../../src/sql/AccountScope.ts"
import { freshAccount, freshScope, observationIn } from "../memory/fixtures.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const quiet = () => {}

/** The lines of an export, without its seal, as an older schema might have had them: without a log. */
const olderLines = (text: string): ReadonlyArray<unknown> => {
  const [header, ...lines] = text.trimEnd().split("\n").slice(0, -1).map((line) => JSON.parse(line))
    .filter(({ kind }) => kind !== "account_log")
  const { account_log: _log, ...counts } = header.counts
  return [{ ...header, schema: ["log"], counts }, ...lines]
}

const sealed = (lines: ReadonlyArray<unknown>): string => {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  return `${body}${JSON.stringify({ kind: "end", sha256: createHash("sha256").update(body).digest("hex") })}\n`
}

/** Exports an account so; yields the file. */
const exportOlder = ({ accountId }: LaneId) =>
  Effect.gen(function*() {
    const folder = temporaryFolder()
    const [now, path] = [join(folder, "now.jsonl"), join(folder, "older.jsonl")]
    yield* exportToFile(now, accountId, quiet, quiet, rowForms)
    writeFileSync(path, sealed(olderLines(readFileSync(now, "utf8"))))
    return path
  })

const memory = MemorySql.layer({ endpoint: "postgresql", keptText: "excerpt" }).pipe(Layer.provide(EmbedderLexical.layer))

onEachEngine((name, engine) => {
  layer(Layer.provideMerge(memory, engine), slow)(`an export of an older schema, ${name}`, (it) => {
    it.effect("is imported under the lock of the account's log from the first row on, without a log", () =>
      Effect.scoped(Effect.gen(function*() {
        const { store } = yield* Memory
        const scope = freshScope()
        yield* store(scope.accountId, [{ kind: "teach", body: observationIn(scope) }])
        const path = yield* exportOlder(scope)
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
