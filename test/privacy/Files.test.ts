import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { dataDirectory } from "../support/Databases.ts"
import { filesWith } from "../support/FilesWith.ts"
import { acmeKey, sextant, startService, umbrellaKey } from "../support/Service.ts"

const canary = "Zebracanary"

const call = (baseUrl: string, key: string, method: string, path: string, body?: unknown) =>
  Effect.promise(async (): Promise<Record<string, any>> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return await answer.json() as Record<string, any>
  })

/** A canary in every text that a request may hold. */
const plant = Effect.fnUntraced(function*(baseUrl: string, key: string, word: string) {
  const ask = (method: string, path: string, body?: unknown) => call(baseUrl, key, method, path, body)
  for (let number = 0; number < 5; number++) {
    const told = yield* ask("POST", "/v1/recommend", {
      task: { task: `${word}task ${"of many words ".repeat(400)}${word}end`, tags: [`${word}tag`] },
      user_id: `${word}user`, namespace: `${word}space`, baseline_model_id: `${word}baseline`, allow_llm_escalation: false
    })
    const answer = yield* ask("POST", "/v1/feedback", {
      recommendation_id: told["recommendation_id"], chosen_model_id: `${word}model`, outcome: "failure",
      evidence_source: "gate", notes: `TypeError: ${word}notes`, idempotency_key: `${word}key${number}`,
      step_outcomes: [{
        step_id: `${word}step`, step_name: `${word}name`, outcome: "failure", rationale: `${word}rationale`,
        directive_hint: `${word}hint`
      }]
    })
    assert.strictEqual(answer["accepted"], true)
  }
  yield* ask("POST", "/v1/diagnose", { error_text: `TypeError: ${word}diagnosed`, namespace: `${word}space` })
})

it.live("no text of an erased account is in a table, or with --compact in a file, under load", () =>
  Effect.scoped(Effect.gen(function*() {
    const directory = yield* dataDirectory
    const environment = { SEXTANT_DATA_DIR: directory }
    const service = yield* startService(environment)
    yield* plant(service.baseUrl, acmeKey, canary)
    yield* plant(service.baseUrl, umbrellaKey, "Umbrellaword")
    assert.isAbove(filesWith(directory, canary).length, 0)

    // Another account switches its words off meanwhile.
    const none = yield* sextant(["account", "set", "--instance", "umbrella", "--task-text", "none"], environment)
    assert.strictEqual(none.code, 0, none.stderr)
    assert.include(none.stdout, "stores no text of its tasks")
    assert.include(none.stdout, "The text of 5 tasks was removed")
    const nothing = yield* sextant(["account", "set", "--instance", "umbrella"], environment)
    assert.include(nothing.stderr, "--task-text")

    const unsure = yield* sextant(["account", "erase", "--instance", "acme"], environment)
    assert.strictEqual(unsure.code, 1)
    assert.include(unsure.stderr, "--yes")

    const file = join(directory, "..", `${directory.split("/").at(-1)}.jsonl`)
    const exported = yield* sextant(["account", "export", "--instance", "acme", file], environment)
    assert.strictEqual(exported.code, 0, exported.stderr)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)

    const serving = Effect.forever(call(service.baseUrl, umbrellaKey, "GET", "/v1/savings"))
    const erased = yield* Effect.raceFirst(
      sextant(["account", "erase", "--instance", "acme", "--yes", "--compact"], environment), serving
    )
    assert.strictEqual(erased.code, 0, erased.stderr)
    const exportedAgain = yield* sextant(["account", "export", "--instance", "acme"], environment)
    assert.notInclude(exportedAgain.stdout, canary)
    assert.deepStrictEqual(filesWith(directory, canary), [])
    assert.isAbove(filesWith(directory, "Umbrellaword").length, 0)
    assert.notInclude(service.stderr(), canary)

    // What was exported comes back, and the service that runs knows of it.
    const imported = yield* sextant(["account", "import", file], environment)
    assert.strictEqual(imported.code, 0, imported.stderr)
    const strategies = yield* call(service.baseUrl, acmeKey, "GET", `/v1/strategies?namespace=${canary}space`)
    assert.isAbove(strategies["count"], 0)
    rmSync(file)
  })), 240_000)

it.live("no text of a task is in any file of a service that stores none", () =>
  Effect.scoped(Effect.gen(function*() {
    const directory = yield* dataDirectory
    const service = yield* startService({ SEXTANT_DATA_DIR: directory, SEXTANT_TASK_TEXT: "none" })
    for (const key of [acmeKey, umbrellaKey]) {
      const told = yield* call(service.baseUrl, key, "POST", "/v1/recommend", {
        task: { task: `${canary} ${"of many words ".repeat(400)}${canary}` }, allow_llm_escalation: false
      })
      const answer = yield* call(service.baseUrl, key, "POST", "/v1/feedback", {
        recommendation_id: told["recommendation_id"], chosen_model_id: "gpt-5-mini", outcome: "success"
      })
      assert.strictEqual(answer["accepted"], true)
    }
    yield* service.kill("SIGTERM")
    assert.strictEqual(yield* service.exitCode, 0)
    assert.deepStrictEqual(filesWith(directory, canary), [])
    assert.notInclude(service.stderr() + service.stdout(), canary)
  })), 120_000)
