import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { readFileSync } from "node:fs"
import { overloaded } from "../../src/http/limits/Retry.ts"
import { known } from "../../src/http/Server.ts"
import { metric, metrics } from "../../src/telemetry/SemanticConventions.ts"
import { familyOf, filledIn, namesOf, type Query, read } from "./prometheus.ts"

const file = (path: string): string => readFileSync(new URL(`../../otel/${path}`, import.meta.url), "utf8")

const Rules = Schema.Struct({
  groups: Schema.Array(Schema.Struct({
    name: Schema.NonEmptyString,
    rules: Schema.Array(Schema.Struct({
      record: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^sextant:[a-z_]+:[a-z0-9_]+$/))),
      alert: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^Sextant[A-Za-z]+$/))),
      expr: Schema.NonEmptyString,
      for: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d+[mhd]$/))),
      labels: Schema.optionalKey(Schema.Struct({ severity: Schema.Literals(["critical", "warning"]) })),
      annotations: Schema.optionalKey(Schema.Struct({
        summary: Schema.NonEmptyString,
        runbook: Schema.String.check(Schema.isMinLength(60))
      }))
    }))
  }))
})
const Dashboard = Schema.Struct({
  uid: Schema.NonEmptyString,
  title: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  panels: Schema.Array(Schema.Struct({
    id: Schema.Int,
    title: Schema.NonEmptyString,
    description: Schema.NonEmptyString,
    datasource: Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("prometheus") }),
    gridPos: Schema.Struct({ x: Schema.Int, y: Schema.Int, w: Schema.Int, h: Schema.Int }),
    targets: Schema.NonEmptyArray(Schema.Struct({ expr: Schema.NonEmptyString, legendFormat: Schema.String }))
  }))
})

const Limited = Schema.Struct({
  services: Schema.Struct({
    sextant: Schema.Struct({ mem_limit: Schema.String.check(Schema.isPattern(/^\d+g$/)) })
  })
})

const rulesIn = (path: string) => Schema.decodeUnknownSync(Rules)(parse(file(path))).groups.flatMap(({ rules }) => rules)
const dashboard = (path: string) => Schema.decodeUnknownSync(Dashboard)(JSON.parse(file(path)))

const records = rulesIn("rules.yaml")
const alerts = rulesIn("alerts.yaml")
const dashboards = ["dashboards/service.json", "dashboards/decisions.json"].map(dashboard)

/** What is emitted, and what the recording rules make of it: of them the labels that they are grouped by. */
const names = new Map([
  ...namesOf(metrics.values()),
  ...records.map(({ expr, record = "" }) =>
    [record, new Set(read(expr).groupings.filter((label) => label !== "le"))] as const)
])

const warnings = [
  "cold_start", "recall_timeout", "memory_unavailable", "prices_stale", "no_model_meets_threshold", "exploration_pick",
  "reasoner_failed", "unknown_recommendation"
]
/** Values that labels can have, where they are few; a matcher that matches none of them finds nothing, ever. */
const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  http_route: [...known.methods.keys(), "other"],
  http_response_status_code: ["200", "400", "401", "404", "422", "429", "500", "503"],
  sextant_warning: warnings,
  sextant_endpoint: ["recommend", "feedback"],
  sextant_feedback_claim: ["first", "same", "other"],
  sextant_telemetry_result: ["sent", "lost"],
  // A series without a label matches the empty text.
  sextant_decision_shadow: ["", "true"],
  error_type: ["RecallTimeout"],
  job: ["sextant"]
}

const matches = (operator: string, wanted: string, value: string): boolean =>
  operator === "=" ? value === wanted
  : operator === "!=" ? value !== wanted
  : new RegExp(`^(?:${wanted})$`).test(value) === (operator === "=~")

/** What is wrong with a query, one sentence each. */
const wrongWith = (expr: string): ReadonlyArray<string> => {
  const query: Query = read(filledIn(expr))
  const problems = query.errors.map((error) => `is no PromQL at ${error}`)
  const labels = new Set(query.selectors.flatMap(({ name }) => [...names.get(name) ?? []]))
  for (const { matchers, name } of query.selectors) {
    const known = names.get(name)
    if (known === undefined) problems.push(`asks for ${name}, which nobody tells`)
    for (const [label, operator, value] of matchers) {
      if (!known?.has(label)) problems.push(`asks for ${name} by ${label}, which it does not have`)
      if (!(values[label] ?? []).some((each) => matches(operator, value, each))) {
        problems.push(`asks for ${label} ${operator} ${value}, which is never told`)
      }
    }
  }
  for (const label of query.groupings) if (!labels.has(label)) problems.push(`groups by ${label}, which nothing has`)
  return problems
}

const queries = [
  ...records.map(({ expr, record }) => [`rule ${record}`, expr] as const),
  ...alerts.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...dashboards.flatMap(({ panels, title }) =>
    panels.flatMap((panel) => panel.targets.map(({ expr }) => [`panel ${title}, ${panel.title}`, expr] as const)))
]

