/* What a load asks next: fixed requests in turn, or a random mix that reports on its own decisions. */
import { generator } from "../../../src/stats/Generator.ts"
import { type Ask, type Decision, feedback, type Kind, read, recommend, workflow } from "./asks.ts"

/** Gives a load its requests, one after another. */
export interface Traffic {
  readonly next: () => Ask
  /** Receives every decision that was answered. */
  readonly hear: (decisions: ReadonlyArray<Decision>) => void
}

export type TrafficPlan =
  /** In turns; at least one. */
  | { readonly kind: "given"; readonly asks: ReadonlyArray<Ask> }
  | { readonly kind: "mix"; readonly namespace: string; readonly seed: number }

/**
 * How often each kind is asked in the mix. Six of ten single recommendations get feedback. One caller in eleven plans a
 * workflow of a few steps. One request in 86 reads a report or a lane's strategies. Chosen: there is no traffic yet to
 * measure.
 */
const shares: Readonly<Record<Kind, number>> = { recommend: 10, feedback: 6, workflow: 1, read: 0.2 }

const workflowSteps = 5

/**
 * Decisions whose outcome may be reported next, count. At 100 requests a second the oldest is some two seconds old,
 * about as long as a model takes to answer. Decisions that do not fit are never reported on.
 */
const untoldMax = 200

/** Draws a kind by the shares. */
const drawKind = (uniform: number): Kind => {
  const all = Object.entries(shares) as ReadonlyArray<[Kind, number]>
  let left = uniform * all.reduce((sum, [, share]) => sum + share, 0)
  for (const [kind, share] of all) {
    left -= share
    if (left < 0) return kind
  }
  return "recommend"
}

const mix = (namespace: string, seed: number): Traffic => {
  const uniform = generator(seed)
  const untold: Array<Decision> = []
  let index = 0
  return {
    next: () => {
      const kind = drawKind(uniform())
      index++
      if (kind === "workflow") return workflow(namespace, index, workflowSteps)
      if (kind === "read") return read(namespace, index)
      const decision = kind === "feedback" ? untold.shift() : undefined
      return decision === undefined ? recommend(namespace, index) : feedback(decision, index)
    },
    hear: (decisions) => {
      untold.push(...decisions)
      untold.splice(0, untold.length - untoldMax)
    }
  }
}

const given = (asks: ReadonlyArray<Ask>): Traffic => {
  let index = 0
  return { next: () => asks[index++ % asks.length]!, hear: () => {} }
}

export const trafficOf = (plan: TrafficPlan): Traffic =>
  plan.kind === "mix" ? mix(plan.namespace, plan.seed) : given(plan.asks)
