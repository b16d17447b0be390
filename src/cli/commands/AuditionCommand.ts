/* `sextant audition`: tries models on the user's prompts, with the user's keys and within a budget. */
import { Config, Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpClient } from "effect/http"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { audition } from "../../../packages/audition/src/Audition.ts"
import { auditionSettings } from "../../../packages/audition/src/AuditionSettings.ts"
import type { ChatModel } from "../../../packages/audition/src/Chat.ts"
import { gate, judge } from "../../../packages/audition/src/Grade.ts"
import { type CellResult, openJournal } from "../../../packages/audition/src/Journal.ts"
import { pageOf } from "../../../packages/audition/src/Page.ts"
import type { AuditionPlan } from "../../../packages/audition/src/Plan.ts"
import { BadPrompt, digestOf, promptsOf } from "../../../packages/audition/src/Prompts.ts"
import { AuditionReport } from "../../../packages/audition/src/Report.ts"
import { tableOf } from "../../../packages/audition/src/Table.ts"
import { findModel } from "../../catalog/Lookup.ts"
import type { CatalogSnapshot } from "../../domain/model/Model.ts"
import { Namespace } from "../../domain/Scope.ts"
import { taskTypes } from "../../domain/Task.ts"
import { dollars } from "../../domain/text/Words.ts"
import { usdSentMax } from "../../domain/Units.ts"
import { transport } from "../../resilience/HttpTransport.ts"
import { snapshotAtRest } from "../CatalogLayers.ts"
import { sayInterrupted } from "../Interrupted.ts"
import { reportFiles } from "../OutputFiles.ts"
import { callsUnit, makeProgress } from "../Progress.ts"
import { refusal } from "../Refusal.ts"
import { instance, listOf, switchFlag, textFlag } from "./Flags.ts"
import { importFiles } from "./ImportCommand.ts"

const usdFlag = (name: string, description: string) =>
  Flag.Finite(name).pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: usdSentMax })))
  )

const flags = {
  prompts: Argument.String("FILE").pipe(
    Argument.withDescription("Prompts as JSON Lines: texts, or objects with prompt, task or messages")
  ),
  models: Flag.String("models").pipe(Flag.withDescription("Models to try, separated by commas")),
  judge: textFlag("judge", "A model that scores each answer from 0 to 10; 8 is a success"),
  gate: textFlag("gate", "A command that reads an answer on standard input and has the prompt in "
    + "SEXTANT_PROMPT; it ends with 0 for a success"),
  budget: usdFlag("budget", "The most that all calls together may cost, USD"),
  value: usdFlag("value", "What a success is worth, USD; by default success alone counts").pipe(
    Flag.optional
  ),
  baseUrl: textFlag("base-url", "An OpenAI-compatible address for all models, with its version: "
    + "http://localhost:4000/v1; by default OpenAI's and Anthropic's own"),
  outputTokensMax: Flag.Int("max-output-tokens").pipe(
    Flag.withDescription("Most tokens of an answer, and of the judge's, those of thinking included"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
    Flag.withDefault(2_000)
  ),
  journal: textFlag("journal", "Where calls are written down, so that the same command goes on after an "
    + "interruption; by default FILE.audition.jsonl"),
  html: textFlag("html", "Write the report as a page in one file"),
  json: textFlag("json", "Write the report as JSON; `-` prints it instead of the table"),
  teach: switchFlag("teach", "Add the outcomes to the memory of the account of --instance"),
  instance: instance.pipe(Flag.optional),
  namespace: Flag.String("namespace").pipe(
    Flag.withDescription("The namespace whose memory learns"), Flag.withSchema(Namespace), Flag.optional
  )
}

const refuse = (reason: string) => refusal(`${reason}. Nothing was asked`)

const urls = { openai: "https://api.openai.com/v1", anthropic: "https://api.anthropic.com/v1" } as const
const keys = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" } as const

const modelOf = Effect.fnUntraced(function*(
  snapshot: CatalogSnapshot,
  baseUrl: Option.Option<string>,
  name: string
) {
  const card = findModel(snapshot, name)
  if (card === undefined || name.includes("#")) {
    return yield* refuse(`The catalog has no prices of ${name}, without which no budget holds`
      + " (SEXTANT_CATALOG_FILE names another catalog)")
  }
  const protocol = card.provider === "anthropic" && Option.isNone(baseUrl) ? "anthropic" : "openai"
  if (Option.isNone(baseUrl) && card.provider !== protocol) {
    return yield* refuse(`${name} is of ${card.provider}: --base-url must say where it is called`)
  }
  const apiKey = yield* Config.option(Config.Redacted(keys[protocol]))
  if (Option.isNone(baseUrl) && !Option.exists(apiKey, (key) => Redacted.value(key) !== "")) {
    return yield* refuse(`${name} needs ${keys[protocol]}`)
  }
  const address = Option.getOrElse(baseUrl, () => urls[protocol])
  if (!URL.canParse(address) || !/^https?:/.test(address)) return yield* refuse("--base-url is no address")
  const model: ChatModel = {
    protocol, apiKey, model: name, url: new URL(address), prices: card
  }
  return model
})

const promptsIn = (path: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (cause) => refusal(`${path} cannot be read`, cause)
    }),
    (text) => {
      const prompts = promptsOf(text, auditionSettings.promptsMax)
      return prompts instanceof BadPrompt
        ? Effect.fail(refuse(`${path}, ${prompts.message}`))
        : Effect.succeed(prompts)
    }
  )

