// Gates: what passes, what says nothing, what each says of its errors, and what hostile answers do to them.
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Check, type Gate, gates, type JsonSchema } from "../../../../packages/client/src/gates/index.ts"
import { createSextant } from "../../../../packages/client/src/index.ts"
import { runVerified } from "../../../../packages/client/src/verify/index.ts"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"
import { answerOf, scripted } from "../support/Scripted.ts"

interface Cases {
  readonly checked: ReadonlyArray<{ readonly schema: JsonSchema; readonly right: ReadonlyArray<string>; readonly wrong: ReadonlyArray<string> }>
  readonly refused: ReadonlyArray<JsonSchema>
}
/** What the gates of both clients are held to. */
const { checked, refused } = JSON.parse(readFileSync(new URL("schemas.json", import.meta.url), "utf8")) as Cases

const pass: Check = () => true
const fail: Check = () => false
const silent: Check = () => null
const errorsOf = ({ verification: { cost_usd, fail_right, pass_wrong } }: Gate) => [pass_wrong, fail_right, cost_usd]

describe("gates.json", () => {
  for (const { right, schema, wrong } of checked) {
    it(`tells right from wrong by ${JSON.stringify(schema)}`, async () => {
      const gate = gates.json(schema)
      for (const text of right) assert.isTrue(await gate(text), text)
      for (const text of wrong) assert.isFalse(await gate(text), text)
    })
  }

  it("agrees with ajv on every case that is JSON, __proto__ apart, which ajv takes for inherited", async () => {
    const ajv = new Ajv({ strict: false, strictNumbers: true, ownProperties: true, formats: { email: true } })
    for (const { right, schema, wrong } of checked.filter((one) => !JSON.stringify(one).includes("__proto__"))) {
      const { $schema: _, ...plain } = Object(schema)
      const validate = ajv.compile(typeof schema === "boolean" ? schema : plain)
      for (const text of [...right, ...wrong]) {
        assert.strictEqual(await gates.json(validate)(text), await gates.json(schema)(text), `${JSON.stringify(schema)} of ${text}`)
      }
    }
  })

  for (const schema of refused) {
    it(`refuses ${JSON.stringify(schema)} at once, and names the place`, () => {
      assert.throws(() => gates.json(schema), TypeError, /gates\.json: #\/.* is not read/)
    })
  }

  it("names the keyword that it does not read by its path", () => {
    const schema = { properties: { a: { items: { oneOf: [] } } } }
    assert.throws(() => gates.json(schema), /#\/properties\/a\/items\/oneOf is not read; give a validator/)
  })

  it("takes any validator of Standard Schema, synchronous or not; no issues is right", async () => {
    for (const wrap of [<A>(value: A) => value, <A>(value: A) => Promise.resolve(value)]) {
      class Standard {
        readonly "~standard" = {
          own: 5,
          validate(value: unknown) {
            return wrap(value === this.own ? { value } : { issues: [{ message: "other" }] })
          }
        }
      }
      const gate = gates.json(new Standard())
      assert.deepStrictEqual([await gate("5"), await gate("6"), await gate("five")], [true, false, false])
    }
  })

  it("rejects where a validator fails by itself, which a run then tells", async () => {
    const broken = gates.json(() => { throw new RangeError("mine") })
    const failure = await broken("1").catch((error: unknown) => error)
    assert.instanceOf(failure, RangeError)
  })

  it("says that no right answer fails, and not how often a wrong one fits, unless asked to", () => {
    assert.deepStrictEqual(gates.json(true).verification, { kind: "gate", pass_wrong: undefined, fail_right: 0, cost_usd: undefined })
    assert.deepStrictEqual(errorsOf(gates.json(true, { passWrong: 0.2, failRight: 0.01, costUsd: 0.001 })), [0.2, 0.01, 0.001])
  })

  it("bears a value that is nested 200,000 deep", async () => {
    const schema = { type: "object", properties: { a: { items: { type: "integer" } } }, additionalProperties: false }
    const deep = (open: string, close: string) => `${open.repeat(200_000)}1${close.repeat(200_000)}`
    assert.isFalse(await gates.json(schema)(deep("[", "]")))
    assert.isFalse(await gates.json(schema)(`{"a": ${deep("[", "]")}}`))
    assert.isTrue(await gates.json(schema)(deep("{\"a\":", "}")))
    assert.isFalse(await gates.json({ const: { a: [1] } })(deep("[", "]")))
    assert.isFalse(await gates.json(true)("[".repeat(200_000)))
  })

  it("takes nothing from a prototype, and leaves every prototype as it is", async () => {
    const text = "{\"__proto__\": {\"isAdmin\": true}, \"constructor\": {\"prototype\": {\"isAdmin\": true}}}"
    assert.isFalse(await gates.json({ required: ["isAdmin"] })(text))
    assert.isTrue(await gates.json({ properties: { isAdmin: false } })(text))
    assert.notProperty({}, "isAdmin")
  })
})

describe("a gate of a text", () => {
  const isYes = gates.matches(/^yes$/)
  const answers: Readonly<Record<string, unknown>> = {
    "a text": "yes",
    "the AI SDK": { text: "yes", toolCalls: [], content: [{ type: "text", text: "no" }] },
    "OpenAI's chat": { choices: [{ message: { content: "yes" } }, { message: { content: "no" } }] },
    "OpenAI's responses": { output_text: "yes", output: [] },
    "Anthropic": { content: [{ type: "thinking", thinking: "no" }, { type: "text", text: "y" }, { type: "text", text: "es" }] },
    "a message of LangChain": { content: "yes", tool_calls: [] },
    "parts of a message of LangChain": { content: [{ type: "text", text: "yes" }] },
    "an agent of LangChain": { messages: [{ content: "no" }, { content: "yes" }] },
    "work of the caller's": { text: "yes", usage: {} }
  }
  for (const [name, answer] of Object.entries(answers)) {
    it(`reads the answer of ${name}`, async () => assert.isTrue(await isYes(answer)))
  }

  it("says nothing of what has no text, or no text yet", async () => {
    const throwing = { get text(): string { throw new Error("not mine") } }
    for (
      const answer of [
        undefined, null, 5, true, {}, [], { text: null }, { text: 5 }, { choices: [] }, { choices: 1 }, { content: [] }, { messages: 7 }, throwing,
        { text: "", toolCalls: [{}] }, { choices: [{ message: { content: null, tool_calls: [{}] } }] }, { content: "", tool_calls: [{}] },
        { content: [{ type: "tool_use", input: {} }] }
      ]
    ) assert.isNull(await isYes(answer))
    assert.isFalse(await isYes(""))
    assert.isFalse(await isYes({ choices: [{ message: { content: "", tool_calls: [] } }] }))
  })

  it("matches anywhere unless the pattern is bound, and the same each time, with any flag", async () => {
    for (const flags of ["", "g", "u", "gm"]) {
      const gate = gates.matches(new RegExp("b", flags))
      for (let i = 0; i < 3; i++) assert.isTrue(await gate("abc"))
      assert.isFalse(await gate("ac"))
    }
  })

  it("is at most so long", async () => {
    const gate = gates.maxLength(2)
    assert.deepStrictEqual([await gate(""), await gate("ab"), await gate("abc"), await gate("😀")], [true, true, false, true])
  })

  it("in all keeps a long text from a pattern that backtracks", async () => {
    const slow = /^(a+)+$/
    const gate = gates.all(gates.maxLength(20), gates.matches(slow))
    assert.isFalse(await gate(`${"a".repeat(50_000)}!`))
    assert.isTrue(await gate("aaaa"))
  })
})

describe("gates.exitCode", () => {
  it("reads a code, or a result that has one, and says nothing where there is none", async () => {
    const gate = gates.exitCode()
    for (const right of [0, { status: 0 }, { exitCode: 0 }, { code: 0 }]) assert.isTrue(await gate(right))
    for (const wrong of [1, { status: 2 }, { exitCode: 1 }, { code: 1 }, { status: null, signal: "SIGKILL" }]) assert.isFalse(await gate(wrong))
    for (const none of [null, undefined, "0", {}, { status: null }, { code: "ENOENT" }]) assert.isNull(await gate(none))
    assert.isTrue(await gates.exitCode(3)(3))
    assert.isFalse(await gates.exitCode(3)(0))
    assert.deepStrictEqual(errorsOf(gate), [undefined, undefined, undefined])
  })
})

describe("gates.tests", () => {
  const node = (code: string) => [process.execPath, "-e", code]

  it("passes where the command ends well, of the shell and without one", async () => {
    assert.isTrue(await gates.tests("true")("x"))
    assert.isFalse(await gates.tests("exit 3")("x"))
    assert.isTrue(await gates.tests(node(""))(null))
    assert.isFalse(await gates.tests(node("process.exit(1)"))(null))
  })

  it("gives a list to no shell", async () => {
    assert.isTrue(await gates.tests([...node("process.exitCode = process.argv[1] === '$HOME; false' ? 0 : 1"), "$HOME; false"])(null))
  })

  it("hands the answer's text to the command, also to one that does not read it", async () => {
    const gate = gates.tests("grep -q wanted")
    assert.isTrue(await gate({ output_text: "it is wanted" }))
    assert.isFalse(await gate("it is not"))
    assert.isTrue(await gates.tests("true")("x".repeat(5_000_000)))
  })

  it("runs in a folder, with the variables that it is given", async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, "here"), "")
    assert.isTrue(await gates.tests("test -f here && test \"$A\" = b && test -z \"$HOME\"", { cwd, env: { A: "b", PATH: process.env["PATH"] } })(""))
  })

  it("fails a command that takes too long, and ends what that started", async () => {
    const folder = temporaryFolder()
    // The inner process would write the file if it outlived the outer one.
    const gate = gates.tests(`(sleep 1; echo > "${folder}/outlived") & wait`, { timeoutMs: 100 })
    assert.isFalse(await gate(""))
    assert.isTrue(await gates.tests("sleep 1.3; test ! -e outlived", { cwd: folder, timeoutMs: Infinity })(""))
  })

  it("rejects where the command is not there, for that says nothing of the answer", async () => {
    for (const command of ["a-command-that-is-not-there", ["/not/there"], "exit 126"]) {
      const error = await gates.tests(command)("").catch((problem: unknown) => problem)
      assert.instanceOf(error, Error, String(command))
    }
    assert.match(String(await gates.tests("nothing-here")("").catch(String)), /nothing-here could not be run \(127\)/)
  })

  it("says the errors that the caller knows of", () => {
    assert.deepStrictEqual(errorsOf(gates.tests("true")), [undefined, undefined, undefined])
    assert.deepStrictEqual(errorsOf(gates.tests("true", { passWrong: 0.1, failRight: 0.03, timeoutMs: 5 })), [0.1, 0.03, undefined])
  })
})

