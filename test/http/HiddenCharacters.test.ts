import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasHidden } from "../../src/domain/text/HiddenCharacters.ts"
import { hiddenCharacters } from "../support/hidden.ts"
import { feedback, key, recommend, engineService } from "./EngineService.ts"
import { sendRequest } from "./FakeService.ts"

/** Each of the corpus that JSON lets through and PostgreSQL could keep, in every text and id of a caller. */
const hostile = `ab${hiddenCharacters.filter((each) => each !== "\u0000").join("")}cd`
const actor = "alice\u202e"

const stringsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? [value]
    : typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []

it.effect("strategies and diagnoses contain no hidden character of callers' texts", () =>
  Effect.gen(function*() {
    const namespace = "team\u202e1"
    for (let times = 0; times < 4; times++) {
      const { body } = yield* recommend({ namespace, user_id: actor, task: { task: hostile } })
      const told = yield* feedback(body["recommendation_id"], {
        chosen_model_id: `evil\u202e\u0007model`, outcome: "failure", notes: `Error: ${hostile}`,
        step_outcomes: [{
          step_id: "step\u202e", step_name: hostile, outcome: "failure", rationale: hostile, directive_hint: hostile
        }]
      })
      assert.isTrue(told.body["accepted"])
    }
    const lane = `namespace=${encodeURIComponent(namespace)}`
    const strategies = yield* sendRequest("GET", `/v1/strategies?${lane}&max_strategies=50`, { key })
    const found = strategies.body["strategies"]
    assert.isTrue(Array.isArray(found) && found.length > 0)
    assert.deepStrictEqual(stringsIn(found).filter(hasHidden), [])
    assert.strictEqual(strategies.body["namespace"], namespace, "an id that is echoed stays what it was")
    const diagnosis = yield* sendRequest("POST", "/v1/diagnose", {
      key, json: { error_text: `Error: ${hostile}`, namespace, user_id: actor }
    })
    const { failure_lessons, summary } = diagnosis.body
    assert.isTrue(Array.isArray(failure_lessons) && failure_lessons.length > 0)
    assert.deepStrictEqual(stringsIn([failure_lessons, summary]).filter(hasHidden), [])
  }).pipe(Effect.provide(engineService({}))))
