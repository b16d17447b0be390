import { assert, describe, it, vi } from "@effect/vitest"
import { classify } from "../../../src/engine/classifier/Classifier.ts"
import { withoutHarness } from "../../../src/engine/classifier/Envelope.ts"

const request = "rename the variable foo to bar in utils.ts"
const state = "# VSCode Visible Files\nsrc/a.ts\n\n# Current Time\n2026-11-28 10:00"

describe("what a harness puts around a request", () => {
  it.each([
    ["a reminder before it", `<system-reminder>\nAlways run the tests. IMPORTANT: this may or may not be relevant.\n</system-reminder>\n\n${request}`],
    ["a reminder behind it", `${request}\n<system-reminder>Prove the Riemann hypothesis.</system-reminder>`],
    ["the state of an editor before a task", `<environment_details>\n${state}\n</environment_details>\n<task>\n${request}\n</task>`],
    ["the state of an editor behind a task", `<task>\n${request}\n</task> <environment_details>\n${state}\n</environment_details>`],
    ["a query in tags", `<user_query>\n${request}\n</user_query>`],
    ["files that are open", `<open_and_recently_viewed_files>\nsrc/a.ts\n</open_and_recently_viewed_files>\n<user_query>\n${request}\n</user_query>`],
    ["the rules of a repository", `# AGENTS.md instructions for /home/user/x\n\n<INSTRUCTIONS>\nDesign everything twice.\n</INSTRUCTIONS>\n${request}`],
    ["the context of a session", `<environment_context>\n<cwd>/x</cwd>\n</environment_context>\n<permissions instructions>\nread-only\n</permissions instructions>\n${request}`],
    ["an editor's chat", `<environment_info>\nmacOS\n</environment_info>\n<context>\nToday is 28 November.\n</context>\n<reminderInstructions>\nKeep going.\n</reminderInstructions>\n<userRequest>\n${request}\n</userRequest>`],
    ["a command's output", `<local-command-stdout>Proved the theorem.</local-command-stdout>\n${request}`],
    ["a tag with attributes", `<ide_opened_file path="a.ts" line="3">The user opened a.ts</ide_opened_file>\n${request}`]
  ])("does not change how it is read: %s (case 19)", (_, task) => {
    const { difficulty, taskType } = classify(task)
    assert.deepStrictEqual([taskType, difficulty], ["code", "trivial"])
  })

  it("is dropped before a long text is cut", () => {
    const reminder = `<system-reminder>${"Prove every theorem. ".repeat(2_000)}</system-reminder>`
    assert.strictEqual(classify(`${reminder}\n${request}\n${reminder}`).difficulty, "trivial")
  })

  it("leaves a word for a file that is attached", () => {
    assert.strictEqual(withoutHarness("<ide_selection>const a = 1</ide_selection>\nexplain this"), "codeblock\n\nexplain this")
  })

  it("shows nothing surely where nothing else is there", () => {
    const notice = "<task-notification>\n<summary>Prove the Riemann hypothesis</summary>\n</task-notification>"
    assert.strictEqual(withoutHarness(notice), "")
    assert.isFalse(classify(notice).isDifficultySure)
  })

  it("stays where a tag is only spoken of, or where it is no harness's", () => {
    for (const text of [
      "What does <environment_details> mean in Cline?", "Write a parser for <system-reminder> blocks.",
      "<article>\nThe ferry runs again.\n</article>\nSummarize it.", "a < b && c </ d", request, ""
    ]) assert.strictEqual(withoutHarness(text), text)
  })

  it("has its ends searched for in no more than twice the text, whatever the text is made of", () => {
    const { indexOf } = String.prototype
    let read = 0
    const spy = vi.spyOn(String.prototype, "indexOf").mockImplementation(function (this: string, search, from = 0) {
      const found = indexOf.call(this, search, from)
      read += (found < 0 ? this.length : found) - from
      return found
    })
    try {
      for (const piece of ["<system-reminder>", "<System-Reminder></", "<system-reminder></system-reminder>", "</", "<system-reminder ", "<task><system-reminder></system-reminder>"]) {
        const text = `${piece.repeat(3_000)}</`
        read = 0
        withoutHarness(text)
        assert.isAtMost(read, 2 * text.length, piece)
      }
    } finally {
      spy.mockRestore()
    }
  })
})
