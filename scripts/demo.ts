/**
 * Plays made-up traffic against a running service, so that /dashboard has something to show.
 *
 *     npm run demo -- --help
 *
 * Without `--key` it creates a key of a new account, by the command line and so in the database that this folder and
 * these variables name, while the service runs. `SEXTANT_KEY` is that of a program, and is never taken.
 *
 * The same seed asks the same and meets the same truth. Everything stays in namespaces that begin with `demo-`.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect, Schema } from "effect"
import { sentence } from "../packages/dashboard/src/Sentence.ts"
import { type ClientShape, SextantClient } from "../src/client/Client.ts"
import { usdOf } from "../src/domain/model/Cost.ts"
import type { ListPrices } from "../src/domain/model/Model.ts"
import { DashboardResponse } from "../src/domain/reports/Dashboard.ts"
import { SavingsResponse } from "../src/domain/reports/Report.ts"
import { type Call, trafficOf } from "./demo/traffic.ts"
import { decline, modelIds } from "./demo/truth.ts"

const usage = "npm run demo -- [--url http://127.0.0.1:8080] [--key sxt_…] [--calls 1250] [--seed 4]"

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    url: { type: "string", default: process.env["SEXTANT_URL"] ?? "http://127.0.0.1:8080" },
    key: { type: "string", default: "" },
    calls: { type: "string", default: "1250" },
    seed: { type: "string", default: "4" }
  }
})

/** Share of a run's input that a prompt cache holds: an agent sends its conversation again at each step. */
const cachedShare = 0.9

/** List prices, as the service has them. */
const pricesOf = (client: ClientShape) =>
  Effect.map(client.models(), ({ models }): ReadonlyMap<string, ListPrices> =>
    new Map(models.map((card) => [card.modelId, card])))

/** What a team expects of a call whose length it does not know yet: the mean of what {@link trafficOf} draws. */
const usual = ([least, most]: readonly [number, number]): number =>
  Math.round((most - least) / Math.log(most / least))

const recommend = (client: ClientShape, models: ReadonlyArray<string>, call: Call) =>
  client.recommend({
    task: {
      task: call.text,
      taskType: call.isTyped ? call.taskType : null,
      ...(call.team.isAgent ? { unit: "run" as const } : {}),
      expectedInputTokens: usual(call.team.inputTokens),
      expectedOutputTokens: usual(call.team.outputTokens),
      tags: call.team.tag === null ? [] : [call.team.tag]
    },
    userId: call.userId,
    namespace: call.namespace,
    costQualityTradeoff: call.team.slider,
    constraints: { candidateModels: models },
    baselineModelId: call.team.baselineModelId,
    incumbentModelId: call.team.baselineModelId
  })

interface Reported {
  readonly isSuccess: boolean
  readonly costUsd: number | null
}

const report = Effect.fnUntraced(function*(
  client: ClientShape,
  prices: ReadonlyMap<string, ListPrices>,
  call: Call,
  recommended: { readonly id: string; readonly modelId: string },
  brokenModelId: string | null
) {
  const ran = call.isOverruled ? call.team.baselineModelId ?? recommended.modelId : recommended.modelId
  const { errorCause, notes, outcome, quality } = call.resultOf(ran, brokenModelId)
  const card = prices.get(ran)
  const { inputTokens, outputTokens } = call
  const cachedInputTokens = call.team.isAgent ? Math.round(inputTokens * cachedShare) : 0
  const costUsd = card === undefined || !call.isBilled
    ? null
    : usdOf(card, { input: inputTokens, cachedInput: cachedInputTokens, output: outputTokens },
      call.team.isAgent ? "run" : "call")
  yield* client.feedback({
    recommendationId: recommended.id,
    chosenModelId: ran,
    outcome,
    qualityScore: call.label === "judge" ? quality : null,
    evidenceSource: call.label,
    errorCause,
    notes,
    inputTokens,
    cachedInputTokens,
    outputTokens,
    actualCostUsd: costUsd
  })
  const reported: Reported = { isSuccess: outcome === "success", costUsd }
  return reported
})

interface Played {
  readonly calls: number
  readonly reports: ReadonlyArray<Reported>
  readonly brokenModelId: string | null
}

