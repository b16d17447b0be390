import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { NewLesson, Observation, StepRewards } from "../../../src/api/memory/MemoryPayloads.ts"
import { FeedbackRequest } from "../../../src/domain/feedback/Feedback.ts"
import { DiagnoseRequest } from "../../../src/domain/Lesson.ts"
import { excerptOf } from "../../../src/domain/Task.ts"
import { cut, cutBetween, textLimits } from "../../../src/domain/text/TextLimits.ts"

const face = "\u{1f600}"
const points = (text: string): number => [...text].length

it("a text is cut by code points, and a surrogate pair stays whole", () => {
  assert.strictEqual(cut("abc", 3), "abc")
  assert.strictEqual(cut(face.repeat(5), 3), face.repeat(3))
  assert.strictEqual(cut(`a${face}b`, 2), `a${face}`)
  assert.strictEqual(cut("abc", 0), "")
  assert.strictEqual(cut("\ud83d\ud83dx", 2), "\ud83d\ud83d", "lone halves count one each")
})

it.prop("whatever is cut is well formed, a beginning, and no longer than asked for", {
  text: Schema.String, count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))
}, ({ count, text }) => {
  const sound = text.toWellFormed()
  const kept = cut(sound, count)
  assert.isTrue(kept.isWellFormed() && sound.startsWith(kept))
  assert.strictEqual(points(kept), Math.min(count, points(sound)))
})

it.prop("a text cut in the middle keeps its ends, and one that is short enough is itself", {
  text: Schema.String, head: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
}, ({ head, text }) => {
  const sound = text.toWellFormed()
  const kept = cutBetween(sound, head, "\n", 3)
  assert.isTrue(kept.isWellFormed())
  if (points(sound) <= head + 3) assert.strictEqual(kept, sound)
  else {
    assert.strictEqual(kept,
      `${[...sound].slice(0, head).join("")}\n${[...sound].slice(-3).join("")}`)
  }
})

it("an excerpt of a task of astral characters holds 3,000 and 1,000 of them and no half", () => {
  const excerpt = excerptOf(face.repeat(10_000))
  assert.strictEqual(excerpt, `${face.repeat(3_000)}\n${face.repeat(1_000)}`)
  assert.strictEqual(excerptOf(excerpt), excerpt, "an excerpt is its own excerpt")
})

const long = `${face.repeat(60_000)}\u0000`

describe("every endpoint cuts the caller's texts", () => {
  const feedback = {
    recommendation_id: "r", chosen_model_id: "m", outcome: "failure", notes: long,
    step_outcomes: [{ step_id: "s", outcome: "failure", step_name: long, rationale: long, directive_hint: long }]
  }
  const lane = "sextant:default"
  const at = "2026-01-01T00:00:00.000Z"

  it("the body of a feedback is cut to the limit of each text", () => {
    const read = Schema.decodeUnknownSync(FeedbackRequest)(feedback)
    assert.strictEqual(points(read.notes ?? ""), textLimits.notes)
    const [step] = read.stepOutcomes
    assert.deepStrictEqual([step?.stepName, step?.rationale, step?.directiveHint].map((text) => points(text ?? "")),
      [textLimits.stepName, textLimits.stepProse, textLimits.stepProse])
  })

  it("the error text of a diagnosis is cut to its limit", () => {
    assert.strictEqual(
      points(Schema.decodeUnknownSync(DiagnoseRequest)({ error_text: long }).errorText), textLimits.errorText)
  })

  it("a write to an external memory and to the log is cut, both when encoded and when decoded", () => {
    const steps = {
      lane, recommendation_id: "r", cluster: "code:hard", model_id: "m", occurred_at: at,
      steps: [{ ...feedback.step_outcomes[0], signal: 0 }]
    }
    const stepsCodec = Schema.toCodecJson(StepRewards)
    const read = Schema.decodeUnknownSync(stepsCodec)(steps)
    assert.strictEqual(points(read.steps[0]?.rationale ?? ""), textLimits.stepProse)
    const overlong = { ...read, steps: [{ ...read.steps[0]!, rationale: long, stepName: long }] }
    const [sent] = Schema.encodeSync(StepRewards)(overlong).steps
    assert.deepStrictEqual([sent?.step_name, sent?.rationale].map((text) => points(text ?? "")),
      [textLimits.stepName, textLimits.stepProse])

    const lesson = Schema.decodeUnknownSync(Schema.toCodecJson(NewLesson))({
      lane, lesson_id: "l", revision: 0, lesson_type: "failure", scope: "run", content: long, cluster: "code:hard",
      model_id: "m", importance: 1, confidence: 1, occurred_at: at, error_text: long, user_id: null
    })
    assert.strictEqual(points(lesson.content), textLimits.lessonContent)
    assert.strictEqual(points(lesson.errorText ?? ""), textLimits.errorText)

    const observation = Schema.decodeUnknownSync(Schema.toCodecJson(Observation))({
      lane, observation_id: "018f0000-0000-7000-8000-000000000000", task: long, task_type: "code", difficulty: "hard",
      cluster: "code:hard", tags: [], user_id: null, model_id: "m", outcome: "success", quality: 1,
      provenance: "gate", provenance_weight: 1, propensity: null, input_tokens: null, output_tokens: null,
      cost_usd: null, latency_ms: null, time_to_first_token_ms: null, occurred_at: at, teaches: true, revision: 0,
      verdict_revision: 0, is_cost_outlier: false
    })
    assert.strictEqual(points(observation.task), textLimits.taskHead + 1 + textLimits.taskTail)
  })
})
