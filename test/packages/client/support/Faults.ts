// What each adapter must come through, written once: the ways to call differ, the faults do not.
import { assert, it } from "@effect/vitest"
import { gates } from "../../../../packages/client/src/gates/index.ts"
import { BudgetExhausted, type FeedbackRequest, type Sextant, type SextantOptions } from "../../../../packages/client/src/index.ts"
import { judged } from "../../../../packages/client/src/judge/index.ts"
import type { Report } from "./RealService.ts"
import { type Behaviour, type Refusal, slowMs, usage } from "./FakeProvider.ts"
import { exhaustedBudget, models } from "./RealService.ts"
import type { Stage } from "./Stage.ts"

/** Neither easy nor hard to the service: its pick is neither the cheapest nor the default. */
export const task = "Write a function for our lists"

/** What a fault asks of the adapter that it befalls. */
export type Over = Partial<Pick<SextantOptions<typeof models[number]>, "deadlineMs" | "onBudgetExhausted" | "onDefault" | "shadow">>

/** One way to call a model through an adapter. */
export interface Way {
  readonly sextant: Pick<Sextant, "defaultModelId" | "flush" | "pending"> & {
    readonly score: (id: string, quality: number | boolean | null, source?: "gate" | "judge") => boolean
  }
  /** The text of a whole answer, and what it came from. */
  readonly whole: (options?: { readonly signal?: AbortSignal }) => Promise<Answered>
  /** A stream, and the texts of its parts as they come. */
  readonly stream: (options?: { readonly signal?: AbortSignal }) => Promise<Streamed>
}

/** What an adapter tells of an answer. */
interface Known {
  readonly modelId: string
  readonly recommendationId: string | null
  readonly source: string
  readonly reason: string | null
  /** What the reason is in words, where the adapter says it. */
  readonly detail?: string
  /** The models that failed before, where the adapter says them. */
  readonly failedModelIds?: ReadonlyArray<string>
}

interface Answered {
  readonly text: string
  /** As the framework has it. */
  readonly answer: object
  readonly routed: Known | null
}

interface Streamed {
  readonly texts: AsyncIterable<string>
  /** What it came from, once it has been read. */
  readonly routed: () => Known | null | PromiseLike<Known | null>
}

/** What an adapter promises of its own. */
interface Promised {
  /** More of what is reported of a success. */
  readonly reported?: Partial<FeedbackRequest>
  /** How often the last model runs whose provider is out, by the framework's own retries; 1 unless set. */
  readonly tries?: number
  /** Whether it says which models failed before. */
  readonly namesFailed?: boolean
}

/** What was reported of each model, in no order. */
export const outcomesOf = (reports: ReadonlyArray<Report>): ReadonlyArray<string> =>
  reports.map(({ sent }) => `${sent.chosen_model_id} ${sent.outcome} ${sent.error_cause ?? ""}`.trim()).sort()

/** The models that the provider was asked for, in order. */
export const ran = ({ provider }: Stage): ReadonlyArray<string> => provider.asked.map(({ model }) => model)

export const textOf = async ({ texts }: Streamed): Promise<string> => {
  let text = ""
  for await (const part of texts) text += part
  return text
}

const pause = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))

/** Refusals that say: this model is not to be had here. */
export const refusals: Readonly<Record<string, Refusal>> = {
  "404 not_found_error": { status: 404, error: { type: "not_found_error", message: "model: x" } },
  "404 model_not_found": {
    status: 404,
    error: { type: "invalid_request_error", code: "model_not_found", message: "The model `x` does not exist or you do not have access to it." }
  },
  "403 permission_error": {
    status: 403,
    error: { type: "permission_error", message: "Your API key does not have permission to use the specified resource" }
  },
  "400 model_decommissioned": {
    status: 400,
    error: { type: "invalid_request_error", code: "model_decommissioned", message: "The model `x` has been decommissioned and is no longer supported." }
  }
}

/** A refusal of a parameter, as of OpenAI's reasoning models. */
export const unsupported: Refusal = {
  status: 400,
  error: {
    type: "invalid_request_error", code: "unsupported_parameter", param: "max_tokens",
    message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  }
}