/** Writes the graded calls as a log that `sextant import` can read. */
const logOf = (
  { digest, grader, models, prompts }: AuditionPlan,
  results: ReadonlyArray<CellResult>
): string =>
  results.filter(({ quality }) => quality !== null).map((each) => {
    const { at, costUsd, inputTokens, latencyMs, model, outputTokens, prompt, quality } = each
    const { asked, id, kind } = prompts[prompt]!
    return JSON.stringify({
      id: `audition:${digest.slice(0, 16)}:${grader.name}:${models[model]!.model}:${id}`,
      at: new Date(at).toISOString(), prompt: asked, model: models[model]!.model, cost_usd: costUsd,
      latency_ms: latencyMs, tokens: { input: inputTokens, output: outputTokens }, score: quality,
      evidence_source: grader.source, ...(taskTypes.some((type) => type === kind) ? { task_type: kind } : {})
    })
  }).join("\n")

/** Imports the outcomes from a temporary file, as `sextant import` does. */
const teach = (
  plan: AuditionPlan,
  results: ReadonlyArray<CellResult>,
  to: { readonly instance: string; readonly namespace: Option.Option<typeof Namespace.Type> }
) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.try({
        try: () => mkdtempSync(join(tmpdir(), "sextant-audition-")),
        catch: (cause) => refusal("No folder for the outcomes can be made", cause)
      }),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(folder, basename(plan.journal.path))
    yield* Effect.try({
      try: () => writeFileSync(file, logOf(plan, results), { mode: 0o600 }),
      catch: (cause) => refusal(`${file} cannot be written`, cause)
    })
    yield* importFiles({ ...to, files: [file], format: "jsonl" })
  }))

const encodeReport = Schema.encodeSync(AuditionReport)

export const auditionCommand = Command.make("audition", flags, (given) =>
  Effect.scoped(Effect.gen(function*() {
    const names = listOf(given.models)
    const { modelsMax } = auditionSettings
    if (names.length === 0 || names.length > modelsMax) {
      return yield* refuse(`--models: one to ${modelsMax} models, separated by commas`)
    }
    if (Option.isSome(given.judge) === Option.isSome(given.gate)) {
      return yield* refuse("Give either --judge or --gate")
    }
    if (given.teach && Option.isNone(given.instance)) return yield* refuse("--teach needs --instance")
    const prompts = yield* promptsIn(given.prompts)
    const snapshot = yield* snapshotAtRest
    const find = (name: string) => modelOf(snapshot, given.baseUrl, name)
    const models = yield* Effect.forEach(names, find)
    const client = yield* HttpClient.HttpClient
    const { outputTokensMax } = given
    const grader = Option.isSome(given.judge)
      ? judge(client, yield* find(given.judge.value), outputTokensMax, auditionSettings)
      : gate(Option.getOrElse(given.gate, () => ""), auditionSettings)
    const write = yield* reportFiles(given)
    const digest = digestOf(prompts)
    const path = Option.getOrElse(given.journal, () => `${given.prompts}.audition.jsonl`)
    const journal = yield* openJournal(path, {
      audition: 1, prompts: digest, models: names, gradedBy: grader.name, outputTokensMax
    })
    if (journal.cells > 0) yield* Console.error(`Going on with ${path}: ${journal.results.length} calls`)
    const progress = yield* Effect.acquireRelease(
      Effect.sync(() => {
        let spent = ""
        const line = makeProgress({
          isTTY: process.stderr.isTTY, write: (text) => process.stderr.write(text.replace(/(?=\n?$)/, spent))
        }, "Asking", callsUnit)
        return {
          end: () => {
            spent = ""
            line.end()
          },
          calls: (usd: number, calls: number) => {
            spent = `, ${dollars(usd)} of ${dollars(given.budget)} spent or reserved`
            line.report(calls, null)
          }
        }
      }),
      ({ end }) => Effect.sync(end)
    )
    const plan: AuditionPlan = {
      prompts, digest, models, grader, outputTokensMax, client, journal, settings: auditionSettings,
      budgetUsd: given.budget, valueUsd: Option.getOrNull(given.value), report: progress.calls
    }
    const { report, results } = yield* audition(plan)
    progress.end()
    yield* write({ page: () => pageOf(report), value: encodeReport(report), table: tableOf(report) })
    // If no answer was graded, the command fails, so that a script does not take its report for a result.
    if (report.named === null) return yield* refusal("No answer was graded")
    if (given.teach && Option.isSome(given.instance)) {
      yield* teach(plan, results, { instance: given.instance.value, namespace: given.namespace })
    }
  })).pipe(
    Effect.provide(transport({
      connectMs: 10_000, answerBytesMax: 16_000_000, connectionsMax: auditionSettings.callsAtOnce,
      keepAliveMs: 30_000
    })),
    sayInterrupted(() => "What was asked is in the journal: the same command goes on from there")
  ))
