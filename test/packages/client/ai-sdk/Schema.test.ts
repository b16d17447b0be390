// Answers that have to fit a schema: what fails is a failed gate, and the next model of the service's plan tries.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { isMisfit } from "../../../../packages/client/src/ai-sdk/Schema.ts"
import type { CallOptions } from "../../../../packages/client/src/ai-sdk/Shapes.ts"
import { onEachVersion } from "../support/Peers.ts"
import { keeping, staged } from "../support/Stage.ts"
import { appOf, end, loadSdk, type Sdk, streamOf, text, threeModels, whole } from "./Sdk.ts"

const prompt = "Extract the sum as JSON"
const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] }

const stage = staged()
const keep = keeping()

/** The model that the service named in a decision. */
const namedBy = async (recommendationId: string): Promise<string> => {
  const { apiKey, baseUrl } = stage.service
  const answer = await fetch(`${baseUrl}/v1/decision?recommendation_id=${recommendationId}`, {
    headers: { authorization: `Bearer ${apiKey}` }
  })
  return Object(await answer.json()).decision.recommended_model_id
}

onEachVersion("ai-sdk", (peers) => {
  let sdk: Sdk
  beforeAll(async () => {
    sdk = await loadSdk(peers)
  })

  /** An app whose models answer in turn with these texts, and which of them ran. */
  const answering = (texts: ReadonlyArray<string>, over: Parameters<typeof appOf>[2] = {}, onCall = () => {}) => {
    const ran: Array<string> = []
    const next = (id: string) => {
      onCall()
      return texts[ran.push(id) - 1] ?? "none"
    }
    const model = keep(appOf(stage.service, threeModels((id) =>
      sdk.mock({
        modelId: id,
        doGenerate: async () => whole(next(id)),
        doStream: async () => streamOf([...text(next(id)), ...end])
      })), { onDefault: () => {}, ...over }))
    const verdicts = async () => {
      await model.sextant.flush()
      return stage.service.reports.filter(({ sent }) => sent.evidence_source === "gate").map(({ sent }) =>
        [sent.recommendation_id, sent.chosen_model_id, sent.outcome])
    }
    const generate = (more: object = {}) =>
      sdk.ai.generateObject({ model, prompt, schema: sdk.ai.jsonSchema(schema), maxRetries: 0, ...more })
    return { generate, model, ran, verdicts }
  }
  const failureOf = (promise: PromiseLike<unknown>) => promise.then(() => null, ({ name }: Error) => name)

  describe("generateObject whose answer fails its schema", () => {
    it("is a failed gate, after which the model runs that the service names then", async () => {
      const { generate, ran, verdicts } = answering(["Here is it: 3", '{"sum":"three"}', '{"sum":3}'])
      const { object, providerMetadata } = await generate()
      assert.deepStrictEqual(object, { sum: 3 })
      assert.lengthOf(ran, 3)
      const [first, second, third] = stage.service.asked
      assert.isEmpty(first?.attempts ?? [])
      assert.deepStrictEqual(second?.attempts?.map(({ model_id, outcome, evidence_source }) => [model_id, outcome, evidence_source]),
        [[ran[0], "failure", "gate"]])
      assert.deepStrictEqual(third?.attempts?.map(({ model_id }) => model_id), ran.slice(0, 2))
      assert.deepStrictEqual(await verdicts(), third?.attempts?.map((one) => [one.recommendation_id, one.model_id, "failure"]))
      assert.deepInclude(providerMetadata?.sextant, { modelId: ran[2] ?? "", source: "service", failedModelIds: ran.slice(0, 2) })
      // A dear model may be worth a second try more than a cheap one its first.
      const ids = [...third?.attempts ?? [], providerMetadata?.sextant].map((one: any) => one.recommendation_id ?? one.recommendationId)
      assert.deepStrictEqual(await Promise.all(ids.map(namedBy)), ran)
      assert.isTrue(stage.service.reports.every(({ answer }) => answer.accepted))
    })

    it("ends with the SDK's own error when no attempt is left", async () => {
      for (const [maxAttempts, runs, reported] of [[2, 2, 2], [1, 1, 1], [0, 1, 0]] as const) {
        stage.service.reports.length = 0
        const { generate, ran, verdicts } = answering([], { maxAttempts })
        assert.strictEqual(await failureOf(generate()), "AI_NoObjectGeneratedError")
        assert.lengthOf(ran, runs)
        assert.lengthOf(await verdicts(), reported)
      }
    })

    it("goes on by the answer in hand when the service goes down, none twice", async () => {
      const { generate, ran } = answering([], { maxAttempts: 9 }, () => stage.service.set("down"))
      assert.strictEqual(await failureOf(generate()), "AI_NoObjectGeneratedError")
      assert.sameMembers(ran, ["cheap", "middle", "dear"])
    })

    it("runs nothing else in shadow, or after an abort", async () => {
      const inShadow = answering([], { shadow: true })
      assert.strictEqual(await failureOf(inShadow.generate()), "AI_NoObjectGeneratedError")
      assert.deepStrictEqual(inShadow.ran, ["dear"])
      const controller = new AbortController()
      const aborted = answering([], {}, () => controller.abort())
      assert.isNotNull(await failureOf(aborted.generate({ abortSignal: controller.signal })))
      assert.lengthOf(aborted.ran, 1)
    })
  })

  it("reports a stream whose object fails its schema, which its reader has read", async () => {
    for (const [answer, verdict] of [['{"sum":"x"}', 1], ['{"sum":3}', 0]] as const) {
      stage.service.reports.length = 0
      const { model, ran, verdicts } = answering([answer])
      const result = sdk.ai.streamObject({ model, prompt, schema: sdk.ai.jsonSchema(schema), onError: () => {} })
      result.object.then(() => {}, () => {})
      for await (const _ of result.partialObjectStream);
      assert.lengthOf(ran, 1)
      assert.lengthOf(await verdicts(), verdict)
    }
  })
})

