import { assert, describe, it } from "@effect/vitest"
import type { Trial } from "../../src/stats/TrialScores.ts"
import { generator } from "../../src/stats/Generator.ts"
import { isPromising, isWithdrawn } from "../../src/stats/GuaranteeReadings.ts"
import {
  barOf, type CandidateEvidence, type GuaranteeEvidence, isFormer, isResting, noEvidence, provenLoss, withoutCandidates, withTask
} from "../../src/stats/GuaranteeStates.ts"
import { outcomesNeeded } from "../../src/stats/OutcomesNeeded.ts"
import { evidenceAfter, testRule as rule, trials } from "../support/guarantees.ts"

const ofCheap = ({ kinds }: GuaranteeEvidence, kind = "code"): CandidateEvidence =>
  kinds[kind]?.candidates["cheap"] ?? assert.fail("no evidence")

/** Trials in which each model succeeds with its probability, drawn with the seed. */
const drawn = (count: number, seed: number, candidate: number, baseline: number, share = 0.2): ReadonlyArray<Trial> => {
  const uniform = generator(seed)
  return Array.from({ length: count }, (): Trial => {
    const isCandidate = uniform() < share
    const success = uniform() < (isCandidate ? candidate : baseline) ? 1 : 0
    return {
      share, ran: isCandidate ? "candidate" : "baseline",
      candidate: isCandidate ? success : null, baseline: isCandidate ? null : success
    }
  })
}

