/* How good each model of the demo truly is at each kind of task, and which model gets worse from a day on. */
import type { TaskType } from "../../src/domain/Task.ts"
import { generator } from "../../src/stats/Generator.ts"
import { kinds } from "../bench/arena/prompts.ts"

/** The models that the made-up teams allow, by what they can do; all are in the bundled catalog. */
const abilities: Readonly<Record<string, number>> = {
  "mistral-small-2603": 0.58,
  "claude-haiku-5-5": 0.66,
  "gpt-4.1": 0.66,
  "gpt-5.4-mini": 0.84,
  "gemini-3.7-flash": 0.87,
  "claude-sonnet-5": 0.88,
  "claude-opus-5": 0.93
}
export const modelIds: ReadonlyArray<string> = Object.keys(abilities)

/** Output tokens a second of each model, and the time until the first of a call, ms. Made up, as the abilities are. */
const speeds: Readonly<Record<string, number>> = {
  "mistral-small-2603": 150,
  "claude-haiku-5-5": 130,
  "gpt-4.1": 90,
  "gpt-5.4-mini": 140,
  "gemini-3.7-flash": 190,
  "claude-sonnet-5": 75,
  "claude-opus-5": 55
}
const firstTokenMs = 600

/** How long a call takes, ms; `luck` in [0, 1) makes it up to twice as fast or slow. */
export const latencyOf = (modelId: string, outputTokens: number, luck: number): number =>
  Math.round((firstTokenMs + 1_000 * outputTokens / (speeds[modelId] ?? 100)) * 4 ** (luck - 0.5))

/** How much harder or easier than others a task type is. */
const ease: Readonly<Partial<Record<TaskType, number>>> = {
  classification: 0.08, extraction: 0.08, translation: 0.04, reasoning: -0.12, code: -0.02
}

/**
 * The namespace for which the favourite gets worse, the share of the month after which it does, and its success rate
 * then.
 */
export const decline = { namespace: "demo-localisation", after: 0.55, successRate: 0.35 }

const clamped = (share: number): number => Math.min(0.98, Math.max(0.05, share))

/** Width of the range of a model's talent for one kind of task, which is centred on 0. */
const talentWidth = 0.16

interface Asked {
  readonly kind: string
  readonly taskType: TaskType
  readonly namespace: string
  readonly time: number
}

/** True success per model and kind: ability, ease, and a talent of the model for the kind from the seed. */
export const truthOf = (seed: number) => {
  const random = generator(seed)
  // All at once: drawn as they are asked for, they would depend on who asks first.
  const talents = new Map(kinds.flatMap(({ name }) =>
    modelIds.map((modelId) => [`${modelId} ${name}`, (random() - 0.5) * talentWidth])))
  return (call: Asked, modelId: string, brokenModelId: string | null): number => {
    const { after, namespace, successRate } = decline
    const talent = talents.get(`${modelId} ${call.kind}`) ?? 0
    if (modelId === brokenModelId && call.namespace === namespace && call.time > after) return successRate
    return clamped((abilities[modelId] ?? 0.5) + (ease[call.taskType] ?? 0) + talent)
  }
}

/** Texts that failing checks print. Sextant recognises a similar failure by the last lines. */
export const stackTraces: ReadonlyArray<string> = [
  "Traceback (most recent call last):\n  File \"core/session.py\", line 48, in merge_ranges\n"
  + "    head = ranges[index]\nIndexError: list index out of range",
  "TypeError: undefined is not a function\n    at parseInvoice (billing/charge.ts:112:17)\n"
  + "    at processTicksAndRejections (node:internal/process/task_queues:105:5)",
  "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:\nmain.splitBatch(0xc000010)\n"
  + "\t/src/cmd/sync/main.go:88 +0x1d",
  "AssertionError: expected 1,204.50 to equal 1204.5\n    at Object.<anonymous> (web/cart.test.js:31:20)"
]
