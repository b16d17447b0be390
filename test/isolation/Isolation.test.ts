import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../src/domain/Scope.ts"
import { withAccount } from "../../src/sql/AccountScope.ts"
import { embedded, type Engine, postgres } from "../support/Databases.ts"
import { cells, endpoints, type Ids, live, masked, type Probe, probes, randomLike, send } from "./matrix.ts"
import { sendRequest, dump, keyCanary, keyOf, type Seen, taskCanary, isolatedService, stripFunctions } from "./service.ts"

const [owner, stranger] = ["acme", "umbrella"] as const

/** Where the owner's task and notes may rest: rows of its own that no other account sees. */
const excerpts: ReadonlySet<string> = new Set(["decision", "lesson", "step_reward", "report"])

const firstDifference = (said: string, expected: string): string => {
  const at = [...said].findIndex((letter, i) => letter !== expected[i])
  return `…${said.slice(Math.max(0, at - 60), at + 120)} but …${expected.slice(Math.max(0, at - 60), at + 120)}`
}

/**
 * Whether the two ever take as many statements: a decision is written with others, and counts for whichever
 * request its writer woke for.
 */
const sameWork = (seen: Seen, foreign: Probe, random: Probe) =>
  Effect.gen(function*() {
    for (let i = 0; i < 6; i++) {
      const [one, other] = [yield* send(seen, stranger, foreign), yield* send(seen, stranger, random)]
      if (one.statements === other.statements) return true
    }
    return false
  })

/**
 * The stranger puts ids of the owner into every place, and random ones: no answer tells them apart.
 *
 * @param nth each place gets every nth id, in turns: 1 for all
 */
const foreignLikeRandom = (seen: Seen, ids: Ids, nth: number) =>
  Effect.gen(function*() {
    const differing: Array<string> = []
    for (const [place, cell] of cells.entries()) {
      for (const [name, id] of [...ids].filter((_, i) => (place + i) % nth === 0)) {
        const other = randomLike(id)
        const foreign = yield* send(seen, stranger, cell.with(id))
        const random = yield* send(seen, stranger, cell.with(other))
        const [said, expected] = [masked(foreign.text, id), masked(random.text, other)]
        if (foreign.status !== random.status || (said !== expected && !cell.isProse)) {
          differing.push(`${cell.name} = ${name}: ${firstDifference(`${foreign.status} ${said}`, `${random.status} ${expected}`)}`)
        }
        if (foreign.statements !== random.statements && !(yield* sameWork(seen, cell.with(id), cell.with(other)))) {
          differing.push(`${cell.name} = ${name}: ${foreign.statements} statements, not ${random.statements}`)
        }
        if (foreign.text.includes(taskCanary)) differing.push(`${cell.name} = ${name} shows the owner's text`)
      }
    }
    return differing
  })

/** What a stranger is answered everywhere, before and after the owner lived, names no number of the owner's. */
const everywhere = (seen: Seen) =>
  Effect.forEach(
    // The others add to what the stranger itself has.
    probes.filter(({ method, path }) => path !== "/v1/health" && (method === "GET" || path === "/v1/diagnose")),
    (probe) => Effect.map(send(seen, stranger, { ...probe, ...(probe.query === undefined ? {} : { query: {} }) }), ({ text }) => masked(text, "no id"))
  )