describe("a guarantee", () => {
  it("is earned by trials that show no difference, and holds from then on", () => {
    const short = evidenceAfter(trials(20))
    assert.strictEqual(ofCheap(short).state, "earning")
    const long = evidenceAfter(trials(2_000))
    assert.strictEqual(ofCheap(long).state, "held")
    assert.isAtMost(provenLoss(rule.alpha, ofCheap(long)) ?? 1, 0.05)
  })

  it("is earned by fewer pairs than trials of one model", () => {
    const neededOf = (all: ReadonlyArray<Trial>) => {
      let evidence = noEvidence
      const at = all.findIndex((trial) => {
        evidence = withTask(rule, evidence, { kind: "code", candidate: "cheap", trial })
        return ofCheap(evidence).state === "held"
      })
      return at === -1 ? assert.fail("never held") : at
    }
    const medianOf = (all: (seed: number) => ReadonlyArray<Trial>) =>
      Array.from({ length: 9 }, (_, seed) => neededOf(all(seed))).sort((one, other) => one - other)[4]!
    const pairs = (seed: number) => {
      const uniform = generator(seed)
      const success = () => uniform() < 0.9 ? 1 : 0
      return Array.from({ length: 20_000 }, (): Trial =>
        ({ share: 1, ran: "both", candidate: success(), baseline: success() }))
    }
    assert.isBelow(2 * medianOf(pairs), medianOf((seed) => drawn(20_000, seed, 0.9, 0.9)))
  })

  it("starts from nothing, at a smaller alpha, once the candidate or baseline is another model", () => {
    const held = evidenceAfter(trials(2_000))
    const anew = evidenceAfter(trials(1), { before: held, since: 7 })
    assert.deepInclude(ofCheap(anew), { state: "earning", start: 2, since: 7, withdrawals: 0 })
    assert.strictEqual(ofCheap(anew).arms.candidate.trials, 1)
    assert.strictEqual(anew.kinds["code"]?.tasks, 2_001)
    // One that rests because it failed is another model now, and rests no longer.
    const failed = trials(2_000, 2).reduce((evidence, trial) => {
      const isDone = evidence.kinds["code"]?.candidates["cheap"]?.state === "withdrawn"
      return isDone ? evidence : evidenceAfter([trial], { before: evidence })
    }, noEvidence)
    assert.strictEqual(ofCheap(failed).state, "withdrawn")
    assert.deepInclude(ofCheap(evidenceAfter(trials(1), { before: failed, since: 7 })), { state: "earning", withdrawals: 0 })
    assert.strictEqual(ofCheap(evidenceAfter(trials(1), { before: failed })).state, "withdrawn")
  })

  it("goes on where a process that does not know of a change counts trials, and drops older ones", () => {
    const anew = evidenceAfter(trials(10), { since: 7 })
    const both = evidenceAfter(trials(10), { before: anew })
    assert.deepInclude(ofCheap(both), { start: 1, since: 7 })
    assert.strictEqual(ofCheap(both).arms.candidate.trials, 10)
    assert.deepStrictEqual([7, 8].map((since) => isFormer(ofCheap(both), since)), [false, true])
    assert.deepStrictEqual(withoutCandidates(both, () => true), { starts: 1, kinds: { code: { tasks: 20, candidates: {} } } })
  })

  it("is refused by a candidate that fails, which then rests, and twice as long the next time", () => {
    const untilWithdrawn = (before: GuaranteeEvidence, times: number): GuaranteeEvidence => {
      let evidence = before
      for (const trial of trials(2_000, 2)) {
        evidence = withTask(rule, evidence, { kind: "code", candidate: "cheap", trial })
        if (ofCheap(evidence).withdrawals === times) return evidence
      }
      return assert.fail("never withdrawn")
    }
    const restOf = (evidence: GuaranteeEvidence) => ofCheap(evidence).restsUntil - evidence.kinds["code"]!.tasks
    const once = untilWithdrawn(noEvidence, 1)
    assert.strictEqual(ofCheap(once).state, "withdrawn")
    assert.isFalse(isWithdrawn(ofCheap(once)))
    assert.strictEqual(restOf(once), rule.restTasks)
    // Trials that come in while it rests count as tasks alone.
    const resting = evidenceAfter(trials(rule.restTasks - 1), { before: once })
    assert.isTrue(isResting(ofCheap(resting), resting.kinds["code"]!.tasks))
    assert.deepStrictEqual(ofCheap(resting), ofCheap(once))
    const rested = evidenceAfter(trials(1), { before: resting })
    assert.strictEqual(ofCheap(rested).start, 2)
    assert.strictEqual(restOf(untilWithdrawn(rested, 2)), 2 * rule.restTasks)
  })

  it("is withdrawn when a held candidate turns", () => {
    const held = evidenceAfter(trials(2_000))
    const turned = evidenceAfter(trials(90, 2), { before: held })
    assert.isTrue(isWithdrawn(ofCheap(turned)))
  })

  it("tests each further start of any candidate and kind at a smaller share of α, which sum to α", () => {
    const two = evidenceAfter(trials(10), { before: evidenceAfter(trials(10)), candidate: "tiny" })
    const three = evidenceAfter(trials(10), { before: two, kind: "qa" })
    assert.strictEqual(three.starts, 3)
    assert.deepStrictEqual(
      [ofCheap(three).start, three.kinds["code"]!.candidates["tiny"]!.start, ofCheap(three, "qa").start], [1, 2, 3]
    )
    const spent = Array.from({ length: 100_000 }, (_, at) => Math.exp(-barOf(0.05, at + 1)))
      .reduce((sum, each) => sum + each, 0)
    assert.closeTo(spent, 0.05, 1e-5)
  })

  it("counts a task without a trial, and knows nothing of any candidate by it", () => {
    const after = withTask(rule, noEvidence, { kind: "code", candidate: null, trial: null })
    assert.deepStrictEqual(after, { starts: 0, kinds: { code: { tasks: 1, candidates: {} } } })
  })

  it("is held in at most 5 % of sequences at the very edge of the loss, after every trial", () => {
    let held = 0
    for (let world = 0; world < 60; world++) {
      let evidence = noEvidence
      for (const trial of drawn(2_000, world, 0.8 - 1e-9, 0.85)) {
        evidence = withTask(rule, evidence, { kind: "code", candidate: "cheap", trial })
        const { state } = ofCheap(evidence)
        if (state === "earning") continue
        if (state === "held") held += 1
        break
      }
    }
    assert.isAtMost(held, 3)
  })

  it("says about how many outcomes it takes: at most three times as many, at least a third", () => {
    const told = outcomesNeeded(rule, null, 0.2) ?? assert.fail("not in sight")
    const counts = Array.from({ length: 15 }, (_, world) => {
      let evidence = noEvidence
      const all = drawn(20_000, 500 + world, 0.85, 0.85)
      const at = all.findIndex((trial) => {
        evidence = withTask(rule, evidence, { kind: "code", candidate: "cheap", trial })
        return ofCheap(evidence).state !== "earning"
      })
      return at === -1 ? all.length : at
    }).sort((one, other) => one - other)
    assert.isAtMost(counts[7]! / told, 3)
    assert.isAtLeast(counts[7]! / told, 1 / 3)
  })

  it("says that it takes none where a candidate is held, and nothing far beyond the loss", () => {
    assert.isNull(outcomesNeeded(rule, ofCheap(evidenceAfter(trials(2_000))), 0.2))
    const failing = evidenceAfter(trials(2_000, 4), { rule: { ...rule, alarmTrials: 1e200 } })
    assert.strictEqual(ofCheap(failing).state, "earning")
    assert.isNull(outcomesNeeded(rule, ofCheap(failing), 0.2))
  })

  it("calls a candidate promising by trials of both models that differ by at most twice the loss", () => {
    assert.isFalse(isPromising(ofCheap(evidenceAfter(trials(38))), 0.05, 20))
    assert.isTrue(isPromising(ofCheap(evidenceAfter(trials(40))), 0.05, 20))
    assert.isFalse(isPromising(ofCheap(evidenceAfter(trials(40, 5))), 0.05, 20))
  })

  it("keeps 32 candidates of a kind, the held one among them, and counts every start", () => {
    let evidence = evidenceAfter(trials(2_000))
    for (let each = 0; each < 60; each++) evidence = evidenceAfter(trials(1), { before: evidence, candidate: `model-${each}` })
    const kept = Object.keys(evidence.kinds["code"]?.candidates ?? {})
    assert.lengthOf(kept, 32)
    assert.strictEqual(ofCheap(evidence).state, "held")
    assert.include(kept, "model-59")
    assert.notInclude(kept, "model-0")
    assert.strictEqual(evidence.starts, 61)
    const back = evidenceAfter(trials(1), { before: evidence, candidate: "model-0" })
    assert.strictEqual(back.kinds["code"]?.candidates["model-0"]?.start, 62)
  })

  it("takes the names of objects' own properties for models and kinds like any other", () => {
    const kind = "toString"
    const one = evidenceAfter(trials(2), { kind, candidate: "constructor" })
    const both = evidenceAfter(trials(3), { kind, candidate: "__proto__", before: one })
    const starts = Object.entries(both.kinds[kind]?.candidates ?? {}).map(([id, { start }]) => [id, start])
    assert.deepStrictEqual(starts, [["constructor", 1], ["__proto__", 2]])
    assert.strictEqual(both.starts, 2)
  })
})
