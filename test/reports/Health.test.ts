import { assert, it } from "@effect/vitest"
import { health } from "./reference/Health.ts"
import { decided, reported } from "./rows.ts"

it("every rate of an empty window is zero", () => {
  assert.deepStrictEqual(health([]), {
    recommendations: 0,
    feedbackCoverage: 0,
    lateFeedbackShare: 0,
    escalationRate: 0,
    explorationShare: 0,
    epsilonPolicyShare: 0
  })
})

it("late feedback is a share of the feedback, the other rates of all recommendations", () => {
  const rows = [
    decided({ isEscalated: true }),
    decided({ selectionPolicy: "epsilon_softmax" }),
    reported({ isLate: true }, { selectionPolicy: "epsilon_softmax", isExploration: true }),
    reported({ teaches: false, provenance: "none" }, { selectionPolicy: "epsilon_softmax" })
  ]
  assert.deepStrictEqual(health(rows), {
    recommendations: 4,
    feedbackCoverage: 0.5,
    lateFeedbackShare: 0.5,
    escalationRate: 0.25,
    explorationShare: 0.25,
    epsilonPolicyShare: 0.75
  })
})
