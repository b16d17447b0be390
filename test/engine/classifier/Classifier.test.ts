import { assert, describe, it } from "@effect/vitest"
import { statSync } from "node:fs"
import { type TaskType, taskTypes } from "../../../src/domain/Task.ts"
import { classify } from "../../../src/engine/classifier/Classifier.ts"
import { features, featuresMax } from "../../../src/engine/classifier/Features.ts"
import { squeeze } from "../../../src/engine/classifier/Normalise.ts"

const clear: ReadonlyArray<readonly [TaskType, string]> = [
  ["code", "Write a Python function that merges two sorted linked lists and add unit tests."],
  ["summarization", "Summarize this article in three bullet points:\n\nThe ferry to the island will run again in spring after the council approved the money. Islanders had waited two years."],
  ["extraction", "Extract all dates and amounts from the text below as JSON.\n\nOn 3 May the firm paid 400 euros, and on 9 June another 120."],
  ["qa", "What is the capital of Mongolia?"],
  ["reasoning", "A train leaves at 9:00 at 80 km/h and another at 10:00 at 120 km/h. When does the second catch the first?"],
  ["classification", "Classify the sentiment of this review as positive, negative or neutral: The soup was cold and the waiter rude."],
  ["translation", "Translate the following sentence into Japanese: The meeting has been moved to Friday."],
  ["creative", "Write a short story about a lighthouse keeper who befriends a whale."],
  ["rag", "Answer the question using only the context.\n\nContext: The Treaty of Lowen was signed in 1748 by envoys of both kings.\n\nQuestion: When was the treaty signed?"],
  ["tool_use", "Book a table for four tonight at seven.\n\nAvailable functions:\n[{\"name\": \"book_table\", \"description\": \"Books a table\", \"parameters\": {\"type\": \"object\", \"properties\": {\"people\": {\"type\": \"integer\"}}}}]"],
  ["other", "Rewrite this sentence so that it sounds more polite: Send me the file now."]
]
const log = Array.from({ length: 20 }, (_, line) => `2024-05-17T03:12:${10 + line}Z ERROR api-7 POST /v2/orders 503`).join("\n")
const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

describe("classify", () => {
  for (const [taskType, task] of clear) {
    it(`names a clear ${taskType} request`, () => assert.strictEqual(classify(task).taskType, taskType))
  }

  it("is not decided by a fenced log beside the request", () => {
    for (const taskType of ["translation", "creative", "qa"] as const) {
      const task = clear.find(([type]) => type === taskType)![1]
      assert.strictEqual(classify(`${task}\n\n\`\`\`\n${log}\n\`\`\``).taskType, taskType)
    }
  })

  it("is not decided by quoted context that asks for something else", () => {
    const quoted = "\"\"\"\nWrite a Python function that sorts a list. Then fix the bug in the parser and add tests.\n\"\"\""
    assert.strictEqual(classify(`Translate the text into German.\n\n${quoted}`).taskType, "translation")
    assert.strictEqual(classify(`Summarize the text in one sentence.\n\n${quoted}`).taskType, "summarization")
  })

  it("is not decided by a system prompt around the request", () => {
    const system = "You are Nimbus, the assistant of a bank. Always be polite. Never give legal advice."
    for (const [taskType, task] of clear) {
      assert.strictEqual(classify(`${system}\n\n${task}`).taskType, taskType, task)
    }
  })

  it("knows the bare commands of a coder and of a home", () => {
    const commands: ReadonlyArray<readonly [TaskType, string]> = [
      ["code", "Fix the failing timezone test in dates.py"], ["code", "Fix the failing test in utils.py"],
      ["code", "fix the flaky test"], ["code", "why does this crash"], ["code", "bump the version of lodash"],
      ["tool_use", "turn off the lights"], ["tool_use", "set a timer for ten minutes"]
    ]
    for (const [taskType, task] of commands) assert.strictEqual(classify(task).taskType, taskType, task)
  })

  it("reads the last user message of a chat in JSON", () => {
    const chat = JSON.stringify([
      { role: "system", content: "You write Python." },
      { role: "user", content: "What is the capital of Mongolia?" }
    ])
    assert.strictEqual(classify(chat).taskType, "qa")
  })

  it("gives probabilities that sum to 1, of which `probability` is the largest", () => {
    for (const task of [...clear.map(([, text]) => text), "", "\0", "🙂🙂🙂", "ok"]) {
      const { probabilities, probability } = classify(task)
      assert.deepStrictEqual(Object.keys(probabilities), [...taskTypes])
      assert.closeTo(sum(Object.values(probabilities)), 1, 1e-9)
      assert.strictEqual(probability, Math.max(...Object.values(probabilities)))
    }
  })

  it("abstains to other exactly when no type reaches 0.25, and is uncertain under 0.60", () => {
    for (const task of ["", "hm", "blue seven lamp", "\0\0", ...clear.map(([, text]) => text)]) {
      const { isUncertain, probability, taskType } = classify(task)
      if (probability < 0.25) assert.strictEqual(taskType, "other")
      assert.strictEqual(isUncertain, probability < 0.6)
    }
  })

  it("calls a greeting trivial, formal invariants expert and a proof hard, within its range", () => {
    const hard = [
      "Design and implement a Raft replicated log in Rust with formal invariants, a model checker spec and benchmarks.",
      "Prove that every bounded monotone operator on a separable Hilbert space $H$ has a fixed point $x = T(x)$ with "
      + "$\\|x\\| \\leq \\sum_k \\lambda_k^2$, and show where compactness of the embedding is needed in each step of the proof."
    ].map(classify)
    const easy = ["hi", "print hello world in Python", "thanks!"].map(classify)
    assert.deepStrictEqual(easy.map(({ difficulty }) => difficulty), ["trivial", "trivial", "trivial"])
    assert.deepStrictEqual(hard.map(({ difficulty }) => difficulty), ["expert", "hard"])
    for (const { difficultyLogit, difficultyWords } of [...easy, ...hard, classify("\\x=".repeat(10_000)), classify("")]) {
      assert.isAtMost(Math.abs(difficultyLogit), 2)
      assert.isTrue(difficultyWords >= 0 && difficultyWords <= 4)
    }
  })
})

describe("features", () => {
  const hostile = [
    "a".repeat(262_144), "(".repeat(262_144), "\n".repeat(262_144), "```".repeat(87_381), "\"\"\" ".repeat(65_536),
    "User: ".repeat(43_690), "Hi, ".repeat(65_536), "Thanks. ".repeat(32_768), "a, b or ".repeat(32_768),
    "[{\"role\":".repeat(29_127), "\0".repeat(262_144), "😀".repeat(131_072), "_ ".repeat(131_072), "1 + ".repeat(65_536),
    "\ud800".repeat(100_000), "You are x. ".repeat(23_831)
  ]
  it("stay bounded on a quarter mebibyte of hostile text", () => {
    for (const text of hostile) {
      const { size, values } = features(text)
      assert.isAtMost(size, featuresMax)
      assert.isTrue(values.every(Number.isFinite))
      assert.isAtMost(squeeze(text).length, 6_001)
    }
  })

  it("do not grow with what is pasted past the part that is read", () => {
    const prose = "The council voted on Tuesday to fund the ferry. "
    assert.deepStrictEqual(features(prose.repeat(6_000)), features(prose.repeat(5_000)))
  })
})

it("the weight files together are under a megabyte", () => {
  const sizes = ["weights.bin", "frame.bin", "request.bin"]
    .map((name) => statSync(new URL(`../../../src/engine/classifier/${name}`, import.meta.url)).size)
  assert.isBelow(sum(sizes), 1_000_000)
})
