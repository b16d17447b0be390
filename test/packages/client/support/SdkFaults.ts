// What each adapter of a provider's SDK must come through, written once: the ways to call differ, the faults do not.
import { assert, it } from "@effect/vitest"
import { BudgetExhausted, type FeedbackRequest } from "../../../../packages/client/src/index.ts"
import type { Routed } from "../../../../packages/client/src/sdk/RoutedAnswer.ts"
import type { Report } from "./RealService.ts"
import { type Behaviour, usage } from "./FakeProvider.ts"
import { exhaustedBudget, models } from "./RealService.ts"
import type { Stage } from "./Stage.ts"

export const task = "Write a function that sums a list"

/** One API of an SDK, called with a client that has a routing. */
export interface Way {
  /** The text of a whole answer, and what it came from. */
  readonly whole: (options?: { readonly signal?: AbortSignal }) => Promise<Answered>
  /** A stream, and the texts of its parts as they come. */
  readonly stream: (options?: { readonly signal?: AbortSignal }) => Promise<Streamed>
}

export interface Answered {
  readonly text: string
  readonly routed: Routed | null
}

export interface Streamed {
  readonly routed: Routed | null
  readonly texts: AsyncIterable<string>
}

/** What was reported of each model, in no order. */
export const outcomesOf = (reports: ReadonlyArray<Report>): ReadonlyArray<string> =>
  reports.map(({ sent }) => `${sent.chosen_model_id} ${sent.outcome} ${sent.error_cause ?? ""}`.trim()).sort()

/** The models that the provider was asked for, in order. */
export const ran = ({ provider }: Stage): ReadonlyArray<string> => provider.asked.map(({ model }) => model)

const textOf = async ({ texts }: Streamed): Promise<string> => {
  let text = ""
  for await (const part of texts) text += part
  return text
}

