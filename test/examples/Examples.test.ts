// All examples but the backtest, driven on one stage: with everything up, with the service down, and what is their own.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { runPython, withPython } from "../clients/python.ts"
import { textOf } from "../packages/client/support/FakeProvider.ts"
import { onNewestVersion } from "../packages/client/support/Peers.ts"
import { models } from "../packages/client/support/RealService.ts"
import { driving } from "./drive.ts"
import { environmentOf, exampleNames, folderOf, linkPackages } from "./world.ts"

const { drive, linesOf, ran, verdicts, world } = driving()

/** Declares that an example goes on with another model after its first pick's provider has this fault. */
const driveOutage = (name: string, status: number): void => {
  it(`${name} goes on with another model when a provider is out, and reports the outage`, async () => {
    linkPackages(name)
    await linesOf(name)
    const [pick = ""] = ran()
    world.provider.reset()
    world.service.reports.length = 0
    world.provider.set(pick, status)
    const [first = ""] = await linesOf(name)
    assert.match(first, /hello from \w+$/)
    assert.notInclude(first, textOf(pick))
    const outages = world.service.reports.filter(({ sent }) => sent.error_cause === "infra")
    assert.deepStrictEqual(outages.map(({ sent }) => sent.chosen_model_id), [pick])
  })
}

/** The second question names the model of the first as the incumbent. */
const keepsItsConversation = (): void => {
  const [first, second] = world.service.asked
  assert.isUndefined(first?.incumbent_model_id)
  assert.strictEqual(second?.incumbent_model_id, ran()[0])
}

onNewestVersion("ai-sdk", () => {
  const turn = [textOf("cheap"), "  (cheap, named by the default: unreachable)"]
  drive("ai-sdk-chat", {
    reports: ["success none", "success human", "success none"],
    up: ([first = "", named = "", thanks]) => {
      assert.match(named, /^ {2}\((\w+), named by the service\)$/)
      assert.include(named, first.replace("hello from ", ""))
      assert.strictEqual(thanks, "  (thank you)")
      keepsItsConversation()
    },
    down: [...turn, "  (nothing to score)", ...turn, "reports lost: 0"]
  })
})

onNewestVersion("langchain", () => {
  const turn = [textOf("cheap"), "  (cheap, named by the default: unreachable; nothing to score)"]
  drive("langchain", {
    reports: ["success none", "success gate", "success none", "success gate"],
    up: ([first = "", named = ""]) => {
      assert.match(named, /^ {2}\((\w+), named by the service; its check is reported\)$/)
      assert.include(named, first.replace("hello from ", ""))
      keepsItsConversation()
    },
    down: [...turn, ...turn, "reports lost: 0"]
  })
  driveOutage("langchain", 500)
})

onNewestVersion("mastra", () => {
  drive("mastra", {
    reports: ["success none", "success gate", "success none", "success gate"],
    up: ([first = ""]) => {
      assert.match(first, /^service (\w+): hello from \1$/)
      assert.isTrue(world.service.asked.every(({ namespace }) => namespace === "greetings"))
    },
    down: ["default cheap: hello from cheap", "default cheap: hello from cheap", "reports lost: 0"]
  })
})

onNewestVersion("openai-agents", () => {
  const turn = "  (cheap, named by the default: unreachable)"
  drive("openai-agents", {
    reports: ["success none", "success none", "success gate"],
    up: (lines) => {
      const [first = "", second] = ran()
      assert.strictEqual(first, second)
      const named = `  (${first}, named by the service)`
      assert.deepStrictEqual(lines, [textOf(first), named, named, "  (scored)", "reports lost: 0"])
    },
    down: [textOf("cheap"), turn, turn, "  (nothing to score)", "reports lost: 0"]
  })
})

onNewestVersion("openai", () => {
  // The tests of the loop's work are the gate of each round; a model whose code failed is no candidate of the next.
  drive("openai-agent-loop", {
    up: (lines) => {
      assert.strictEqual(lines.at(-1), "done, reports lost: 0")
      const rounds = lines.slice(0, -1).map((line) => line.split(" ")[0] ?? "")
      assert.deepStrictEqual(ran(), rounds)
      assert.deepStrictEqual(
        verdicts().map(({ sent }) => [sent.chosen_model_id, sent.quality_score]).sort(),
        rounds.map((id) => [id, id === "middle" ? 0 : 1]).sort()
      )
      assert.deepStrictEqual(
        world.service.asked.map(({ constraints }) => constraints?.candidate_models),
        rounds.map((_, i) => models.filter((id) => !rounds.slice(0, i).includes(id)))
      )
    },
    down: ["cheap (named by the default: unreachable): the tests pass", "done, reports lost: 0"]
  })
})