/** The status of an error of a provider, as the frameworks name it. */
const statusOf = (error: unknown): number | undefined => Object(error).status ?? Object(error).statusCode

export const stageFor = (stage: Stage, newWay: (over?: Over) => Way) => ({
  /** A way, and the service's pick, which a fault has befallen since its first answer was reported. */
  befallen: async (fault: Behaviour) => {
    // A fault that is left from before would befall this answer, and another model than the pick would give it.
    stage.provider.reset()
    const way = newWay()
    const { routed } = await way.whole()
    const pick = routed?.modelId ?? ""
    await stage.service.reported(routed?.recommendationId ?? "", 1)
    stage.service.asked.length = stage.service.reports.length = 0
    stage.provider.reset()
    stage.provider.set(pick, fault)
    return { pick, way }
  },
  /** Ends when the provider has been asked. */
  asked: async (): Promise<void> => {
    while (stage.provider.asked.length === 0) await pause(5)
  },
  /** What is reported, once it is so much. */
  reports: async (count: number): Promise<ReadonlyArray<FeedbackRequest>> => {
    const { reports } = stage.service
    for (let tries = 0; tries < 1_000 && reports.length < count; tries++) await pause(5)
    assert.lengthOf(reports, count)
    return reports.map(({ sent }) => sent)
  }
})

/** What is reported of a success. */
export const fullReport = (reported: Partial<FeedbackRequest>): Partial<FeedbackRequest> => ({
  outcome: "success", evidence_source: "none", input_tokens: usage.input, cached_input_tokens: usage.cached,
  output_tokens: usage.output, ...reported
})

/** Declares that the next model answers after a fault of the pick, which is reported and left out next time. */
const declareNext = (
  stage: Stage,
  newWay: (over?: Over) => Way,
  namesFailed: boolean,
  faults: ReadonlyArray<readonly [Behaviour, string]>
): void => {
  const { befallen } = stageFor(stage, newWay)
  for (const [fault, name] of faults) {
    it(`answers by another model after ${name}, at once, and leaves the model out next time`, async () => {
      const { pick, way } = await befallen(fault)
      const { routed, text } = await way.whole()
      assert.notStrictEqual(routed?.modelId, pick)
      assert.deepInclude(routed, namesFailed ? { failedModelIds: [pick] } : {})
      assert.strictEqual(text, `hello from ${routed?.modelId}`)
      assert.deepStrictEqual(ran(stage), [pick, routed?.modelId ?? ""])
      assert.deepStrictEqual(
        outcomesOf(await stage.service.reported(routed?.recommendationId ?? "", 2)),
        [`${pick} failure infra`, `${routed?.modelId} success`].sort()
      )
      await way.whole()
      assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
    })
  }
}

