import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { degrade, Notes } from "../../../src/engine/Notes.ts"
import { classify, heuristic } from "../../../src/engine/recommend/Classify.ts"
import { Reasoner, ReasonerFailed } from "../../../src/reasoner/Reasoner.ts"
import * as Reason from "../../../src/resilience/FailureReason.ts"
import { accountOf, task } from "../../support/builders.ts"
import { reasonerOf } from "../../support/fakes.ts"
import { unclear } from "../pipelines.ts"

const vague = task({ task: unclear, taskType: null, difficulty: null })
const accountId = accountOf()
const refining = reasonerOf({
  classify: () => Effect.succeed({ taskType: "translation", difficulty: "expert" })
}, 0.25)
const unasked = (answer: ReturnType<typeof heuristic>) => ({ answer, costUsd: null })

it("the type that the caller gives is taken and is never uncertain", () => {
  const said = heuristic(task({ task: unclear, taskType: "rag", difficulty: "trivial" }))
  assert.deepStrictEqual(said, {
    taskType: "rag", difficulty: "trivial", cluster: "rag:trivial",
    isDifficultyKnown: true, difficultyLogit: null, isUncertain: false, isRefined: false
  })
})

it("a given type is kept beside a guessed difficulty, and the other way round", () => {
  const typed = heuristic(task({ task: unclear, taskType: "rag", difficulty: null }))
  assert.strictEqual(typed.taskType, "rag")
  assert.deepStrictEqual([typed.isDifficultyKnown, typed.difficulty], [false, "medium"])
  assert.isFalse(typed.isUncertain)
  const graded = heuristic(task({ task: unclear, taskType: null, difficulty: "expert" }))
  assert.strictEqual(graded.difficulty, "expert")
  assert.isTrue(graded.isDifficultyKnown)
  assert.isNull(graded.difficultyLogit)
})

it("a difficulty that the text surely shows is as if given, any other is medium with a logit", () => {
  for (const [text, difficulty] of [["hi", "trivial"], ["Prove the Riemann hypothesis", "expert"]] as const) {
    assert.deepStrictEqual(heuristic(task({ task: text, difficulty: null })), heuristic(task({ task: text, difficulty })))
  }
  const [short, long] = ["Compare React and Vue for a small team.", "Evaluate $\\sum_{k} \\frac{1}{k^2}$ by a contour integral."]
    .map((text) => heuristic(task({ task: text, difficulty: null })))
  assert.deepStrictEqual([short?.cluster, long?.cluster], ["code:medium", "code:medium"])
  assert.isBelow(short?.difficultyLogit ?? 0, long?.difficultyLogit ?? 0)
})

it("clear text is classified without doubt", () => {
  const clear = heuristic(task({ task: "Translate this sentence into French: good morning", taskType: null }))
  assert.deepStrictEqual([clear.taskType, clear.isUncertain], ["translation", false])
})

it.effect("an uncertain guess is refined by the reasoner", () =>
  Effect.gen(function*() {
    const refined = yield* classify(accountId, vague, true)
    assert.strictEqual(refined.costUsd, 0.25)
    assert.deepStrictEqual(refined.answer, {
      taskType: "translation", difficulty: "expert", cluster: "translation:expert",
      isDifficultyKnown: true, difficultyLogit: null, isUncertain: false, isRefined: true
    })
    const graded = yield* classify(accountId, { ...vague, difficulty: "easy" }, true)
    assert.strictEqual(graded.answer.cluster, "translation:easy")
  }).pipe(Effect.provide(refining)))

it.effect("the reasoner is not asked about the caller's own type, or when escalation is off", () =>
  Effect.gen(function*() {
    const typed = task({ taskType: "qa" })
    assert.deepStrictEqual(yield* classify(accountId, typed, true), unasked(heuristic(typed)))
    assert.deepStrictEqual(yield* classify(accountId, vague, false), unasked(heuristic(vague)))
  }).pipe(Effect.provide(reasonerOf({ classify: () => Effect.die("must not be asked") }))))

it.effect("without a reasoner the guess is kept", () =>
  Effect.gen(function*() {
    assert.deepStrictEqual(yield* classify(accountId, vague, true), unasked(heuristic(vague)))
  }).pipe(Effect.provide(Reasoner.layerDisabled)))

it.effect("a reasoner that fails degrades to the guess with its warning", () =>
  Effect.gen(function*() {
    const notes = new Notes()
    const value = yield* degrade(notes, classify(accountId, vague, true), {
      orElse: ({ costUsd }) => ({ answer: heuristic(vague), costUsd }),
      warnings: { ReasonerFailed: "reasoner_failed" }
    })
    assert.deepStrictEqual(value, { answer: heuristic(vague), costUsd: 0.5 })
    assert.deepStrictEqual(notes.warnings, ["reasoner_failed"])
  }).pipe(Effect.provide(reasonerOf({
    classify: () => Effect.fail(new ReasonerFailed({ reason: new Reason.Unreachable({ cause: "timeout" }), costUsd: 0.5 }))
  }))))