describe("on a service that has learned nothing before", () => {
  const { drive, ran, verdicts, world } = driving()

  // The gate hands the invoice on until its schema is met, and the judge's verdicts arrive without a word of the answers.
  drive("verdicts", {
    reports: [
      "success none", "success none", "success none", "success none", "failure gate", "success gate", "success judge",
      "success judge"
    ],
    up: (lines) => {
      assert.deepStrictEqual(lines.slice(0, 3), [
        "gate: middle fails", "gate: dear passes", `result: {"total": 120, "currency": "EUR"}`
      ])
      assert.match(lines.at(-1) ?? "", /^judged: 2, for \$0\.\d+, reports lost: 0$/)
      assert.lengthOf(lines.filter((line) => /^judge: \w+ 0\.9$/.test(line)), 2)
      assert.deepStrictEqual(world.service.asked[0]?.verification, { kind: "gate", pass_wrong: 0.1, fail_right: 0 })
      assert.deepStrictEqual(verdicts().map(({ sent }) => `${sent.evidence_source} ${sent.outcome}`), [
        "gate failure", "gate success", "judge success", "judge success"
      ])
      assert.isTrue(world.service.reports.every(({ answer }) => answer.warnings?.length === 0))
      assert.notMatch(JSON.stringify(world.service.reports.map(({ sent }) => sent)), /EUR|SCORE|does what was asked/)
      // No bill of the judge is in a report.
      assert.isTrue(verdicts().every(({ sent }) => sent.actual_cost_usd === undefined))
    },
    down: (lines) => {
      assert.deepStrictEqual(lines.filter((line) => !line.startsWith("answer:")), [
        "gate: cheap fails", "no result: no_model", "judged: 0, for $0, reports lost: 0"
      ])
      assert.notInclude(ran(), "judge")
    }
  })
})

describe("on another service that has learned nothing before", () => {
  const { drive, linesOf, verdicts, world } = driving()

  // Each model that fails hands the test on to a better one, which is told of it, until the test passes.
  drive("verify-and-escalate", {
    reports: ["success none", "success none", "success none", "failure gate", "failure gate", "success gate"],
    up: (lines) => {
      assert.deepStrictEqual(lines.slice(0, 3), [
        "cheap: the test fails", "middle: the test fails", "dear: the test passes"
      ])
      assert.match(lines[3] ?? "", /^fixed by dear, attempts: 3, cost: \$0\.\d+$/)
      assert.deepStrictEqual(
        world.provider.asked.map(({ body: { messages } }) => (messages as ReadonlyArray<unknown>).length), [1, 3, 5]
      )
      assert.deepStrictEqual(
        verdicts().map(({ sent }) => [sent.chosen_model_id, sent.outcome]),
        [["cheap", "failure"], ["middle", "failure"], ["dear", "success"]]
      )
      assert.deepStrictEqual(
        world.service.asked.map(({ attempts }) => attempts?.map(({ recommendation_id }) => recommendation_id)),
        [0, 1, 2].map((count) => verdicts().slice(0, count).map(({ sent }) => sent.recommendation_id))
      )
    },
    down: ["cheap: the test fails", "not fixed: no_model, attempts: 1, cost: not known", "reports lost: 0"]
  })

  it("verify-and-escalate makes no attempt of a provider that is out: another model makes it", async () => {
    world.provider.set("middle", 503)
    const lines = await linesOf("verify-and-escalate")
    assert.strictEqual(lines.at(-3), "dear: the test passes")
    assert.isFalse(lines.some((line) => line.startsWith("middle")))
  })
})

drive("coding-agents", {
  reports: ["success gate"],
  up: (lines) => {
    assert.match(lines[0] ?? "", /^subagent: (haiku|sonnet|opus), effort as it is$/)
    assert.include(lines, "Asked in seven days: 1; reported: 1")
    assert.strictEqual(world.service.reports[0]?.sent.chosen_model_id, "claude-opus-5-5")
    const sent = JSON.stringify(world.service.reports.map((report) => report.sent))
    assert.notMatch(sent, /npm test|1 passed|a7ca9c2b/)
  },
  down: (lines) => {
    assert.strictEqual(lines[0], "subagent: as Claude Code would run it")
    assert.include(lines, "  1 times unreachable: nothing answers at the address")
  }
})

