import { assert, it } from "@effect/vitest"
import { BadPrompt, digestOf, promptsOf } from "../../../packages/audition/src/Prompts.ts"

const read = (...lines: ReadonlyArray<string>) => promptsOf(lines.join("\n"), 10)

it("a line is a text, or an object with a prompt, a task or messages; blank lines are skipped", () => {
  const prompts = read(
    "\"Sort this list\"", "", "{\"prompt\": \"Add\", \"kind\": \"sums\", \"id\": 7}", "{\"task\": \"Translate\"}",
    "{\"messages\": [{\"role\": \"developer\", \"content\": \"Be brief\"}, {\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"Hello\"}]}]}\r"
  )
  assert.isNotTrue(prompts instanceof BadPrompt)
  if (prompts instanceof BadPrompt) return
  assert.deepStrictEqual(prompts.map(({ id }) => id), ["line-1", "7", "line-4", "line-5"])
  assert.deepStrictEqual(prompts[1], {
    id: "7", kind: "sums", messages: [{ role: "user", content: "Add" }], task: "Add", asked: "Add"
  })
  assert.deepStrictEqual(prompts[3]?.messages[0], { role: "system", content: "Be brief" })
  assert.strictEqual(prompts[3]?.task, "system: Be brief\n\nuser: Hello")
  assert.strictEqual(prompts[3]?.asked, "Hello")
})

for (
  const [line, detail] of [
    ["{\"prompt\": ", "expected a text"], ["{\"prompt\": \"\"}", "expected a text"], ["{\"text\": \"x\"}", "expected a text"],
    ["7", "expected a text"], ["null", "expected a text"], ["\"   \"", "the last message"],
    ["{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}, {\"role\": \"assistant\", \"content\": \"y\"}]}", "the last message"],
    ["{\"prompt\": \"x\", \"id\": \"line-1\"}", "its id came before"]
  ] as const
) {
  it(`the line ${line} is named by its number`, () => {
    const bad = read("\"fine\"", "", line)
    assert.instanceOf(bad, BadPrompt)
    if (bad instanceof BadPrompt) assert.include(bad.message, `line 3: ${detail}`)
  })
}

it("a file without a prompt and one with too many are refused", () => {
  for (const text of ["", "\n \n", Array.from({ length: 11 }, () => "\"x\"").join("\n")]) {
    assert.instanceOf(promptsOf(text, 10), BadPrompt)
  }
})

it("the digest differs for other words, another kind or another id", () => {
  const digests = ["\"a\"", "\"b\"", "{\"prompt\": \"a\", \"kind\": \"k\"}", "{\"prompt\": \"a\", \"id\": \"i\"}"].map((line) => {
    const prompts = read(line)
    return prompts instanceof BadPrompt ? "" : digestOf(prompts)
  })
  assert.strictEqual(new Set(digests).size, 4)
})
