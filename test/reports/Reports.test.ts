import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { DashboardResponse } from "../../src/domain/reports/Dashboard.ts"
import type { LedgerRow } from "../../src/domain/Decision.ts"
import { PolicyValueResponse } from "../../src/domain/reports/PolicyValue.ts"
import { CalibrationResponse, SavingsResponse } from "../../src/domain/reports/Report.ts"
import { AccountId, laneOf } from "../../src/domain/Scope.ts"
import { ReportDates } from "../../src/domain/Units.ts"
import { Ledger, LedgerUnavailable } from "../../src/ledger/Ledger.ts"
import { Reports } from "../../src/reports/Reports.ts"
import * as WriteCounts from "../../src/reports/WriteCounts.ts"
import * as Reason from "../../src/resilience/FailureReason.ts"
import * as AggregatesReference from "./reference/Aggregates.ts"
import type { LedgerWithRows } from "./reference/LedgerRows.ts"
import { decidedAt, decided, reported } from "./rows.ts"

const unused = () => Effect.die("reports only read")
const ledgerOf = (rows: LedgerWithRows["rows"]) => {
  const ledger: LedgerWithRows = {
    record: unused, recordWithin: unused, find: unused, applyReport: unused,
    rows
  }
  return Layer.succeed(Ledger, ledger)
}

/** A ledger that holds `rows` for every account and honours the window. */
const holding = (rows: ReadonlyArray<LedgerRow>) =>
  ledgerOf(({ lane, since }) =>
    Effect.succeed(rows.filter(({ decision }) =>
      decision.createdAt >= since && (lane === null || decision.lane === lane)
    ))
  )

const accountId = AccountId.make("acme")
const aDayLater = TestClock.setTime(decidedAt.getTime() + 86_400_000)
const rows = [reported({ actualCostUsd: 0.5 }), decided({ lane: laneOf("support") })]
const reportsOn = (ledger: Layer.Layer<Ledger>) =>
  Reports.layer.pipe(Layer.provide(AggregatesReference.layer), Layer.provide(WriteCounts.layer), Layer.provide(ledger))
const Held = reportsOn(holding(rows))

it.effect("no namespace means every lane of the account, a namespace its own", () =>
  Effect.gen(function*() {
    yield* aDayLater
    const reports = yield* Reports
    const count = (namespace: string | null) =>
      Effect.map(reports.savings({ accountId, namespace, days: 30 }), ({ summary }) => summary.estimated.n)
    assert.strictEqual(yield* count(null), 2)
    assert.strictEqual(yield* count("support"), 1)
    assert.strictEqual(yield* count("other"), 0)
  }).pipe(Effect.provide(Held)))

it.effect("the window ends now and reaches back the days asked for", () =>
  Effect.gen(function*() {
    yield* aDayLater
    const reports = yield* Reports
    const within = yield* reports.policyValue({ accountId, namespace: null, days: 1 })
    const short = yield* reports.policyValue({ accountId, namespace: null, days: 0.5 })
    assert.strictEqual(within.report.nTotalReconciled, 1)
    assert.strictEqual(within.since, decidedAt.toISOString())
    assert.strictEqual(within.orgId, "acme")
    assert.strictEqual(short.report.nTotalReconciled, 0)
  }).pipe(Effect.provide(Held)))

it.effect("calendar dates, a model and a tag choose the decisions", () =>
  Effect.gen(function*() {
    const reports = yield* Reports
    const found = (query: object) =>
      Effect.map(reports.savings({ accountId, namespace: null, days: 30, ...query }), ({ days, summary }) => [summary.estimated.n, days])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-20/2026-11-20" }), [2, 1])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-18/2026-11-19" }), [0, 2])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-21/2026-11-21" }), [0, 1])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-20/2026-11-20", model: "small" }), [2, 1])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-20/2026-11-20", model: "small#low" }), [0, 1])
    assert.deepStrictEqual(yield* found({ dates: "2026-11-20/2026-11-20", tag: "none" }), [0, 1])
    for (const text of ["", "2026-11-20", "2026-11-20/2026-11-19", "2026-02-30/2026-03-01", "2025-01-01/2026-01-02", "2026-1-1/2026-1-2", "0000-00-00/0000-00-00"]) {
      assert.isFalse(Schema.is(ReportDates)(text), text)
    }
    assert.isTrue(Schema.is(ReportDates)("2024-01-01/2024-12-31"))
  }).pipe(Effect.provide(Held)))

