/* The loads by name, and how each is made for one service. */
import { type Decision, feedback, recommendations } from "./asks.ts"
import { round, type Subject } from "./round.ts"
import { namespace } from "./store.ts"
import type { TrafficPlan } from "./traffic.ts"

/** What a load is made of. */
export type LoadName = "recommend" | "alone" | "feedback"

interface LoadKind {
  readonly title: string
  readonly kind: "recommend" | "feedback"
  /** Goal with one process and with two on a port, on two cores with the generator beside. */
  readonly goal: string
  readonly connections: number
  /** By number, not by time: a slow machine must not measure code that is not yet compiled. */
  readonly warmUpRequests: number
}

export const loadKinds: Readonly<Record<LoadName, LoadKind>> = {
  recommend: {
    title: "POST /v1/recommend", kind: "recommend", goal: "0.10; 0.15", connections: 32, warmUpRequests: 12_000
  },
  alone: {
    title: "one caller alone", kind: "recommend", goal: "p50 2 ms", connections: 1, warmUpRequests: 500
  },
  feedback: {
    title: "POST /v1/feedback", kind: "feedback", goal: "1500/s", connections: 32, warmUpRequests: 500
  }
}

export const isLoadName = (name: string): name is LoadName => name in loadKinds

const warmUpSecondsMax = 60
const preparingSecondsMax = 300
const preparingConnections = 32

/** A bare server reads whatever comes. */
const noDecision: Decision = { recommendationId: "", modelId: "" }

/** Makes the loads on one service; every recommendation that they see gets at most one report. */
export const makeLoads = (ours: Subject) => {
  const unreported: Array<Decision> = []
  let reported = 0

  const ask = async (requests: number) => {
    const { loaded } = await round(ours, {
      connections: preparingConnections,
      traffic: { kind: "given", asks: recommendations(namespace) },
      pace: { kind: "closed", seconds: preparingSecondsMax, requestsMax: requests }
    })
    unreported.push(...loaded.decisions)
  }

  const feedbacks = async (requests: number, isOurs: boolean) => {
    if (!isOurs) return [feedback(noDecision, 0)]
    if (unreported.length < requests) await ask(requests - unreported.length)
    return unreported.splice(0, requests).map((decision) => feedback(decision, reported++))
  }

  /** @param requests the most requests of a kind that reports on each decision once */
  const planOf = async (name: LoadName, requests: number, isOurs: boolean): Promise<TrafficPlan> => ({
    kind: "given",
    asks: name === "feedback" ? await feedbacks(requests, isOurs) : recommendations(namespace)
  })

  /** Yields an answer, for the bare server to give. */
  const warmUp = async (name: LoadName): Promise<string> => {
    const { connections, kind, warmUpRequests } = loadKinds[name]
    const processes = ours.servers.length * (ours.processes ?? 1)
    const requests = warmUpRequests * processes
    const { loaded } = await round(ours, {
      connections: Math.max(connections, processes),
      traffic: await planOf(name, requests, true),
      pace: { kind: "closed", seconds: warmUpSecondsMax, requestsMax: requests }
    })
    const answer = loaded.answers[kind]
    if (answer === undefined) throw new Error(`${name} was never answered with 200: ${loaded.complaint}`)
    return answer
  }

  return {
    planOf,
    warmUp,
    /** Recommendations of a measured load, for feedback to come. */
    keep: (decisions: ReadonlyArray<Decision>) => void unreported.push(...decisions)
  }
}

export type Loads = ReturnType<typeof makeLoads>
