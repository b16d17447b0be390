// What a program gets and what its provider is asked, direct and routed: features of a framework that must not differ.
import { assert, it } from "@effect/vitest"
import type { Behaviour } from "./FakeProvider.ts"
import type { Stage } from "./Stage.ts"

/** A value of a framework, whose types differ between versions: the tests compare what comes of it. */
export type Loose = any

/** A feature: what the program sees of it. */
export type Case<Subject> = (subject: Subject) => Promise<unknown>

/** What is seen of a feature, as data. */
interface Seen {
  /** What the program gets: what its work yields, or its error. */
  readonly result: Loose
  /** What the provider was asked. */
  readonly asked: Loose
}

/** A feature that is meant to differ: what is seen routed, made of what is seen direct. */
export interface Difference<Subject> {
  readonly run: Case<Subject>
  readonly routed: (direct: Seen) => Seen
}

/** Features of a framework. */
export type Table<Subject> = Readonly<Record<string, Case<Subject> | Difference<Subject>>>

/** One model, which is the default: what differs is the way alone. A busy machine must not turn into timeouts. */
export const settings = { defaultModelId: "dear", deadlineMs: 10_000, coolDownMs: 1 } as const

export const collected = async (parts: AsyncIterable<unknown>): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for await (const part of parts) all.push(part)
  return all
}

/** What a work yields, or the error that it throws. */
export const failure = async (work: PromiseLike<unknown>): Promise<unknown> => {
  try {
    return await work
  } catch (error) {
    return error
  }
}

/** Fields that the adapter adds, and those that two calls of one way do not have in common. */
const own = /^(sextant|date|stack|socket|timestamp|performance|startedAt|nodeFirstAttemptTime|callId|run_id|runId|created_?[aA]t|\w+Ms|\w+PerSecond)$/

/** Ids that the provider or a framework makes, one for each answer. */
const ids = /chatcmpl_\d+|(aitxt|aiobj|msg|run|lc_run-)-[\w-]{8,}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\b[\da-f]{32}\b/g

/** A value as data, all that a program can read of it: without what is {@link own}, and without {@link ids}. */
const plain = (value: unknown, around: ReadonlyArray<unknown> = []): unknown => {
  if (typeof value === "string") return value.replace(ids, "id")
  if (typeof value === "function" || typeof value === "symbol") return undefined
  if (typeof value !== "object" || value === null) return value
  if (around.includes(value)) return "itself"
  const inside = [...around, value]
  if (value instanceof Date) return "a date"
  if (Array.isArray(value)) return value.map((one) => plain(one, inside))
  if (value instanceof Headers || value instanceof Map) return plain(Object.fromEntries(value), inside)
  if (value instanceof Response) {
    const { headers, redirected, status, statusText, type, url } = value
    return plain({ headers, redirected, status, statusText, type, url }, inside)
  }
  const { toJSON } = value as { readonly toJSON?: unknown }
  const fields = value instanceof Error
    ? { ...value, name: value.name, constructed: value.constructor.name, message: value.message, cause: value.cause }
    : typeof toJSON === "function" ? Object(toJSON.call(value)) : value
  return Object.fromEntries(Object.entries(fields).filter(([name, one]) => !own.test(name) && one !== undefined)
    .map(([name, one]) => [name, plain(one, inside)]))
}

/** How the provider's only model behaves. */
const behaviours: ReadonlyArray<Behaviour> = ["answer", "tool", 400, 500, "half", "broken"]

/**
 * Whether a behaviour shows anything of a feature: a tool is called where there is one, a stream breaks in another way
 * than a whole answer, and a framework waits for seconds before it tries again what is no error of a status.
 */
const isOf = (behaviour: Behaviour, name: string): boolean =>
  behaviour === "tool" ? /tool/.test(name)
    : behaviour === "broken" ? /stream/.test(name) : behaviour !== "half" || !/stream|again/.test(name)

/** The features of a framework, and how its results name what is routed. */
interface Framework<Subject> {
  readonly features: Table<Subject>
  readonly named?: (result: Loose) => Loose
}

/** Declares every feature under every behaviour, direct and routed; each way makes what it needs for a test. */
export const declareTable = <Subject>(
  { provider }: Stage,
  { features, named = (result) => result }: Framework<Subject>,
  { direct, routed }: { readonly direct: () => Subject; readonly routed: () => Subject }
): void => {
  const seen = async (run: Case<Subject>, subject: Subject, behaviour: Behaviour): Promise<Seen> => {
    provider.reset()
    provider.set("dear", behaviour)
    const result = plain(await failure(run(subject)))
    return { result, asked: plain(provider.asked) }
  }
  for (const behaviour of behaviours) {
    for (const [name, feature] of Object.entries(features)) {
      if (!isOf(behaviour, name)) continue
      const [run, expected, word] = typeof feature === "function"
        ? [feature, ({ asked, result }: Seen) => ({ asked, result: named(result) }), "the same"] as const
        : [feature.run, feature.routed, "different as documented"] as const
      it(`${name} is ${word} direct and routed, where the model's answer is: ${behaviour}`, async () =>
        assert.deepStrictEqual(await seen(run, routed(), behaviour), expected(await seen(run, direct(), behaviour))))
    }
  }
}