describe("every example", () => {
  const files = globSync("*/*.{mjs,py}", { cwd: folderOf("") }).filter((path) => !/test|stub/.test(path))
  const programs = files.filter((path) => !/demo\.py$|cart\.mjs$/.test(path))

  it("has under 60 lines, and begins with what one learns from it", () => {
    assert.isAbove(programs.length, exampleNames.length)
    for (const path of files) assert.isBelow(readFileSync(folderOf(path), "utf8").trimEnd().split("\n").length, 60, path)
    for (const path of programs) assert.match(readFileSync(folderOf(path), "utf8"), /^(\/\/ |""")You learn /, path)
  })

  it("is in the table of all, with its command", () => {
    const table = readFileSync(folderOf("README.md"), "utf8")
    for (const name of exampleNames) assert.include(table, `\`npm run example ${name}\``)
  })
})

withPython("the examples in Python", () => {
  drive("python-urllib", {
    reports: ["success gate", "success gate", "success none", "success none"],
    up: (lines) => {
      assert.match(lines[0] ?? "", /^service (\w+): hello from \1$/)
      keepsItsConversation()
      assert.isTrue(world.service.reports.every(({ sent }) =>
        sent.evidence_source === "gate" || (sent.input_tokens === 1_200 && sent.cached_input_tokens === 1_000)))
    },
    down: ["default cheap: hello from cheap", "default cheap: hello from cheap", "reports lost: 0"]
  })
  driveOutage("python-urllib", 429)

  for (const state of ["silent", 500] as const) {
    it(`python-urllib goes on with its default model when the service is ${state}`, async () => {
      world.service.set(state)
      assert.deepStrictEqual(await linesOf("python-urllib", { SEXTANT_DEADLINE_MS: "300" }), [
        "default cheap: hello from cheap", "default cheap: hello from cheap", "reports lost: 0"
      ])
    })
  }

  drive("litellm", {
    reports: ["success gate", "success none"],
    up: ([first = "", ...rest]) => {
      assert.match(first, /^auto: hello from proxy-\w+, to be scored: True$/)
      assert.deepStrictEqual(rest, ["proxy-cheap: hello from proxy-cheap, to be scored: False", "reports lost: 0"])
      assert.isTrue(world.service.reports.every(({ sent }) => !sent.chosen_model_id?.startsWith("proxy-")))
    },
    down: ([first]) => assert.strictEqual(first, "auto: hello from proxy-cheap, to be scored: False")
  })

  it("litellm obeys a fallback of the proxy: usage and verdict are on the model that ran", async () => {
    await linesOf("litellm")
    const picked = ran()[0] ?? ""
    world.provider.reset()
    world.service.reports.length = 0
    world.provider.set(picked, 503)
    const [first] = await linesOf("litellm")
    const other = ran().find((model) => model !== picked) ?? ""
    assert.include(first, textOf(other))
    assert.deepStrictEqual(
      world.service.reports.map(({ sent: { chosen_model_id: model, error_cause: cause, outcome } }) =>
        [`proxy-${model}`, outcome, cause ?? null]),
      [[picked, "failure", "infra"], [other, "success", null], [other, "success", null]]
    )
  })

  it.live("litellm's hook passes its own tests on a stand-in for the proxy", () =>
    Effect.map(
      runPython(["-m", "unittest"], {}, folderOf("litellm")),
      ({ code, stderr }) => {
        assert.strictEqual(code, 0, stderr)
        assert.match(stderr, /^Ran 1\d tests/m)
      }
    ), 60_000)

  // Checks are gates and rubrics are judgements; rows without a decision are left out.
  drive("promptfoo", {
    up: (lines) => {
      assert.strictEqual(lines.at(-1), "verdicts sent: 3, lost: 0, rows without one: 2")
      assert.deepStrictEqual(
        verdicts().map(({ sent }) => [sent.evidence_source, sent.outcome, sent.quality_score]),
        [["gate", "success", 1], ["judge", "success", 0.9], ["gate", "partial", 0.4]]
      )
    },
    down: (lines) => assert.match(lines.at(-1) ?? "", /^verdicts sent: 0, lost: 0/)
  })

  // Each score has the source that the command names.
  drive("braintrust", {
    up: (lines) => {
      assert.strictEqual(lines.at(-1), "verdicts sent: 4, lost: 0, rows without one: 2")
      assert.deepStrictEqual(
        world.service.reports.map(({ sent }) => [sent.evidence_source, sent.outcome, sent.quality_score, sent.notes]),
        [
          ["gate", "success", 1, "Braintrust: exact_match"], ["judge", "success", 0.9, "Braintrust: factuality"],
          ["gate", "failure", 0, "Braintrust: exact_match"], ["judge", "failure", 0.1, "Braintrust: factuality"]
        ]
      )
    },
    down: (lines) => assert.match(lines.at(-1) ?? "", /^verdicts sent: 0, lost: 0/)
  })

  for (const [name, file] of [["promptfoo", "results.json"], ["braintrust", "rows.jsonl"]] as const) {
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