it.effect("reports have the shape of their responses and say what was asked", () =>
  Effect.gen(function*() {
    yield* aDayLater
    const reports = yield* Reports
    const query = { accountId, namespace: null, days: 30 }
    const savings = yield* reports.savings({ ...query, groupBy: "lane" })
    assert.strictEqual(savings.groupBy, "lane")
    assert.strictEqual(savings.groups.length, 2)
    assert.isTrue(Schema.is(SavingsResponse)(savings))
    assert.isNull((yield* reports.savings(query)).groupBy)
    assert.isTrue(Schema.is(CalibrationResponse)(yield* reports.calibration(query)))
    assert.isTrue(Schema.is(PolicyValueResponse)(yield* reports.policyValue(query)))
    const dashboard = yield* reports.dashboard(query)
    assert.isTrue(Schema.is(DashboardResponse)(dashboard))
    assert.strictEqual(dashboard.decisions.length, 2)
  }).pipe(Effect.provide(Held)))

it.effect("the groups with the largest bills say of their quality what a report on each alone says", () =>
  Effect.gen(function*() {
    yield* aDayLater
    const reports = yield* Reports
    const query = { accountId, namespace: null, days: 30 }
    const parts = [["lane", { namespace: "support" }], ["tag", { tag: "a" }], ["user_id", { userId: "ann" }]] as const
    for (const [groupBy, part] of parts) {
      const { groups } = yield* reports.savings({ ...query, groupBy })
      const { comparison } = yield* reports.savings({ ...query, ...part })
      const own = groups.find(({ key }) => ["sextant:support", "a", "ann"].includes(key))
      assert.deepStrictEqual(own?.comparison, comparison)
      assert.strictEqual(comparison?.lacks, "followed_outcomes")
    }
    const { groups } = yield* reports.savings({ ...query, groupBy: "tag" })
    assert.deepStrictEqual(groups.map(({ comparison, key }) => [key, comparison?.n]), [["", undefined], ["a", 1], ["b", 1]])
  }).pipe(Effect.provide(reportsOn(holding([
    reported({}, { lane: laneOf("support"), tags: ["a", "b"], userId: "ann", baselineModelId: "large", costDeclaredUsd: 1 }), decided()
  ])))))

it.effect("a ledger that cannot be read is the report's failure", () =>
  Effect.gen(function*() {
    const reports = yield* Reports
    const failure = yield* Effect.flip(reports.calibration({ accountId, namespace: null, days: 30 }))
    assert.strictEqual(failure._tag, "LedgerUnavailable")
  }).pipe(Effect.provide(reportsOn(
    ledgerOf(() => Effect.fail(new LedgerUnavailable({ reason: new Reason.Unreachable({ cause: "down" }) })))
  ))))

it.live("the dashboard of a large account is kept despite its writes, also where all is in shadow", () =>
  Effect.gen(function*() {
    for (const [isShadow, size, readsExpected] of [[false, 20_000, 1], [true, 20_000, 1], [true, 20, 2]] as const) {
      let [reads, writes] = [0, 0]
      const held = Array.from({ length: size }, () => decided({ isShadow }))
      const ledger = ledgerOf(() => Effect.sync(() => (reads++, held)))
      const ofBusyAccount = Layer.succeed(WriteCounts.WriteCounts, { of: () => writes++ })
      yield* Effect.gen(function*() {
        const { dashboard } = yield* Reports
        const query = { accountId, namespace: null, days: 30 }
        assert.deepStrictEqual(yield* dashboard(query), yield* dashboard(query))
      }).pipe(Effect.provide(Reports.layer.pipe(
        Layer.provide(AggregatesReference.layer), Layer.provide(ofBusyAccount), Layer.provide(ledger)
      )))
      assert.strictEqual(reads, readsExpected, `${size} decisions, in shadow: ${isShadow}`)
    }
  }))
