import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountSettings } from "../../src/accounts/AccountSettings.ts"
import { readToken } from "../../src/accounts/VoteToken.ts"
import { AccountId } from "../../src/domain/Scope.ts"
import { removeUnwanted } from "../../src/memory/sql/TaskWords.ts"
import { eraseAccount } from "../../src/privacy/EraseAccount.ts"
import { eraseActor } from "../../src/privacy/EraseActor.ts"
import { exportAccount } from "../../src/privacy/ExportAccount.ts"
import { importAccount } from "../../src/privacy/ImportAccount.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { onEachEngine, slow } from "../support/Databases.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { dumpAll, feedback, recommend, sendRequest, serveAccounts } from "./service.ts"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const acme = AccountId.make("acme")
const canary = "Zanzibarcomment"

/** A recommendation with its token. */
const asked = (over: object = {}) => recommend("acme", "Sum the list of numbers", { vote: true, ...over })

/** A vote, and the rows that it changes: votes are counted after their answers. */
const voted = (token: string, thumb: string, comment: string | null = canary) =>
  Effect.gen(function*() {
    const answer = yield* sendRequest("acme", "POST", `/v1/votes/${token}`, { thumb, comment })
    assert.deepStrictEqual(answer, { received: true })
    yield* Effect.sleep("400 millis")
  })

const votesIn = (accountId: AccountId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ readonly vote: Record<string, unknown> }>`select vote from decision
      where account_id = ${accountId} and vote is not null`.pipe(withAccount(accountId)))

describe("A reader's vote", () => {
  onEachEngine((name, engine) => {
    layer(serveAccounts(engine, "excerpt", ["acme", "umbrella"]), slow)(`in an account, ${name}`, (it) => {
      it.effect("teaches memory as an outcome of the source `vote`, with its weight", () =>
        Effect.gen(function*() {
          const answer = yield* asked()
          yield* voted(String(answer["vote_token"]), "up")
          yield* feedback("acme", answer, { evidence_source: "none" })
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`select provenance, teaches, outcome, provenance_weight as weight from observation
            where account_id = ${acme} and provenance = 'vote'`.pipe(withAccount(acme))
          assert.deepStrictEqual(rows, [{ provenance: "vote", teaches: true, outcome: "success", weight: 0.4 }])
        }))

      it.effect("is erased with its actor, and a token of what is gone is answered as before and keeps no row", () =>
        Effect.gen(function*() {
          const answer = yield* asked({ user_id: "ann" })
          const token = String(answer["vote_token"])
          yield* voted(token, "down")
          yield* feedback("acme", answer, { evidence_source: "none" })
          const before = (yield* votesIn(acme)).length
          yield* eraseActor(acme, "ann", () => Effect.void)
          assert.lengthOf(yield* votesIn(acme), before - 1)
          yield* voted(token, "up", `${canary}again`)
          assert.lengthOf(yield* votesIn(acme), before - 1)
          assert.notInclude(yield* dumpAll, `${canary}again`)
        }))

      it.effect("loses its comment when it is not to be kept", () =>
        Effect.gen(function*() {
          yield* voted(String((yield* asked())["vote_token"]), "down")
          assert.include(yield* dumpAll, canary)
          yield* (yield* AccountSettings).write(acme, { taskText: "none" })
          yield* removeUnwanted("excerpt")
          assert.notInclude(yield* dumpAll, canary)
          const last = (yield* votesIn(acme)).map(({ vote }) => vote["comment"])
          assert.isTrue(last.length > 0 && last.every((comment) => comment === null))
          yield* (yield* AccountSettings).write(acme, { taskText: null })
        }))

      it.effect("goes with its account, whose tokens stay good where it is imported and end where it is erased", () =>
        Effect.gen(function*() {
          const answer = yield* asked()
          const token = String(answer["vote_token"])
          yield* voted(token, "up", null)
          const lines: Array<string> = []
          yield* exportAccount(acme, (line) => Effect.sync(() => void lines.push(line)), () => Effect.void)
          const sql = yield* SqlClient.SqlClient
          const secret = sql`select version, secret from vote_secret where account_id = ${acme}`.pipe(withAccount(acme))
          const [held] = yield* secret
          yield* eraseAccount(acme)
          assert.deepStrictEqual(yield* secret, [])
          const path = join(temporaryFolder(), "acme.jsonl")
          writeFileSync(path, `${lines.join("\n")}\n`)
          yield* importAccount({ path, accountId: null, isForced: true }, () => Effect.void)
          assert.deepStrictEqual((yield* secret)[0], held)
          assert.strictEqual(readToken(token)?.version, 1)
          yield* voted(token, "down", null)
          const own = yield* sql<{ readonly vote: Record<string, unknown> }>`select vote from decision
            where account_id = ${acme} and recommendation_id = ${String(answer["recommendation_id"])}`
            .pipe(withAccount(acme))
          assert.lengthOf(own, 1)
          assert.deepInclude(own[0]?.vote, { thumb: "down", comment: null })
        }))
    })

    layer(serveAccounts(engine, "none"), slow)(`where no words are kept, ${name}`, (it) => {
      it.effect("is kept without its comment, and its token nowhere", () =>
        Effect.gen(function*() {
          const answer = yield* asked()
          const token = String(answer["vote_token"])
          yield* voted(token, "down")
          assert.deepInclude((yield* votesIn(acme))[0]?.vote, { thumb: "down", comment: null })
          const dumped = yield* dumpAll
          assert.notInclude(dumped, canary)
          assert.notInclude(dumped, token)
        }))
    })
  })
})