/** Counts what the team whose favourite will get worse was recommended. */
const tally = () => {
  const counts = new Map<string, number>()
  return {
    note: ({ namespace, time }: Call, modelId: string): void => {
      if (namespace !== decline.namespace || time > decline.after) return
      counts.set(modelId, (counts.get(modelId) ?? 0) + 1)
    },
    favourite: (): string | null =>
      [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null
  }
}

/** An account that is new every time, so that made-up figures meet no others. */
interface DemoAccount {
  readonly instance: string
  /** The key, a secret. */
  readonly key: string
}

const launch = fileURLToPath(new URL("../src/cli/launch.ts", import.meta.url))

/** Creates an account with one key, unless no service answers that could accept it. */
const newAccount = async (): Promise<DemoAccount> => {
  await fetch(`${options.url}/livez`)
  const instance = `demo-${randomBytes(4).toString("hex")}`
  const printed = execFileSync(
    process.execPath, [launch, "keys", "create", "--instance", instance, "--expires", "30d"], { encoding: "utf8" }
  )
  const [key] = /^sxt_\S+$/m.exec(printed) ?? []
  if (key === undefined) throw new Error("No key was made")
  return { instance, key }
}

/** How to see the account and to get rid of it; of a key that was given, its owner knows. */
const whereTo = (account: DemoAccount | null): ReadonlyArray<string> =>
  account === null ? ["Now open, and enter the same key:", "", `  ${options.url}/dashboard`, ""] : [
    `Now open ${options.url}/dashboard and enter the key of the account ${account.instance}, which ends in 30 days:`,
    "",
    `  ${account.key}`,
    "",
    `To erase the account: npm run -s sextant -- account erase --instance ${account.instance} --yes`,
    ""
  ]

const summaryOf = (client: ClientShape, account: DemoAccount | null, { brokenModelId, calls, reports }: Played) =>
  Effect.map(Effect.all([client.savings(), client.dashboard()]), ([savings, dashboard]) => {
    const succeeded = reports.filter(({ isSuccess }) => isSuccess).length
    return [
      `${calls} calls by five made-up teams, ${reports.length} reported back, ${succeeded} of them successes.`,
      `After ${Math.round(decline.after * 100)} % of the time ${brokenModelId ?? "no model"}, the favourite of`
      + ` ${decline.namespace}, got worse there: see what Sextant made of it.`,
      sentence({
        savings: Schema.encodeSync(SavingsResponse)(savings), dashboard: Schema.encodeSync(DashboardResponse)(dashboard)
      }),
      ...whereTo(account)
    ].join("\n")
  })

/** Calls of different teams under way at once; what one team learns never changes another's advice. */
const atOnce = 50

const play = Effect.fnUntraced(function*(client: ClientShape) {
  const prices = yield* pricesOf(client)
  const models = modelIds.filter((modelId) => prices.has(modelId))
  if (models.length < 2) throw new Error(`The service's catalog holds none of ${modelIds.join(", ")}`)
  const calls = trafficOf(Number(options.seed), Number(options.calls))
  const reports: Array<Reported> = []
  const { favourite, note } = tally()
  const ask = Effect.fnUntraced(function*(call: Call) {
    const { recommendationId: id, recommendedModel: { modelId } } = yield* recommend(client, models, call)
    note(call, modelId)
    if (call.isReported) reports.push(yield* report(client, prices, call, { id, modelId }, favourite()))
  })
  for (let from = 0; from < calls.length; from += atOnce) {
    // A team's calls one after the other: what is learned from one may change the next one's advice, alike in every run.
    const teams = Map.groupBy(calls.slice(from, from + atOnce), ({ namespace }) => namespace)
    yield* Effect.forEach(teams.values(), (own) => Effect.forEach(own, ask), { concurrency: "unbounded" })
    if ((from + atOnce) % 250 === 0) console.log(`${from + atOnce} of ${calls.length} calls`)
  }
  const played: Played = { calls: calls.length, reports, brokenModelId: favourite() }
  return played
})

/** What a problem details, or else what the error says. */
const reasonOf = (cause: unknown): string => {
  if (typeof cause === "object" && cause !== null && "detail" in cause) return String(cause.detail)
  return cause instanceof Error ? cause.message : String(cause)
}

/** Plays in the account of the given key, or in one that it creates. */
const run = async (): Promise<void> => {
  const account = options.key === "" ? await newAccount() : null
  const summary = await Effect.runPromise(
    SextantClient.use((client) =>
      Effect.flatMap(play(client), (played) => summaryOf(client, account, played))).pipe(
        Effect.provide(SextantClient.layer({
          baseUrl: options.url, apiKey: account?.key ?? options.key, timeoutMs: 10_000
        }))
      )
  )
  console.log(`\n${summary}`)
}

if (options.help) console.log(usage)
else {
  await run().catch((cause: unknown) => {
    console.error(`The demo stopped: ${reasonOf(cause)}`)
    console.error(`Is the service at ${options.url} (--url), and does it use the database of this folder and these`
      + " variables, or is --key one of its keys?")
    process.exitCode = 1
  })
}