describe("an answer", () => {
  const format = (of: object): CallOptions["responseFormat"] => ({ type: "json", schema: of })
  const list = { type: "object", properties: { elements: { type: "array", items: { $ref: "#/definitions/x", type: "string" } } } }
  const either = { anyOf: [{ type: "null" }, { type: "string", enum: ["a", "b"] }] }
  const cases: ReadonlyArray<readonly [string, object, string, boolean]> = [
    ["of another type", { type: "object" }, "[]", true],
    ["without a required field", schema, "{}", true],
    ["with a field more than the schema names", { ...schema, additionalProperties: false }, '{"sum":1,"x":2}', false],
    ["whose number is an integer's", { type: "integer" }, "1.5", false],
    ["with an element of another type", list, '{"elements":["a",1]}', true],
    ["whose elements fit", list, '{"elements":["a"]}', false],
    ["of the first alternative", either, "null", false],
    ["of no alternative", either, '"c"', true],
    ["of one of several types", { type: ["string", "null"] }, "null", false],
    ["that is a constant", { const: "a" }, '"b"', true],
    ["of a schema that allows nothing", { properties: { a: false } }, '{"a":1}', true],
    ["of a schema that says nothing", {}, "1", false],
    ["of a schema that is none", { type: 7, required: "x", anyOf: 3 }, "1", true],
    ["that is cut off", {}, '{"a":', true]
  ]
  for (const [name, of, answer, isWrong] of cases) {
    it(`${name} is ${isWrong ? "a" : "no"} failed gate`, () => {
      assert.strictEqual(isMisfit(format(of), { unified: "stop" }, answer), isWrong)
    })
  }
  it("is none where no JSON was asked for, or no answer is due", () => {
    assert.isFalse(isMisfit({ type: "text" }, { unified: "stop" }, "x"))
    assert.isFalse(isMisfit(undefined, { unified: "stop" }, "x"))
    for (const unified of ["tool-calls", "error", "content-filter"]) assert.isFalse(isMisfit(format({}), { unified }, ""))
  })
})