/** Declares what comes of an outage, a refusal or a service that is out, before any answer of a provider is read. */
const declareUnanswered = (
  stage: Stage,
  newWay: (over?: Over) => Way,
  { namesFailed = false, tries = 1 }: Promised
): void => {
  const { befallen } = stageFor(stage, newWay)
  const failed = (...ids: ReadonlyArray<string>) => namesFailed ? { failedModelIds: ids } : {}
  declareNext(stage, newWay, namesFailed, [408, 409, 500, 529].map((status) => [status, `a ${status}`]))

  it("takes a verdict by the id of its answer", async () => {
    const way = newWay()
    const { routed } = await way.whole()
    assert.isTrue(way.sextant.score(routed?.recommendationId ?? "", 0.9))
    const [, verdict, ...more] = await stage.service.reported(routed?.recommendationId ?? "", 2)
    assert.deepInclude(verdict?.sent, { quality_score: 0.9, evidence_source: "gate" })
    assert.deepStrictEqual([verdict?.answer.warnings, more], [[], []])
  })

  it("in shadow runs the default, and says so", async () => {
    const { routed } = await newWay({ shadow: true }).whole()
    assert.deepInclude(routed, { modelId: "dear", source: "default", reason: "shadow" })
  })

  for (const [name, refusal] of Object.entries(refusals)) {
    it(`answers by another model after a ${name}, reports it, and leaves the model out next`, async () => {
      const { pick, way } = await befallen(refusal)
      const { routed, text } = await way.whole()
      assert.notStrictEqual(routed?.modelId, pick)
      assert.strictEqual(text, `hello from ${routed?.modelId}`)
      assert.deepStrictEqual(ran(stage), [pick, routed?.modelId ?? ""])
      const reported = await stage.service.reported(routed?.recommendationId ?? "", 2)
      assert.deepStrictEqual(outcomesOf(reported), [`${pick} failure infra`, `${routed?.modelId} success`].sort())
      assert.strictEqual(reported.find(({ sent }) => sent.chosen_model_id === pick)?.sent.provider_status, refusal.status)
      await way.whole()
      assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
      assert.lengthOf(ran(stage).filter((model) => model === pick), 1)
    })
  }

  it("runs every model once where all are refused, throws the last error, and leaves none out", async () => {
    const way = newWay()
    for (const model of models) stage.provider.set(model, refusals["403 permission_error"]!)
    for (let i = 1; i <= 2; i++) {
      assert.strictEqual(statusOf(await way.whole().catch((cause) => cause)), 403)
      assert.lengthOf(ran(stage), models.length * i)
    }
    assert.deepStrictEqual(stage.service.asked.map(({ constraints }) => constraints?.excluded_models), [[], []])
    stage.provider.reset()
    await way.whole()
    assert.lengthOf(ran(stage), 1)
  })

  it("runs the default where a model refuses a parameter, unreported, and leaves it out of such", async () => {
    const { pick, way } = await befallen(unsupported)
    assert.notStrictEqual(pick, "dear")
    const { routed, text } = await way.whole()
    assert.strictEqual(text, "hello from dear")
    assert.deepStrictEqual(ran(stage), [pick, "dear"])
    assert.deepStrictEqual(outcomesOf(await stage.service.reported(routed?.recommendationId ?? "", 1)), ["dear success"])
    await way.whole()
    assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
    await way.sextant.flush()
    assert.isTrue(stage.service.reports.every(({ sent }) => sent.chosen_model_id !== pick))
  })

  it("throws the default's own refusal of a parameter, and takes the others back as choices", async () => {
    const { pick, way } = await befallen(unsupported)
    for (const model of models) stage.provider.set(model, unsupported)
    assert.strictEqual(statusOf(await way.whole().catch((cause) => cause)), 400)
    assert.deepStrictEqual(ran(stage), [pick, "dear"])
    await way.whole().catch(() => {})
    assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [])
    await way.sextant.flush()
    assert.isEmpty(stage.service.reports)
  })

  const states = [[503, "refused"], [{ status: 200, text: "<html>" }, "invalid_answer"], ["down", "unreachable"], ["silent", "timeout"]] as const
  for (const [state, reason] of states) {
    it(`runs the default, whole and streamed, when the service does not say: ${reason}`, async () => {
      stage.service.set(state)
      const reasons: Array<string> = []
      const over: Over = { onDefault: (why) => void reasons.push(why), ...(state === "silent" ? { deadlineMs: 50 } : {}) }
      const way = newWay(over)
      const { routed, text } = await way.whole()
      const { detail: _detail, ...said } = routed ?? assert.fail("nothing is said")
      assert.deepStrictEqual(said, { source: "default", reason, modelId: "dear", recommendationId: null, ...failed() })
      assert.strictEqual(text, "hello from dear")
      assert.strictEqual(await textOf(await newWay(over).stream()), "hello from dear")
      assert.deepStrictEqual([reasons, way.sextant.pending()], [[reason, reason], 0])
      assert.isEmpty(stage.service.reports)
    })
  }

  it("runs every model once, the last one with the framework's own retries, and throws its error", async () => {
    for (const model of models) stage.provider.set(model, 500)
    assert.strictEqual(statusOf(await newWay().whole().catch((cause) => cause)), 500)
    const asked = ran(stage)
    const last = asked.at(-1) ?? ""
    assert.deepStrictEqual(asked, [...[...new Set(asked)].filter((model) => model !== last), ...Array<string>(tries).fill(last)])
    assert.include(asked, "dear")
  })

  it("runs the default with the framework's own retries when the service is down", async () => {
    stage.service.set("down")
    stage.provider.set("dear", 500)
    assert.strictEqual(statusOf(await newWay().whole().catch((cause) => cause)), 500)
    assert.deepStrictEqual(ran(stage), Array<string>(tries).fill("dear"))
    assert.isEmpty(stage.service.reports)
  })

  it("runs the model that the handler of an exhausted budget names, and that one alone", async () => {
    stage.service.set(exhaustedBudget)
    const way = newWay({ onBudgetExhausted: () => "cheap" })
    const { routed, text } = await way.whole()
    assert.strictEqual(text, "hello from cheap")
    assert.deepInclude(routed, { modelId: "cheap", source: "default", reason: "budget_exhausted" })
    stage.provider.reset()
    stage.provider.set("cheap", 500)
    assert.strictEqual(statusOf(await way.whole().catch((cause) => cause)), 500)
    assert.deepStrictEqual(ran(stage), Array<string>(tries).fill("cheap"))
  })

  it("throws BudgetExhausted when the budget is used up, streamed or not, and asks no provider", async () => {
    stage.service.set(exhaustedBudget)
    const way = newWay()
    for (const ask of [() => way.whole(), () => way.stream().then(textOf)]) {
      const error = await ask().then(() => null, (cause: unknown) => cause)
      assert.instanceOf(error, BudgetExhausted)
      assert.deepInclude({ ...error }, { detail: "all is spent", name: "BudgetExhausted" })
    }
    assert.isEmpty(stage.provider.asked)
  })

  it("leaves an error of the caller unchanged, runs nothing else, and reports nothing", async () => {
    const { pick, way } = await befallen(400)
    for (const model of models) stage.provider.set(model, 400)
    assert.strictEqual(statusOf(await way.whole().catch((cause) => cause)), 400)
    assert.deepStrictEqual(ran(stage), [pick])
    assert.isEmpty(stage.service.reports)
  })
}

