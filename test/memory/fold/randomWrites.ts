import type { MemoryWrite } from "../../../src/domain/MemoryWrite.ts"
import type { LaneId } from "../../../src/domain/Scope.ts"
import { lessonIn, observationIn, recording, reinforcementIn, stepIn, stepsIn } from "../fixtures.ts"

const began = Date.UTC(2026, 10, 28, 22)

/** Outcome `i` of the random writes; few, so that writes meet. */
export const outcomeIdOf = (i: number): string => `01890a5d-0000-7000-8000-${String(i).padStart(12, "0")}`

/**
 * Writes in an order that may be any: labels of some revisions, votes under labels that came before or come later, lessons
 * and steps, on a few outcomes in a few hours about midnight. Values have short binary fractions, so that sums are exact.
 */
export const randomWrites = (
  scopes: ReadonlyArray<LaneId>,
  count: number,
  draw: () => number
): ReadonlyArray<MemoryWrite> => {
  const upTo = (n: number): number => Math.floor(draw() * n)
  const orNull = <A>(value: A): A | null => draw() < 0.3 ? null : value
  const outcomes = Math.max(4, Math.ceil(count / 4))
  const body = (): MemoryWrite => {
    const scope = scopes[upTo(scopes.length)]!
    const i = upTo(outcomes)
    const [id, revision] = [outcomeIdOf(i), upTo(4)]
    const occurredAt = new Date(began + upTo(5) * 3_600_000)
    const userId = i % 3 === 0 ? null : `user-${i % 3}`
    const kind = draw()
    if (kind < 0.5) {
      return {
        kind: "teach",
        body: observationIn(scope, {
          observationId: id, revision, verdictRevision: upTo(revision + 1), userId, occurredAt, modelId: `model-${i % 2}`,
          teaches: draw() < 0.8, quality: upTo(5) / 4, outcome: draw() < 0.5 ? "success" : "failure",
          provenance: draw() < 0.5 ? "gate" : "none", costUsd: orNull(upTo(8) / 8), inputTokens: orNull(upTo(100)),
          outputTokens: orNull(upTo(100)), task: draw() < 0.5 ? "" : `task ${i}`,
          taskVectors: draw() < 0.5 ? [] : [{ embedder: "lexical", scale: 0.5, vector: "AQID" }]
        })
      }
    }
    if (kind < 0.8) {
      const entryIds = Array.from({ length: upTo(5) }, () => outcomeIdOf(upTo(outcomes)))
      return { kind: "reinforce", body: reinforcementIn(scope, entryIds, { reinforcementId: id, revision, userId, occurredAt, quality: upTo(5) / 4 }) }
    }
    if (kind < 0.9) {
      return { kind: "promote", body: lessonIn(scope, { lessonId: id, revision, confidence: upTo(5) / 4, occurredAt }) }
    }
    const steps = Array.from({ length: 1 + upTo(3) }, () => stepIn({ stepId: `step-${upTo(3)}` }))
    return recording(stepsIn(scope, { recommendationId: `r${i % 4}`, modelId: `model-${i % 2}`, steps, occurredAt }))
  }
  return Array.from({ length: count }, body)
}

/** Cuts a list into pieces of random lengths. */
export const piecesOf = <A>(list: ReadonlyArray<A>, draw: () => number): ReadonlyArray<ReadonlyArray<A>> => {
  const pieces: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < list.length;) {
    const length = 1 + Math.floor(draw() * 8)
    pieces.push(list.slice(at, at + length))
    at += length
  }
  return pieces
}