/** Declares the faults; `newWay` makes a client of its own, none of whose models is cooling down. */
export const declareFaults = (stage: Stage, newWay: () => Way, reported: Partial<FeedbackRequest> = {}): void => {
  const full: Partial<FeedbackRequest> = {
    outcome: "success", evidence_source: "none", input_tokens: usage.input, cached_input_tokens: usage.cached,
    output_tokens: usage.output, ...reported
  }

  /** A client, and the service's pick, which a fault has befallen. */
  const befallen = async (fault: Behaviour) => {
    const way = newWay()
    const { routed } = await way.whole()
    const pick = routed?.modelId ?? ""
    stage.provider.reset()
    stage.provider.set(pick, fault)
    return { pick, way }
  }

  it("runs the service's pick, and its usage arrives by itself", async () => {
    const { routed, text } = await newWay().whole()
    assert.strictEqual(routed?.source, "service")
    assert.strictEqual(text, `hello from ${routed?.modelId}`)
    assert.deepStrictEqual(ran(stage), [routed?.modelId ?? ""])
    const [report] = await stage.service.reported(routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { ...full, chosen_model_id: routed?.modelId ?? "" })
    assert.strictEqual(stage.service.asked[0]?.task.task, task)
  })

  it("streams the service's pick, and reports usage and first token at its end", async () => {
    const streamed = await newWay().stream()
    assert.strictEqual(await textOf(streamed), `hello from ${streamed.routed?.modelId}`)
    const [report] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, full)
    assert.isAtMost(report?.sent.time_to_first_token_ms ?? Infinity, report?.sent.latency_ms ?? 0)
  })

  const faults = [
    ...[408, 409, 429, 500, 529].map((status) => [status, `a ${status}`] as const),
    ["broken", "a connection that breaks before an answer"], ["half", "a connection that breaks within a whole answer"]
  ] as const
  for (const [fault, name] of faults) {
    it(`answers by another model after ${name}, without waiting for the SDK's own retries`, async () => {
      const { pick, way } = await befallen(fault)
      const { routed, text } = await way.whole()
      assert.notStrictEqual(routed?.modelId, pick)
      assert.strictEqual(text, `hello from ${routed?.modelId}`)
      assert.deepStrictEqual(ran(stage), [pick, routed?.modelId ?? ""])
      assert.deepStrictEqual(
        outcomesOf(await stage.service.reported(routed?.recommendationId ?? "", 2)),
        [`${pick} failure infra`, `${routed?.modelId} success`].sort()
      )
    })
  }

  it("gives a whole answer up with the caller's signal within its body, and runs nothing else", async () => {
    const { pick, way } = await befallen("stuck")
    const controller = new AbortController()
    const answer = way.whole({ signal: controller.signal }).catch((cause) => cause)
    while (stage.provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    // The head of the answer comes before the abort, or with it: the outcome is the same.
    await new Promise((resolve) => setTimeout(resolve, 20))
    controller.abort()
    controller.abort()
    assert.instanceOf(await answer, Error)
    assert.deepStrictEqual(ran(stage), [pick])
    while (stage.service.reports.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual(stage.service.reports.at(-1)?.sent.outcome, "partial")
  })

  it("takes a stream that breaks after its last part for the success that it was", async () => {
    const { way } = await befallen("late")
    const streamed = await way.stream()
    await textOf(streamed).catch(() => "")
    const [report] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, full)
  })

  it("reports a stream that is aborted before it is read, and when it has ended, as what happened", async () => {
    for (const isRead of [false, true]) {
      const way = newWay()
      const controller = new AbortController()
      const streamed = await way.stream({ signal: controller.signal })
      if (isRead) await textOf(streamed)
      controller.abort()
      if (!isRead) await textOf(streamed).catch(() => "")
      const [report, ...more] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
      assert.strictEqual(report?.sent.outcome, isRead ? "success" : "partial")
      assert.isEmpty(more)
    }
  })

  it("runs the default when the service fails or answers with something else", async () => {
    for (const [state, reason] of [[503, "refused"], [{ status: 200, text: "<html>" }, "invalid_answer"]] as const) {
      stage.service.set(state)
      const { routed, text } = await newWay().whole()
      assert.deepInclude(routed, { source: "default", reason, modelId: "dear" })
      assert.strictEqual(text, "hello from dear")
    }
  })

  it("throws BudgetExhausted when the budget is used up, streamed or not, and asks no provider", async () => {
    stage.service.set(exhaustedBudget)
    const way = newWay()
    for (const answer of [way.whole(), way.stream()]) {
      const error = await answer.then(() => null, (cause: unknown) => cause)
      assert.instanceOf(error, BudgetExhausted)
      assert.deepInclude({ ...error }, { detail: "all is spent", name: "BudgetExhausted" })
    }
    assert.isEmpty(stage.provider.asked)
  })

  it("streams another model after a 500", async () => {
    const { pick, way } = await befallen(500)
    const streamed = await way.stream()
    assert.strictEqual(await textOf(streamed), `hello from ${streamed.routed?.modelId}`)
    assert.notStrictEqual(streamed.routed?.modelId, pick)
    assert.lengthOf(await stage.service.reported(streamed.routed?.recommendationId ?? "", 2), 2)
  })

  it("leaves an error of the caller unchanged, runs nothing else, and reports nothing", async () => {
    const { pick, way } = await befallen(400)
    for (const model of models) stage.provider.set(model, 400)
    const error = await way.whole().catch((cause) => cause)
    assert.strictEqual(error.status, 400)
    assert.deepStrictEqual(ran(stage), [pick])
  })

  it("runs every model once and the last one with the SDK's retries, and throws its error", async () => {
    for (const model of models) stage.provider.set(model, 500)
    const error = await newWay().whole().catch((cause) => cause)
    assert.strictEqual(error.status, 500)
    const asked = ran(stage)
    const last = asked.at(-1)
    assert.deepStrictEqual(asked.slice(0, -3), [...new Set(asked)].filter((model) => model !== last))
    assert.deepStrictEqual(asked.slice(-3), [last, last, last])
  })

  it("runs the default when the service is down, with the SDK's own retries, and reports nothing", async () => {
    stage.service.set("down")
    const { routed, text } = await newWay().whole()
    assert.deepInclude(routed, { source: "default", reason: "unreachable", recommendationId: null, modelId: "dear" })
    assert.strictEqual(text, "hello from dear")
    const streamed = await newWay().stream()
    assert.strictEqual(await textOf(streamed), "hello from dear")
    stage.provider.reset()
    stage.provider.set("dear", 500)
    const error = await newWay().whole().catch((cause) => cause)
    assert.strictEqual(error.status, 500)
    assert.deepStrictEqual(ran(stage), ["dear", "dear", "dear"])
    assert.lengthOf(stage.service.reports, 0)
  })

  it("waits for a slow model, and measures how long it took", async () => {
    const { way } = await befallen("slow")
    const { routed } = await way.whole()
    const [report] = await stage.service.reported(routed?.recommendationId ?? "", 1)
    assert.isAtLeast(report?.sent.latency_ms ?? 0, 390)
  })

  it("gives a silent model up with the caller's signal, and reports it as abandoned", async () => {
    const { pick, way } = await befallen("silent")
    const controller = new AbortController()
    const answer = way.whole({ signal: controller.signal }).catch((cause) => cause)
    while (stage.provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    controller.abort()
    assert.match((await answer).constructor.name, /APIUserAbortError/)
    assert.deepStrictEqual(ran(stage), [pick])
    while (stage.service.reports.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.strictEqual(stage.service.reports.at(-1)?.sent.outcome, "partial")
  })

  it("reports a stream that its reader leaves as abandoned", async () => {
    const { way } = await befallen("slow")
    const streamed = await way.stream()
    for await (const text of streamed.texts) if (text !== "") break
    const [report] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
    assert.strictEqual(report?.sent.outcome, "partial")
  })

  it("reports a stream that the caller's signal ends as abandoned", async () => {
    const { way } = await befallen("slow")
    const controller = new AbortController()
    const streamed = await way.stream({ signal: controller.signal })
    const read = textOf({ ...streamed, texts: streamed.texts }).catch((cause) => cause)
    setTimeout(() => controller.abort(), 100)
    await read
    const [report] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
    assert.strictEqual(report?.sent.outcome, "partial")
  })

  it("reports a stream that breaks as an outage, and throws its error", async () => {
    const { pick, way } = await befallen("broken")
    const streamed = await way.stream()
    const error = await textOf(streamed).catch((cause) => cause)
    assert.instanceOf(error, Error)
    const [report] = await stage.service.reported(streamed.routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { outcome: "failure", error_cause: "infra", chosen_model_id: pick })
    // The model that broke is left out of the next choice.
    await way.whole()
    assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
  })
}