/** Declares what comes of the answers and the streams of one format, and of those that break. */
export const declareAnswered = (
  stage: Stage,
  newWay: (over?: Over) => Way,
  { namesFailed = false, reported = {} }: Promised = {}
): void => {
  const { asked, befallen, reports } = stageFor(stage, newWay)
  const failed = (...ids: ReadonlyArray<string>) => namesFailed ? { failedModelIds: ids } : {}
  declareNext(stage, newWay, namesFailed, [
    [429, "a 429"], ["broken", "a connection that breaks before an answer"],
    ["half", "a connection that breaks within a whole answer"]
  ])

  it("runs the service's pick, and its usage arrives by itself", async () => {
    const { routed, text } = await newWay().whole()
    assert.deepInclude(routed, { source: "service", reason: null, ...failed() })
    assert.strictEqual(text, `hello from ${routed?.modelId}`)
    assert.deepStrictEqual(ran(stage), [routed?.modelId ?? ""])
    const [report] = await stage.service.reported(routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, { ...fullReport(reported), chosen_model_id: routed?.modelId ?? "" })
    assert.deepStrictEqual(report?.answer.warnings, [])
    assert.strictEqual(stage.service.asked[0]?.task.task, task)
  })

  it("takes the verdict of a gate, and of a judge on the same answer, in one line each", async () => {
    const way = newWay()
    const review = judged({ sextant: way.sextant, judge: () => "SCORE: 9", share: 1 })
    const whole = way.whole()
    const answer = await review(task, whole.then((one) => one.answer))
    const { modelId = "", recommendationId } = (await whole).routed ?? {}
    const id = recommendationId ?? ""
    assert.isTrue(way.sextant.score(id, await gates.matches(/^hello/)(answer), "gate"))
    await review.flush()
    const verdicts = (await stage.service.reported(id, 3)).filter(({ sent }) => sent.evidence_source !== "none")
    assert.sameMembers(verdicts.map(({ sent }) => `${sent.evidence_source} ${sent.outcome}`), ["gate success", "judge success"])
    assert.isTrue(verdicts.every(({ answer, sent }) => answer.accepted && (sent.chosen_model_id ?? modelId) === modelId))
  })

  it("streams the service's pick, and reports usage and first token at its end", async () => {
    const streamed = await newWay().stream()
    const texts: Array<string> = []
    for await (const text of streamed.texts) texts.push(text)
    const routed = await streamed.routed()
    assert.strictEqual(texts.join(""), `hello from ${routed?.modelId}`)
    assert.isAbove(texts.filter((text) => text !== "").length, 1)
    const [report] = await stage.service.reported(routed?.recommendationId ?? "", 1)
    assert.deepInclude(report?.sent, fullReport(reported))
    assert.isAtMost(report?.sent.time_to_first_token_ms ?? Infinity, report?.sent.latency_ms ?? 0)
  })

  it("streams another model after a 429, a 500 or a 404", async () => {
    for (const status of [429, 500, refusals["404 model_not_found"]!]) {
      const { pick, way } = await befallen(status)
      const streamed = await way.stream()
      const text = await textOf(streamed)
      const routed = await streamed.routed()
      assert.strictEqual(text, `hello from ${routed?.modelId}`)
      assert.deepInclude(routed, failed(pick))
      assert.notStrictEqual(text, `hello from ${pick}`)
      await reports(2)
    }
  })

  it("waits for a slow model, and measures its time, and that to a stream's first token", async () => {
    const { way } = await befallen("slow")
    const { routed } = await way.whole()
    const [report] = await stage.service.reported(routed?.recommendationId ?? "", 1)
    assert.isAtLeast(report?.sent.latency_ms ?? 0, slowMs - 10)
    await textOf(await way.stream())
    const [, streamed] = await reports(2)
    assert.isBelow(streamed?.time_to_first_token_ms ?? Infinity, streamed?.latency_ms ?? 0)
  })

  for (const fault of ["silent", "stuck"] as const) {
    it(`gives a model up that is ${fault} with the caller's signal, as abandoned, and runs no more`, async () => {
      const { pick, way } = await befallen(fault)
      const controller = new AbortController()
      const answer = way.whole({ signal: controller.signal }).catch((cause) => cause)
      await asked()
      // The head of an answer comes before the abort, or with it: the outcome is the same.
      await pause(20)
      controller.abort()
      controller.abort()
      const error = await answer
      assert.match(`${error.constructor.name} ${error.name}`, /AbortError/)
      assert.deepStrictEqual(ran(stage), [pick])
      const [report] = await reports(1)
      assert.deepInclude(report, { outcome: "partial", chosen_model_id: pick })
    })
  }

  for (const moment of ["waited for", "read"]) {
    it(`reports a stream that the signal ends while ${moment} as abandoned, and runs no other`, async () => {
      const { pick, way } = await befallen("slow")
      const controller = new AbortController()
      const streamed = await way.stream({ signal: controller.signal })
      // A framework may give the stream before the model is asked: of a call that was never made, nothing is reported.
      if (moment === "waited for") void asked().then(() => pause(20)).then(() => controller.abort())
      try {
        for await (const text of streamed.texts) if (text !== "") controller.abort()
      } catch {
        // Some versions end the stream, others fail it.
      }
      const [report] = await reports(1)
      assert.deepInclude(report, { outcome: "partial", notes: "abandoned" })
      if (moment === "read") assert.isNumber(report?.time_to_first_token_ms)
      assert.deepStrictEqual(ran(stage), [pick])
    })
  }
}

/** Declares the faults of every adapter; `newWay` makes one of its own, none of whose models is cooling down. */
export const declareFaults = (stage: Stage, newWay: (over?: Over) => Way, promised: Promised = {}): void => {
  declareUnanswered(stage, newWay, promised)
  declareAnswered(stage, newWay, promised)
}

/** Declares what comes of a stream that breaks, where nothing goes on in its stead. */
export const declareBrokenStream = (stage: Stage, newWay: (over?: Over) => Way): void => {
  const { befallen, reports } = stageFor(stage, newWay)

  it("reports a stream that breaks as an outage, and throws its error", async () => {
    const { pick, way } = await befallen("broken")
    const error = await textOf(await way.stream()).catch((cause) => cause)
    assert.instanceOf(error, Error)
    const [report] = await reports(1)
    assert.deepInclude(report, { outcome: "failure", error_cause: "infra", chosen_model_id: pick })
    // The model that broke is left out of the next choice.
    await way.whole()
    assert.deepStrictEqual(stage.service.asked.at(-1)?.constraints?.excluded_models, [pick])
  })
}