/** Until every reflection that an outcome made due has been made: it changes lessons at a time of its own. */
const settled = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from reflection where reflected_at is null limit 1`).length === 0
}).pipe(
  Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("50 millis") }),
  Effect.timeout("30 seconds")
)

const tablesOf = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly name: string; readonly isForced: boolean; readonly policies: number }>`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as "isForced",
      (select count(*)::int from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname
        and p.qual like '%app.account%' and p.with_check like '%app.account%') as policies
    from information_schema.columns i
    join pg_class c on c.relname = i.table_name and c.relnamespace = 'public'::regnamespace
    where i.table_schema = 'public' and i.column_name = 'account_id' and c.relkind in ('r', 'p')
      and not c.relispartition order by 1`
})

/** Tables that the service reads before it knows an account, by a role that the application's cannot take. */
const beforeAccounts: ReadonlySet<string> = new Set(["api_key"])

class RolledBack {
  readonly rows: number
  constructor(rows: number) {
    this.rows = rows
  }
}

/** Statements without any condition, as the stranger: they see and change the stranger's rows alone. */
const securityAlone = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const asStranger = withAccount(AccountId.make(stranger))
  /** What the statement yields, with nothing of it left. */
  const rolledBack = <A, E, R>(effect: Effect.Effect<ReadonlyArray<A>, E, R>) =>
    asStranger(Effect.flatMap(effect, (rows) => Effect.fail(new RolledBack(rows.length)))).pipe(
      Effect.catch((failure) => failure instanceof RolledBack ? Effect.succeed(failure.rows) : Effect.fail(failure))
    )
  let filled = 0
  for (const { name, isForced, policies } of yield* tablesOf) {
    if (beforeAccounts.has(name)) {
      const refused = yield* Effect.flip(asStranger(sql`select * from ${sql(name)}`))
      assert.strictEqual(refused.reason._tag, "AuthorizationError", name)
      continue
    }
    assert.isTrue(isForced, `${name} forces row-level security`)
    assert.isAbove(policies, 0, `${name} has a policy by account`)
    const count = (where: string) =>
      Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from ${sql(name)} where ${sql.literal(where)}`, ([row]) => row?.n ?? 0)
    const foreign = yield* count(`account_id <> '${stranger}'`)
    const own = yield* count(`account_id = '${stranger}'`)
    filled += foreign > 0 ? 1 : 0
    assert.strictEqual(yield* asStranger(count("true")), own, `${name} is read`)
    assert.strictEqual(yield* asStranger(count(`account_id = '${owner}'`)), 0, `${name} is asked for`)
    const changed = yield* rolledBack(sql`update ${sql(name)} set account_id = account_id returning account_id`)
    assert.strictEqual(changed, own, `${name} is changed`)
    const deleted = yield* rolledBack(sql`delete from ${sql(name)} returning account_id`)
    assert.strictEqual(deleted, own, `${name} is deleted from`)
    if (own > 0) {
      const moved = yield* Effect.flip(rolledBack(sql`update ${sql(name)} set account_id = ${owner}`))
      assert.include(JSON.stringify(moved), "AuthorizationError", `${name} is given away`)
    }
  }
  return filled
})

/** No key anywhere; the owner's text only in the rows that keep it. */
const nothingLeaked = (seen: Seen) =>
  Effect.gen(function*() {
    const spans = seen.spans.getFinishedSpans().map(({ attributes, events, name, status, resource }) =>
      JSON.stringify({ attributes, events, name, status, resource: resource.attributes }))
    assert.isAbove(spans.length, 1_000)
    for (const said of [...seen.logs, ...spans]) {
      assert.notInclude(said, keyCanary)
      assert.notInclude(said, taskCanary)
    }
    const rows = yield* dump(null)
    for (const [table, text] of rows) {
      assert.notInclude(text, keyCanary, table)
      if (!excerpts.has(table)) assert.notInclude(text, taskCanary, table)
    }
    // The search itself is sound: what is kept is found.
    assert.include(rows.get("decision"), taskCanary)
    assert.isTrue(spans.some((span) => span.includes("/v1/feedback")))
  })

const matrix = (engine: Engine, isStripping: boolean) => {
  const { layer, seen } = isolatedService(engine, isStripping)
  return Effect.gen(function*() {
    assert.sameMembers(probes.map(({ method, path }) => `${method} ${path}`), [...endpoints()])
    if (isStripping) yield* stripFunctions(seen)
    yield* live(seen, stranger, { namespace: "umbrellas", userId: "bob", word: "parasol" })
    yield* settled
    const before = yield* everywhere(seen)
    const ids = yield* live(seen, owner, { namespace: "acmesecret", userId: "alice", word: taskCanary })
    for (const name of ["recommendation", "open recommendation", "workflow", "record", "entry", "lesson", "strategy"]) {
      assert.isTrue(ids.has(name), name)
    }
    assert.deepStrictEqual(yield* everywhere(seen), before)
    yield* settled
    const rows = yield* dump(owner)
    assert.isAbove([...rows.values()].filter((text) => text !== "").length, 9)
    assert.deepStrictEqual(yield* foreignLikeRandom(seen, ids, isStripping ? 3 : 1), [])
    assert.deepStrictEqual(yield* dump(owner), rows)
    assert.isAbove(yield* securityAlone, 9)
    if (isStripping) assert.includeMembers([...seen.stripped], ["decision", "observation", "lesson", "lane", "outcome_record"])
    // Refusals, and keys that are wrong, say no more.
    yield* sendRequest(seen, `${stranger}x`, "GET", "/v1/savings")
    yield* sendRequest(seen, stranger, "POST", "/v1/recommend", { task: {} })
    yield* sendRequest(seen, stranger, "GET", `/v1/savings?api_key=${keyOf(owner)}&namespace=${keyOf(owner)}`)
    yield* nothingLeaked(seen)
  }).pipe(Effect.provide(layer))
}

describe("two accounts, over every endpoint and every id,", () => {
  it.live("never see each other's data on the embedded database", () => matrix(embedded, false), 300_000)

  it.live("never see each other's data by row-level security alone, without conditions, on PostgreSQL", () =>
    matrix(postgres ?? embedded, true), 300_000)
})