describe("the configuration of Prometheus and Grafana", () => {
  it.each(queries)("%s queries only metrics that are exported", (_, expr) => {
    assert.deepStrictEqual(wrongWith(expr), [])
  })

  it("uses every exported metric on a dashboard or in its rules", () => {
    const shown = new Set(queries.flatMap(([, expr]) => read(filledIn(expr)).selectors.map(({ name }) => name)))
    const unseen = [...metrics.values()].filter((each) => {
      const family = familyOf(each)
      return ![family, `${family}_bucket`, `${family}_count`, `${family}_sum`].some((name) => shown.has(name))
    })
    assert.deepStrictEqual(unseen.map(({ name }) => name), [])
  })

  it("uses every recording rule", () => {
    const asked = queries.flatMap(([, expr]) => read(filledIn(expr)).selectors.map(({ name }) => name))
    const idle = records.filter(({ record = "" }) => !asked.includes(record))
    assert.deepStrictEqual(idle.map(({ record }) => record), [])
  })

  it("gives every alert a severity, a duration, and what to do", () => {
    for (const { alert, annotations, for: lasting, labels } of alerts) {
      assert.isDefined(annotations?.runbook, alert)
      assert.isDefined(labels?.severity, alert)
      assert.isDefined(lasting, alert)
    }
    assert.strictEqual(new Set(alerts.map(({ alert }) => alert)).size, alerts.length)
  })

  it("warns of memory below the container's limit and above the known load", () => {
    const high = alerts.find(({ alert }) => alert === "SextantMemoryHigh")
    const bytes = Number(/ > (\S+)$/.exec(high?.expr ?? "")?.[1])
    const compose: unknown = parse(file("../docker-compose.yml"), { merge: true })
    const { services: { sextant } } = Schema.decodeUnknownSync(Limited)(compose)
    assert.isAtMost(bytes, 0.9 * Number.parseInt(sextant.mem_limit) * 2 ** 30)
    // What half an hour of the mix came to, as docs/running/measurements.md has it.
    assert.isAbove(bytes, 715e6)
    assert.include(high?.annotations?.runbook, "below the container's limit")
  })

  it("distinguishes an overload from an outage by the text of its answer", () => {
    const [sentence = ""] = overloaded.split(";")
    const errors = alerts.find(({ alert }) => alert === "SextantErrors")
    assert.include(errors?.annotations?.runbook, sentence)
  })

  it("overlaps no panels, and labels panels with several lines", () => {
    for (const { panels, title } of dashboards) {
      assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
      const taken = new Set<string>()
      for (const { gridPos: { h, w, x, y }, targets, title: name } of panels) {
        assert.isAtMost(x + w, 24, name)
        for (let column = x; column < x + w; column++) {
          for (let row = y; row < y + h; row++) {
            assert.isFalse(taken.has(`${column} ${row}`), `${title}: ${name} lies over another`)
            taken.add(`${column} ${row}`)
          }
        }
        for (const { expr, legendFormat } of targets) {
          const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label)
          const query = read(filledIn(expr))
          const has = new Set([...query.groupings, ...query.selectors.flatMap((each) => [...names.get(each.name) ?? []])])
          for (const label of shown) assert.isTrue(has.has(label), `${name} shows ${label}`)
        }
      }
    }
  })
})

describe("the check itself", () => {
  it("spells names as the collector does", () => {
    assert.strictEqual(familyOf(metric.requests), "http_server_request_duration_seconds")
    assert.strictEqual(familyOf(metric.processCpu), "process_cpu_time_seconds_total")
    assert.strictEqual(familyOf(metric.costRealized), "sextant_cost_realized_usd_total")
    assert.strictEqual(familyOf(metric.cacheBytes), "sextant_cache_size_bytes")
    assert.strictEqual(familyOf({ name: "a.utilization", unit: "1", kind: "gauge" }), "a_utilization_ratio")
    assert.throws(() => familyOf({ name: "a", unit: "furlong", kind: "gauge" }))
  })

  it.each([
    ["sum(rate(sextant_decisions[5m]))", "asks for sextant_decisions, which nobody tells"],
    ["sum by (model) (sextant_outbox_waiting)", "groups by model, which nothing has"],
    [`sextant_warnings_total{sextant_warning="cold_strat"}`, "never told"],
    [`sextant_warnings_total{warning="cold_start"}`, "which it does not have"],
    [`http_server_request_duration_seconds_count{http_route=~"/v2/.*"}`, "never told"],
    ["sum(rate(sextant_decisions_total[5m])", "is no PromQL"],
    ["rates(sextant_decisions_total[5m])", "is no PromQL"]
  ])("finds what is wrong with %s", (expr, problem) => {
    assert.include(wrongWith(expr).join("; "), problem)
  })
})