describe("all and any", () => {
  it("combine verdicts, where null is one that may still turn out either way", async () => {
    const said = [pass, fail, silent]
    const names = new Map([[pass, true], [fail, false], [silent, null]])
    for (const one of said) {
      assert.strictEqual(await gates.all(one)("x"), names.get(one))
      assert.strictEqual(await gates.any(one)("x"), names.get(one))
      for (const other of said) {
        const both = [names.get(one), names.get(other)]
        assert.strictEqual(await gates.all(one, other)("x"), both.includes(false) ? false : both.includes(null) ? null : true)
        assert.strictEqual(await gates.any(one, other)("x"), both.includes(true) ? true : both.includes(null) ? null : false)
      }
    }
  })

  it("ask no check after the one that decides", async () => {
    let asked = 0
    const counted: Check = () => ++asked > 0
    assert.isFalse(await gates.all(fail, counted)("x"))
    assert.isTrue(await gates.any(pass, counted)("x"))
    assert.strictEqual(asked, 0)
    assert.isTrue(await gates.all(pass, counted)("x"))
    assert.strictEqual(asked, 1)
  })

  it("are bounds of the errors of their parts: 0.1 and 0.2 are at most 0.3, or 0.1", () => {
    const a = gates.tests("true", { passWrong: 0.1, failRight: 0.02, costUsd: 0.5 })
    const b = gates.tests("true", { passWrong: 0.2, failRight: 0.01 })
    const [most, least] = [errorsOf(gates.any(a, b)), errorsOf(gates.all(a, b))]
    assert.closeTo(most[0] ?? 0, 0.3, 1e-12)
    assert.deepStrictEqual(most.slice(1), [0.01, 0.5])
    assert.strictEqual(least[0], 0.1)
    assert.closeTo(least[1] ?? 0, 0.03, 1e-12)
  })

  it("know no sum of errors of which one is not known, and the least of those that are", () => {
    const known = gates.tests("true", { passWrong: 0.4, failRight: 0.4 })
    assert.deepStrictEqual(errorsOf(gates.all(known, pass)), [0.4, undefined, undefined])
    assert.deepStrictEqual(errorsOf(gates.any(known, pass)), [undefined, 0.4, undefined])
    assert.deepStrictEqual(errorsOf(gates.all(pass)), [undefined, undefined, undefined])
    // No request may name more than one half.
    assert.deepStrictEqual(errorsOf(gates.all(known, known, known)), [0.4, 0.5, undefined])
  })

  it("nest", async () => {
    const gate = gates.all(gates.maxLength(9), gates.any(gates.matches(/^a/), gates.matches(/^b/)))
    assert.deepStrictEqual([await gate("a"), await gate("b"), await gate("c"), await gate("a".repeat(10))], [true, true, false, false])
  })

  it("of nothing are refused", () => {
    assert.throws(() => gates.all(), TypeError)
    assert.throws(() => gates.any(), TypeError)
  })
})

