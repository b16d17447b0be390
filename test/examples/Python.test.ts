import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { runPython, withPython } from "../clients/python.ts"
import { type Stage, staged } from "../packages/client/support/Stage.ts"
import { environmentOf, folderOf, runExample } from "./world.ts"

/* The examples in Python, each run as its README says, with everything up and with something down. */

/** What the service got: outcome, source and model of each report, sorted. */
const reported = ({ service }: Stage): ReadonlyArray<string> =>
  service.reports.map(({ sent }) => `${sent.outcome} ${sent.evidence_source}`).sort()

const refusedReports = ({ service }: Stage) => service.reports.filter(({ answer }) => !answer.accepted)

withPython("the examples in Python", () => {
  const world = staged()

  /** Runs an example that must end well, and yields its lines. */
  const linesOf = async (name: string, over = {}): Promise<ReadonlyArray<string>> => {
    const { code, stderr, stdout } = await runExample(name, world, over)
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(refusedReports(world), [])
    return stdout.trimEnd().split("\n")
  }

  it("python-urllib runs the models that the service names, and reports usage and a verdict of each", async () => {
    const lines = await linesOf("python-urllib")
    assert.match(lines[0] ?? "", /^service (\w+): hello from \1$/)
    assert.strictEqual(lines.at(-1), "reports lost: 0")
    assert.deepStrictEqual(reported(world), ["success gate", "success gate", "success none", "success none"])
    assert.isTrue(world.service.reports.every(({ sent }) =>
      sent.evidence_source === "gate" || (sent.input_tokens === 1_200 && sent.cached_input_tokens === 1_000)))
  })

  it("python-urllib asks its second question with the model of the first as incumbent", async () => {
    await linesOf("python-urllib")
    const [first, second] = world.service.asked
    assert.isUndefined(first?.incumbent_model_id)
    assert.strictEqual(second?.incumbent_model_id, world.provider.asked[0]?.model)
  })

  it("python-urllib goes on when a provider is out: the next model answers, and the outage is reported", async () => {
    await linesOf("python-urllib")
    const model = world.provider.asked[0]?.model ?? ""
    world.provider.reset()
    world.service.reports.length = 0
    world.provider.set(model, 429)
    const [first] = await linesOf("python-urllib")
    assert.match(first ?? "", /: hello from \w+$/)
    assert.notInclude(first, `hello from ${model}`)
    const outages = world.service.reports.filter(({ sent }) => sent.error_cause === "infra")
    assert.deepStrictEqual(outages.map(({ sent }) => sent.chosen_model_id), [model])
  })

  for (const state of ["down", "silent", 500] as const) {
    it(`python-urllib goes on with its default model when the service is ${state}`, async () => {
      world.service.set(state)
      assert.deepStrictEqual(await linesOf("python-urllib", { SEXTANT_DEADLINE_MS: "300" }), [
        "default cheap: hello from cheap", "default cheap: hello from cheap", "reports lost: 0"
      ])
    })
  }

  it("litellm runs the model that the service names for auto, and passes other requests untouched", async () => {
    const lines = await linesOf("litellm")
    assert.match(lines[0] ?? "", /^auto: hello from proxy-\w+, to be scored: True$/)
    assert.deepStrictEqual(lines.slice(1), [
      "proxy-cheap: hello from proxy-cheap, to be scored: False", "reports lost: 0"
    ])
    assert.deepStrictEqual(reported(world), ["success gate", "success none"])
    assert.isTrue(world.service.reports.every(({ sent }) => !sent.chosen_model_id?.startsWith("proxy-")))
  })

  it("litellm obeys a fallback of the proxy: usage and verdict are on the model that ran", async () => {
    await linesOf("litellm")
    const picked = world.provider.asked[0]?.model ?? ""
    world.provider.reset()
    world.service.reports.length = 0
    world.provider.set(picked, 503)
    const [first] = await linesOf("litellm")
    const ran = world.provider.asked.map(({ model }) => model).find((model) => model !== picked) ?? ""
    assert.include(first, `hello from ${ran}`)
    assert.deepStrictEqual(
      world.service.reports.map(({ sent: { chosen_model_id: model, error_cause: cause, outcome } }) =>
        [`proxy-${model}`, outcome, cause ?? null]),
      [[picked, "failure", "infra"], [ran, "success", null], [ran, "success", null]]
    )
  })

  it("litellm runs the default model when the service is down", async () => {
    world.service.set("down")
    const [first] = await linesOf("litellm")
    assert.strictEqual(first, "auto: hello from proxy-cheap, to be scored: False")
  })

  it.live("litellm's hook passes its own tests on a stand-in for the proxy", () =>
    Effect.map(
      runPython(["-m", "unittest"], {}, folderOf("litellm")),
      ({ code, stderr }) => {
        assert.strictEqual(code, 0, stderr)
        assert.match(stderr, /^Ran 1\d tests/m)
      }
    ), 60_000)

  it("promptfoo reports checks as gates and rubrics as judgements, and leaves out rows without a decision", async () => {
    const lines = await linesOf("promptfoo")
    assert.strictEqual(lines.at(-1), "verdicts sent: 3, lost: 0, rows without one: 2")
    const verdicts = world.service.reports.filter(({ sent }) => sent.evidence_source !== "none")
    assert.deepStrictEqual(
      verdicts.map(({ sent }) => [sent.evidence_source, sent.outcome, sent.quality_score]),
      [["gate", "success", 1], ["judge", "success", 0.9], ["gate", "partial", 0.4]]
    )
  })

  it("braintrust reports each score with the source that its command names", async () => {
    const lines = await linesOf("braintrust")
    assert.strictEqual(lines.at(-1), "verdicts sent: 4, lost: 0, rows without one: 2")
    assert.deepStrictEqual(
      world.service.reports.map(({ sent }) => [sent.evidence_source, sent.outcome, sent.quality_score, sent.notes]),
      [
        ["gate", "success", 1, "Braintrust: exact_match"], ["judge", "success", 0.9, "Braintrust: factuality"],
        ["gate", "failure", 0, "Braintrust: exact_match"], ["judge", "failure", 0.1, "Braintrust: factuality"]
      ]
    )
  })

  for (const [name, file] of [["promptfoo", "results.json"], ["braintrust", "rows.jsonl"]] as const) {
    it(`${name} reports nothing and ends well when the service made no decision`, async () => {
      world.service.set(500)
      const lines = await linesOf(name)
      assert.match(lines.at(-1) ?? "", /^verdicts sent: 0, lost: 0/)
    })

    it.live(`${name}'s report ends with a failure when the service does not know a decision`, () =>
      Effect.map(runPython(["report.py", file], environmentOf(world), folderOf(name)), ({ code, stdout }) => {
        assert.strictEqual(code, 1)
        assert.match(stdout, /^verdicts sent: ([1-9]), lost: \1,/m)
      }), 60_000)
  }

  it.live("braintrust's report refuses a source that there is not", () =>
    Effect.map(
      runPython(["report.py", "rows.jsonl", "exact_match=rumour"], environmentOf(world), folderOf("braintrust")),
      ({ code, stderr }) => {
        assert.strictEqual(code, 1)
        assert.include(stderr, "exact_match=rumour is not")
      }
    ), 60_000)
})
