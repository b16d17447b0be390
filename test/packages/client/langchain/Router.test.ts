// LangChain's createAgent with the router as a middleware, on the real service and a provider that speaks chat completions.
import { assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { BudgetExhausted } from "../../../../packages/client/src/index.ts"
import { textOf, usage } from "../support/FakeProvider.ts"
import { declareFaults, type Over, ran, task as prompt, type Way } from "../support/Faults.ts"
import { onEachVersion } from "../support/Peers.ts"
import { exhaustedBudget, models as ids } from "../support/RealService.ts"
import { keeping, staged } from "../support/Stage.ts"
import { type Agent, type Config, type Framework, loadFramework, type Message, type Models, routerOf } from "./Agent.ts"

const input = { messages: [{ role: "user", content: prompt }] }

const stage = staged()
const keep = keeping()

onEachVersion("langchain", (peers) => {
  let framework: Framework
  let models: Models
  beforeAll(async () => {
    framework = await loadFramework(peers)
  })
  beforeEach(() => {
    const model = (id: string) => framework.chatModel(stage.provider, id)
    models = { cheap: model("cheap"), middle: model("middle"), dear: model("dear") }
  })

  const router = (over: Parameters<typeof routerOf>[2] = {}) => keep(routerOf(stage.service, models, over))
  const agentOf = (middleware: ReadonlyArray<object>, over: object = {}): Agent =>
    framework.createAgent({ model: models.dear, tools: [], middleware, ...over })
  const lastOf = async (agent: Agent, config?: Config): Promise<Message> => {
    const { messages } = await agent.invoke(input, config)
    const last = messages.at(-1)
    if (last === undefined) throw new Error("no message")
    return last
  }
  const saidOf = (message: Message) => {
    const said = message.response_metadata.sextant
    if (said === undefined) throw new Error("no metadata")
    return said
  }
  /** What was reported on a recommendation: model, outcome and cause, sorted. */
  const reportedOf = async (recommendationId: string | null, count: number) => {
    const reports = await stage.service.reported(recommendationId, count)
    return reports.map(({ sent }) => [sent.chosen_model_id, sent.outcome, sent.error_cause ?? ""].join(" ")).sort()
  }
  /** The error that the framework's own, one of each layer, stand around. */
  const causeOf = (error: unknown): unknown => Object(error).cause === undefined ? error : causeOf(Object(error).cause)

  const newWay = (over: Over = {}): Way => {
    const made = router(over)
    const agent = agentOf([made])
    const routedOf = (message: Message | undefined) => {
      const { model_id: modelId, recommendation_id: recommendationId, ...said } = saidOf(message ?? assert.fail("no message"))
      return { ...said, modelId: modelId ?? "", recommendationId }
    }
    return {
      sextant: made.sextant,
      whole: async (config) => {
        const answer = await agent.invoke(input, config).catch((error: unknown) => Promise.reject(causeOf(error)))
        const message = answer.messages.at(-1)
        return { answer, text: message?.text ?? "", routed: routedOf(message) }
      },
      stream: async (config) => {
        let last: Message | undefined
        const texts = async function*() {
          try {
            for await (const [mode, data] of await agent.stream(input, { ...config, streamMode: ["messages", "values"] })) {
              if (mode === "messages") yield data[0].text
              else last = data.messages.at(-1)
            }
          } catch (error) {
            throw causeOf(error)
          }
        }
        return { texts: texts(), routed: () => routedOf(last) }
      }
    }
  }
  declareFaults(stage, newWay, { reported: { reasoning_tokens: usage.reasoning } })

  /** The pick of the service for the prompt. */
  const pickOf = async () => {
    const made = router()
    const pick = saidOf(await lastOf(agentOf([made]))).model_id ?? ""
    await made.sextant.flush()
    stage.provider.reset()
    stage.service.asked.length = stage.service.reports.length = 0
    return pick
  }

  describe("an agent's invoke", () => {
    it("asks about the user's last message, its size and the step", async () => {
      await lastOf(agentOf([router()]))
      const [asked] = stage.service.asked
      assert.deepInclude(asked?.task, { task: prompt, expected_input_tokens: Math.ceil(prompt.length / 4), tags: ["step:0"] })
    })

    it("says what the caller knows better, and goes on if the caller's function throws", async () => {
      const said = { task: { task: "Sum", task_type: "code", tags: ["a"] }, request: { user_id: "u1" } } as const
      await lastOf(agentOf([router({ ask: () => said })]))
      assert.deepInclude(stage.service.asked[0]?.task, { task: "Sum", task_type: "code", tags: ["a"] })
      assert.strictEqual(stage.service.asked[0]?.user_id, "u1")
      const message = await lastOf(agentOf([router({
        ask: () => {
          throw new Error("the caller's")
        }
      })]))
      assert.strictEqual(saidOf(message).source, "service")
      assert.strictEqual(stage.service.asked[1]?.task.task, prompt)
    })

    it("takes the thread as the conversation, and keeps the id in its checkpoint", async () => {
      const made = router()
      const agent = agentOf([made], { checkpointer: new framework.MemorySaver() })
      const config = { configurable: { thread_id: "t1" } }
      const first = saidOf(await lastOf(agent, config))
      const { messages } = await agent.invoke(input, config)
      assert.lengthOf(messages, 4)
      assert.notProperty(stage.service.asked[0], "incumbent_model_id")
      assert.strictEqual(stage.service.asked[1]?.incumbent_model_id, first.model_id)
      const [, restored] = messages
      assert.deepStrictEqual(restored?.response_metadata.sextant, first)
      await lastOf(agent, { configurable: { thread_id: "t2" } })
      assert.notProperty(stage.service.asked[2], "incumbent_model_id")
    })

    it("asks for each step of a tool loop, with the model of the step before as the incumbent", async () => {
      for (const id of ids) stage.provider.set(id, "tool")
      let calls = 0
      const tool = framework.tool(() => {
        calls++
        return "42"
      }, { name: "look", description: "Looks", schema: framework.z.object({}) })
      const { messages } = await agentOf([router()], { tools: [tool] }).invoke(input)
      assert.deepStrictEqual(messages.map(({ type }) => type), ["human", "ai", "tool", "ai"])
      assert.strictEqual(calls, 1)
      assert.deepStrictEqual(stage.service.asked.map(({ task }) => task.tags), [["step:0"], ["step:1"]])
      const [, first, , last] = messages
      assert.strictEqual(stage.service.asked[1]?.incumbent_model_id, first?.response_metadata.sextant?.model_id)
      for (const one of [first, last]) {
        const said = saidOf(one as Message)
        assert.deepStrictEqual(await reportedOf(said.recommendation_id, 1), [`${said.model_id} success `])
      }
    })

    it("gives a structured response", async () => {
      for (const id of ids) stage.provider.set(id, "tool")
      const { messages, structuredResponse } = await agentOf([], {
        responseFormat: framework.z.object({})
      }).invoke(input)
      // Versions differ in whether a middleware may see a structured response at all; the router changes nothing of it.
      const routed = await agentOf([router()], { responseFormat: framework.z.object({}) }).invoke(input)
        .catch((error: unknown) => error)
      const plain = await agentOf([framework.createMiddleware({
        name: "plain", wrapModelCall: (request: unknown, handler: (request: unknown) => unknown) => handler(request)
      })], { responseFormat: framework.z.object({}) }).invoke(input).catch((error: unknown) => error)
      assert.isAbove(messages.length, 1)
      assert.deepStrictEqual(structuredResponse, {})
      assert.strictEqual(routed instanceof Error, plain instanceof Error)
      if (!(routed instanceof Error)) assert.deepInclude(routed, { structuredResponse: {} })
    })
  })

  describe("an agent's stream", () => {
    it("is reported once when its reader leaves it: as partial, but in 1.0, which reads to the end", async () => {
      for (const id of ids) stage.provider.set(id, "slow")
      for await (const _ of await agentOf([router()]).stream(input, { streamMode: "messages" })) break
      for (let tries = 0; tries < 500 && stage.service.reports.length === 0; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      assert.deepStrictEqual(stage.service.reports.map(({ sent }) => sent.outcome), [peers.version === "1.0" ? "success" : "partial"])
    })

    it("goes on with the next model when a stream breaks", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, "broken")
      const made = router()
      const states: Array<unknown> = []
      for await (const state of await agentOf([made]).stream(input, { streamMode: "values" })) states.push(state)
      for await (const _ of await agentOf([made]).stream(input, { streamMode: "messages" })) { /* reads on */ }
      await made.sextant.flush()
      assert.isAbove(states.length, 1)
      const failed = stage.service.reports.filter(({ sent }) => sent.outcome === "failure")
      assert.isNotEmpty(failed)
      assert.deepStrictEqual([...new Set(failed.map(({ sent }) => `${sent.chosen_model_id} ${sent.error_cause}`))], [`${pick} infra`])
    })
  })

  it("of an exhausted budget ends the step with BudgetExhausted, and no model runs", async () => {
    stage.service.set(exhaustedBudget)
    const spare = framework.modelFallbackMiddleware(framework.chatModel(stage.provider, "spare"))
    for (const layers of [[router()], [spare, router()], [router(), spare]]) {
      const error = await lastOf(agentOf(layers)).catch((one) => one)
      assert.strictEqual(error.name, "BudgetExhausted")
      assert.instanceOf(causeOf(error), BudgetExhausted)
    }
    assert.isEmpty(ran(stage))
  })

  describe("the framework's own fallback", () => {
    const spare = () => framework.chatModel(stage.provider, "spare")

    it("outside the router is obeyed when all models of the router are out, and reported about", async () => {
      for (const id of ids) stage.provider.set(id, 500)
      const message = await lastOf(agentOf([framework.modelFallbackMiddleware(spare()), router()]))
      assert.strictEqual(message.text, textOf("spare"))
      const said = saidOf(message)
      assert.strictEqual(said.model_id, "spare")
      assert.lengthOf(stage.service.asked, 1)
      const outages = ran(stage).slice(0, -1)
      assert.deepStrictEqual(await reportedOf(said.recommendation_id, outages.length + 1), [
        ...outages.map((id) => `${id} failure infra`), "spare success "
      ].sort())
    })

    it("outside the router hands in a model of the router's, which is not overwritten by the pick", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 400)
      const other = ids.find((id) => id !== pick && id !== "dear") ?? "middle"
      const message = await lastOf(agentOf([framework.modelFallbackMiddleware(models[other]), router()]))
      assert.deepStrictEqual(ran(stage), [pick, other])
      assert.strictEqual(saidOf(message).model_id, other)
      assert.deepStrictEqual(await reportedOf(saidOf(message).recommendation_id, 1), [`${other} success `])
    })

    it("inside the router answers, and pick and fallback are each reported as what they were", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 500)
      const message = await lastOf(agentOf([router(), framework.modelFallbackMiddleware(spare())]))
      assert.strictEqual(message.text, textOf("spare"))
      assert.deepStrictEqual(ran(stage), [pick, "spare"])
      assert.strictEqual(saidOf(message).model_id, "spare")
      assert.deepStrictEqual(await reportedOf(saidOf(message).recommendation_id, 2), [`${pick} failure infra`, "spare success "].sort())
    })

    it("inside the router that fails too is followed by the router's next model", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 500)
      stage.provider.set("spare", 500)
      const message = await lastOf(agentOf([router(), framework.modelFallbackMiddleware(spare())]))
      assert.deepStrictEqual(ran(stage).slice(0, 2), [pick, "spare"])
      assert.lengthOf(ran(stage), 3)
      assert.strictEqual(saidOf(message).model_id, ran(stage)[2])
    })

    it("works with the service down, in either order", async () => {
      stage.service.set("down")
      stage.provider.set("dear", 500)
      for (const order of [0, 1]) {
        const layers = [router(), framework.modelFallbackMiddleware(spare())]
        const message = await lastOf(agentOf(order === 0 ? layers : layers.reverse()))
        assert.strictEqual(message.text, textOf("spare"))
        assert.deepInclude(saidOf(message), { recommendation_id: null, model_id: "spare" })
      }
    })

    it("streams the fallback's answer, in either order", async () => {
      for (const id of ids) stage.provider.set(id, 500)
      for (const order of [0, 1]) {
        const layers = [router(), framework.modelFallbackMiddleware(spare())]
        const texts: Array<string> = []
        const parts = await agentOf(order === 0 ? layers : layers.reverse()).stream(input, { streamMode: "messages" })
        for await (const [chunk] of parts) texts.push(chunk.text)
        assert.strictEqual(texts.join(""), textOf("spare"))
      }
    })
  })

  describe("an error whose name says that the answer is wrong", () => {
    class TestsFailed extends Error {
      override readonly name = "TestsFailed"
    }
    const gateErrors = ["TestsFailed"]
    /** A layer that lets so many answers fail. */
    const checking = (failures: number, make = (): Error => new TestsFailed("2 of 3")) => {
      let left = failures
      return framework.createMiddleware({
        name: "checking",
        wrapModelCall: async (request: object, handler: (request: object) => unknown) => {
          const answer = await handler(request)
          if (left-- > 0) throw make()
          return answer
        }
      })
    }
    const verdicts = async (made: ReturnType<typeof router>) => {
      await made.sextant.flush()
      return stage.service.reports.filter(({ sent }) => sent.evidence_source === "gate")
        .map(({ sent }) => `${sent.chosen_model_id} ${sent.outcome} ${sent.notes}`)
    }
    const failureOf = (promise: Promise<unknown>) => promise.then(() => null, ({ name }: Error) => name)

    it("is a failed gate, after which the model runs that the service names then", async () => {
      const made = router({ gateErrors })
      const said = saidOf(await lastOf(agentOf([made, checking(2)])))
      const asked = ran(stage)
      assert.lengthOf(new Set(asked), 3)
      assert.strictEqual(said.model_id, asked[2])
      assert.deepStrictEqual(await verdicts(made), asked.slice(0, 2).map((id) => `${id} failure TestsFailed`))
      assert.deepStrictEqual(stage.service.asked.map(({ attempts }) => attempts?.map(({ model_id }) => model_id) ?? []),
        [[], asked.slice(0, 1), asked.slice(0, 2)])
    })

    it("reaches the program when no attempt is left, and while the service is out after the plan's", async () => {
      const made = router({ gateErrors, maxAttempts: 2 })
      assert.strictEqual(await failureOf(lastOf(agentOf([made, checking(9)]))), "TestsFailed")
      assert.lengthOf(ran(stage), 2)
      stage.provider.reset()
      const down = router({ gateErrors, maxAttempts: 9, onDefault: () => {} })
      const fails = checking(9, () => {
        stage.service.set("down")
        return new TestsFailed("x")
      })
      assert.strictEqual(await failureOf(lastOf(agentOf([down, fails]))), "TestsFailed")
      assert.sameMembers([...ran(stage)], ["cheap", "middle", "dear"])
    })

    it("is also LangChain's own of an answer that does not fit its schema, without being named", async () => {
      const made = router()
      const parsing = checking(1, () => Object.assign(new Error("x"), { name: "StructuredOutputParsingError" }))
      await lastOf(agentOf([made, parsing]))
      const [first, second] = ran(stage)
      assert.notStrictEqual(first, second)
      assert.deepStrictEqual(await verdicts(made), [`${first} failure StructuredOutputParsingError`])
    })

    it("is the program's own under another name: nothing is reported, and nothing else runs", async () => {
      const made = router({ gateErrors: ["Other"] })
      assert.strictEqual(await failureOf(lastOf(agentOf([made, checking(1)]))), "TestsFailed")
      assert.lengthOf(ran(stage), 1)
      assert.isEmpty(await verdicts(made))
    })

    it("of a node in `gate` is reported once on its state's last answer, and in the next question", async () => {
      const made = router({ gateErrors })
      const agent = agentOf([made])
      const { messages } = await agent.invoke(input)
      const node = made.gate((_: { readonly messages: ReadonlyArray<Message> }): string => {
        throw new Error("wrapped", { cause: new TestsFailed("x") })
      })
      assert.strictEqual(await failureOf(node({ messages })), "Error")
      assert.strictEqual(await failureOf(node({ messages })), "Error")
      const [first = ""] = ran(stage)
      assert.deepStrictEqual(await verdicts(made), [`${first} failure Error`])
      await agent.invoke({ messages: messages as never })
      const said = messages.at(-1)?.response_metadata.sextant
      assert.deepStrictEqual(stage.service.asked.at(-1)?.attempts?.map(({ model_id, recommendation_id }) => [model_id, recommendation_id]),
        [[first, said?.recommendation_id]])
      assert.strictEqual(await made.gate((_: unknown, more: string) => more)({}, "passed"), "passed")
      assert.strictEqual(await failureOf(node(null as never)), "Error")
    })
  })

  describe("another middleware inside the router", () => {
    it("that hands in a model of its own is obeyed and reported about", async () => {
      const swap = framework.createMiddleware({
        name: "swap",
        wrapModelCall: (request: object, handler: (request: object) => unknown) =>
          handler({ ...request, model: framework.chatModel(stage.provider, "spare-2025-08-07") })
      })
      const message = await lastOf(agentOf([router(), swap]))
      assert.deepStrictEqual(ran(stage), ["spare-2025-08-07"])
      assert.strictEqual(saidOf(message).model_id, "spare-2025-08-07")
    })

    it("may be many: an outage of the pick is seen through all of them", async () => {
      const pick = await pickOf()
      stage.provider.set(pick, 500)
      const layers = Array.from({ length: 7 }, (_, i) => framework.createMiddleware({
        name: `layer${i}`, wrapModelCall: (request: unknown, handler: (request: unknown) => unknown) => handler(request)
      }))
      const said = saidOf(await lastOf(agentOf([router(), ...layers])))
      assert.deepStrictEqual(ran(stage), [pick, said.model_id ?? ""])
    })

    it("that fails with an outage of its own after the model answered ends the step", async () => {
      const guard = framework.createMiddleware({
        name: "guard",
        wrapModelCall: async (request: object, handler: (request: object) => unknown) => {
          await handler(request)
          throw Object.assign(new Error("the guard's"), { status: 503 })
        }
      })
      const error = await lastOf(agentOf([router(), guard])).then(() => null, (thrown: unknown) => thrown)
      assert.include(String(Object(error).message), "the guard's")
      assert.lengthOf(ran(stage), 1)
    })

    it("that calls the model twice is reported twice", async () => {
      const twice = framework.createMiddleware({
        name: "twice",
        wrapModelCall: async (request: object, handler: (request: object) => unknown) => {
          await handler(request)
          return handler(request)
        }
      })
      const said = saidOf(await lastOf(agentOf([router(), twice])))
      assert.deepStrictEqual(await reportedOf(said.recommendation_id, 2), Array(2).fill(`${said.model_id} success `))
    })
  })

  describe("a model of another kind", () => {
    const kinds: Readonly<Record<string, (id: string) => Promise<Models["dear"]>>> = {
      "that initChatModel makes": (id) =>
        framework.initChatModel(`openai:${id}`, {
          apiKey: "any", maxRetries: 0, configuration: { baseURL: `${stage.provider.url}/v1` }, configurableFields: ["temperature"]
        }),
      "that calls the responses API": async (id) => framework.chatModel(stage.provider, id, { useResponsesApi: true }),
      "that is frozen": async (id) => Object.freeze(framework.chatModel(stage.provider, id))
    }
    for (const [kind, make] of Object.entries(kinds)) {
      it(`${kind} is routed, streamed and reported, and followed by the next after an outage`, async () => {
        const [cheap, middle, dear] = await Promise.all([make("cheap"), make("middle"), make("dear")])
        if (cheap === undefined || middle === undefined || dear === undefined) throw new Error("no models")
        models = { cheap, middle, dear }
        const made = router()
        const agent = agentOf([made])
        const said = saidOf(await lastOf(agent))
        assert.deepStrictEqual(ran(stage), [said.model_id ?? ""])
        assert.deepStrictEqual(await reportedOf(said.recommendation_id, 1), [`${said.model_id} success `])
        const events: Array<string> = []
        for await (const { event } of agent.streamEvents(input, { version: "v2" })) events.push(event)
        assert.isAbove(events.filter((event) => event === "on_chat_model_stream").length, 1)
        stage.provider.reset()
        stage.provider.set(said.model_id ?? "", 500)
        const next = saidOf(await lastOf(agent))
        assert.notStrictEqual(next.model_id, said.model_id)
        assert.deepStrictEqual(ran(stage), [said.model_id ?? "", next.model_id ?? ""])
      })
    }
  })

  describe("one router", () => {
    it("serves several agents, runs at once, and an agent whose model is a name", async () => {
      const made = router()
      const agents = [agentOf([made]), agentOf([made], { model: models.middle }), agentOf([made], { model: "openai:any" })]
      process.env["OPENAI_API_KEY"] ??= "any"
      const said = (await Promise.all(agents.flatMap((agent) => [lastOf(agent), lastOf(agent)]))).map(saidOf)
      assert.lengthOf(new Set(said.map(({ recommendation_id }) => recommendation_id)), 6)
      assert.lengthOf(ran(stage), 6)
      for (const { model_id, recommendation_id, source } of said) {
        assert.strictEqual(source, "service")
        assert.deepStrictEqual(await reportedOf(recommendation_id, 1), [`${model_id} success `])
      }
    })

    it("also goes through the framework's createMiddleware", async () => {
      const message = await lastOf(agentOf([framework.createMiddleware(router())]))
      assert.strictEqual(saidOf(message).source, "service")
    })
  })

  describe("a router", () => {
    it("cannot be made without its models: the error names the one that is missing", () => {
      const make = (over: object) => () => routerOf(stage.service, models, over)
      assert.throws(make({ models: { ...models, cheap: undefined } }), TypeError, /"cheap"/)
      assert.throws(make({ models: { ...models, cheap: "openai:gpt-5" } }), TypeError, /"cheap"/)
      assert.throws(make({ defaultModelId: "gone" }), TypeError, /"gone"/)
      assert.throws(make({ defaultModelId: "constructor" }), TypeError, /"constructor"/)
      assert.throws(make({ apiKey: "" }), TypeError, /apiKey/)
    })
  })
})