describe("the errors of a gate", () => {
  for (const errors of [{ passWrong: 0.6 }, { passWrong: -0.1 }, { failRight: NaN }, { failRight: 1 }, { costUsd: -1 }]) {
    it(`cannot be ${JSON.stringify(errors)}`, () => assert.throws(() => gates.maxLength(1, errors), TypeError, /is no number from 0 to/))
  }
})

describe("a run that a gate verifies", () => {
  const run = async (verify: Gate, over: object = {}) => {
    const script = scripted(() => answerOf("a"))
    const sextant = createSextant({ baseUrl: "http://h", apiKey: "k", models: ["a"], defaultModelId: "a", fetch: script.fetch })
    const done = await runVerified(sextant, "x", () => "{\"a\": 1}", { verify, maxAttempts: 1, ...over })
    await sextant.flush()
    const [asked, ...reports] = script.bodies()
    return { done, asked, verdicts: reports.map(({ evidence_source, outcome }) => [outcome, evidence_source]) }
  }

  it("tells the plan how often the gate errs, and reports its verdicts as those of a gate", async () => {
    const right = await run(gates.json({ required: ["a"] }, { passWrong: 0.1 }))
    assert.deepStrictEqual(right.asked?.verification, { kind: "gate", pass_wrong: 0.1, fail_right: 0 })
    assert.deepStrictEqual(right.verdicts, [["success", "gate"]])
    assert.isTrue(right.done.isVerified)
    assert.deepStrictEqual((await run(gates.json({ required: ["b"] }))).verdicts, [["failure", "gate"]])
  })

  it("believes what the request says of the check before what the gate says", async () => {
    const verification = { kind: "gate", pass_wrong: 0.3 } as const
    assert.deepStrictEqual((await run(gates.maxLength(99), { request: { verification } })).asked?.verification, verification)
  })

  it("ends without a verdict where the gate cannot be run, and tells why", async () => {
    const { done, verdicts } = await run(gates.tests("nothing-here"))
    assert.strictEqual(done.stop, "no_verdict")
    assert.match(String(done.error), /could not be run/)
    assert.deepStrictEqual(verdicts, [])
  })
})
