import { assert, describe, it } from "@effect/vitest"
import { alertCards, alertsOf } from "../../../packages/dashboard/src/Alerts.ts"
import type { Answers } from "../../../packages/dashboard/src/Answers.ts"
import { comparedOf, nextStep, signedPoints } from "../../../packages/dashboard/src/Quality.ts"
import { warningWords } from "../../../packages/dashboard/src/WarningWords.ts"
import { decided, reported } from "../../reports/rows.ts"
import { answersOn, htmlIn } from "./answers.ts"

const calm = answersOn([reported()])
const words = (answers: Answers) => alertsOf(answers).map((alert) => alert.words).join("\n").replaceAll("\u00a0", " ")
const cards = (answers: Answers) => htmlIn(alertCards(answers))
const model = (model_id: string | null, is_healthy: boolean) => ({
  provider: "openai", model_id, is_healthy, calls: 24, failures: 21, rate_limits: 17,
  failed_at: "2026-11-26T12:00:00.000Z", try_at: null
})

describe("the alerts", () => {
  it("are no card where nothing holds", () => {
    assert.isNull(alertCards(calm))
  })

  it("say what to do, when, and the line that does it, where one does", () => {
    const health = { models: [model("gpt", false)] }
    assert.include(cards({ ...calm, health }), "last on 26 Nov.")
    const budget = { ...calm.budget!, budget_usd: 50, period: "day" as const, spent_usd: 51, period_end: "2026-12-01T00:00:00.000Z" }
    const text = cards({ ...calm, budget })
    assert.include(text, "until 1 Dec.")
    assert.include(text, "<pre><code>sextant account set --instance acme --budget 60/day</code></pre>")
  })

  it("name each model in use that retires soon, and what may replace it", () => {
    const retiring = [{
      model_id: "<b>gpt", retires_on: "2026-12-11", days_left: 11, calls_per_month: 9, usd_per_month: 1, lanes: ["sextant:a"],
      n_kinds: 1, successor: null, command: "sextant retire gpt --instance acme"
    }]
    const advice = { namespace: null, days: 30, n: 1, n_kinds: 1, tolerance: 0.05, rows: [], retiring }
    const text = cards({ ...calm, command: "npm run sextant --", advice })
    assert.include(text, "&lt;b&gt;gpt retires on 11 Dec 2026, in 11 days.")
    assert.include(text, "<code>npm run sextant -- retire gpt --instance acme</code>")
  })

  it("name what cannot be called, drifts, or is not reported, as text", () => {
    const health = { models: [model("<b>gpt", false), model(null, false), model("well", true)] }
    const text = words({ ...answersOn([decided(), decided(), reported()]), health })
    assert.include(text, "<b>gpt cannot be called: 21 of 24 calls failed")
    assert.include(text, "All of openai cannot be called")
    assert.notInclude(text, "well")
    assert.include(text, "Feedback came for only 33 % of 3 calls")
    const drift_flags = [
      { cluster: "code:hard", model_id: "small", direction: "over_predicting" },
      { cluster: "code:easy", model_id: "large", direction: "under_predicting" }
    ] as const
    const drifting = words({ ...calm, calibration: { ...calm.calibration, drift_flags } })
    assert.strictEqual(drifting, "small keeps doing worse than predicted on hard code.")
    const left = drift_flags.map((flag) => ({ ...flag, left_at: "2026-11-13T08:00:00.000Z" }))
    const past = { ...calm, calibration: { ...calm.calibration, drift_flags: left } }
    assert.strictEqual(words(past), "small did worse than predicted on hard code: it was left on 13 Nov.")
    assert.include(cards(past), "class=\"card alert past\"")
    assert.include(cards({ ...calm, health }), "&lt;b&gt;gpt")
  })

  it("name a guarantee that can hold no cheaper model, until pairs have come", () => {
    const guarantee = { baseline_model_id: "gpt-5", max_quality_loss: 0.05, confidence: 0.95, trial_share: 0 }
    const kindAfter = (outcomes: number) => ({
      lane: "sextant:a", task_type: "code" as const, baseline_model_id: "gpt-5", max_quality_loss: 0.05, confidence: 0.95,
      state: "earning" as const, tasks: 30, candidates: [{
        model_id: "nano", state: "earning" as const, success: null, baseline_success: null, outcomes, outcomes_needed: null,
        proven_loss: null, evidence_since: null
      }]
    })
    const under = (terms: typeof guarantee, outcomes: number) =>
      cards({ ...calm, guarantees: { guarantee: terms, kinds: [kindAfter(outcomes)] } })
    assert.include(under(guarantee, 0), "The guarantee can hold no cheaper model: its trials are off")
    assert.strictEqual(under(guarantee, 12), "")
    assert.strictEqual(under({ ...guarantee, trial_share: 0.2 }, 0), "")
  })

  it("name the group whose success certainly suffers most, and count the others", () => {
    const group = (key: string, difference: number, high: number) => ({
      ...calm.savings.groups[0]!, key,
      comparison: {
        ...calm.savings.comparison!, lacks: null, success: 0.8, baseline_success: 0.8 - difference, difference,
        difference_low: difference - 0.05, difference_high: high
      }
    })
    const of = (...groups: ReadonlyArray<ReturnType<typeof group>>) =>
      words({ ...calm, grouped: { ...calm.savings, groups } })
    assert.strictEqual(of(group("sextant:checkout", -0.03, 0.01), group("sextant:legal", 0.05, 0.1)), "")
    const text = of(group("sextant:shop", -0.02, -0.001), group("sextant:checkout", -0.051, -0.008), group("sextant:legal", -0.2, 0.01))
    assert.strictEqual(text, "For the namespace checkout, the advice succeeds 5.1 points less often than your own model, 95 %"
      + " interval −10.1 to −0.8 points. It does for 1 more.")
  })

  it("say how the budget stands where it is used up, paced, expected to be exceeded, or unread", () => {
    const of = (budget: Partial<NonNullable<Answers["budget"]>> | null) =>
      words({ ...calm, budget: budget === null ? null : { ...calm.budget!, budget_usd: 50, period: "day", ...budget } })
    assert.include(of({ spent_usd: 51, hard: true }), "$51.00 of the budget of $50.00 per day is spent: requests are refused")
    assert.include(of({ spent_usd: 20, multiplier: 0.5 }), "cheaper models are preferred")
    assert.include(of({ spent_usd: 20, expected_usd: 70 }), "$70.00 is expected by its end")
    assert.strictEqual(of({ spent_usd: 20, expected_usd: 30 }), "")
    assert.include(of(null), "cannot be read now")
  })
})

describe("the comparison of success", () => {
  const success = { lacks: null, success: 0.81, baseline_success: 0.73, difference: 0.08 }

  it("says what it takes while it cannot be made", () => {
    const stepOf = (comparison: Partial<NonNullable<Answers["savings"]["comparison"]>> | null) => {
      const made = comparison === null ? null : { ...calm.savings.comparison!, ...comparison }
      return Object.values(nextStep({ ...calm, savings: { ...calm.savings, comparison: made } }) ?? {}).join(" ")
    }
    assert.strictEqual(stepOf({ lacks: "baseline_outcomes" }),
      "To compare, draw some picks at random. sextant account set --instance acme --selection-policy epsilon_softmax")
    assert.strictEqual(stepOf(success), "")
    assert.include(stepOf(null), "select Refresh")
  })

  it("shows the difference of the rates that it shows", () => {
    const compared = comparedOf({ ...calm.savings.comparison!, ...success, success: 0.845251, baseline_success: 0.868514 })
    assert.strictEqual(signedPoints(compared?.difference ?? 0), "−2.4 points")
    assert.deepStrictEqual([-0.0004, 0.0004, 0.0006].map(signedPoints), ["0.0 points", "0.0 points", "+0.1 points"])
  })
})

it("a warning is a sentence with what follows its colon, and an unknown one stays as it is", () => {
  assert.strictEqual(warningWords("cold_start"), "No outcome was known near this task.")
  assert.strictEqual(warningWords("memory_drift:repeated"), `${warningWords("memory_drift").slice(0, -1)} (the same outcomes repeat).`)
  assert.strictEqual(warningWords("candidates_capped:64"), "The request named more candidates than are scored (64).")
  assert.strictEqual(warningWords("from_the_future:1"), "from_the_future:1")
})
