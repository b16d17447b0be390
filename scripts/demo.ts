/**
 * Plays made-up traffic against a running service, so that /dashboard has something to show.
 *
 *     npm run demo -- --help
 *
 * Without `--key` it creates a key of a new account while the service runs. It uses the command line, and so the
 * database that this folder and these variables name. It never uses `SEXTANT_KEY`, which is a program's key.
 *
 * The same seed gives the same requests and the same true outcomes. Everything stays in namespaces that begin with
 * `demo-`.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect, Schema } from "effect"
import { counted, percent } from "../packages/dashboard/src/Figures.ts"
import { sentence } from "../packages/dashboard/src/Sentence.ts"
import { type ClientShape, SextantClient } from "../src/client/Client.ts"
import { usdOf } from "../src/domain/model/Cost.ts"
import type { ListPrices } from "../src/domain/model/Model.ts"
import { DashboardResponse } from "../src/domain/reports/Dashboard.ts"
import { SavingsResponse } from "../src/domain/reports/Report.ts"
import { guaranteeLines, type Reported, type Task, truthLines } from "./demo/story.ts"
import { type Call, trafficOf } from "./demo/traffic.ts"
import { decline, modelIds } from "./demo/truth.ts"

const usage = "npm run demo -- [--url http://127.0.0.1:8080] [--key sxt_…] [--calls 2500] [--seed 4]"

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    url: { type: "string", default: process.env["SEXTANT_URL"] ?? "http://127.0.0.1:8080" },
    key: { type: "string", default: "" },
    calls: { type: "string", default: "2500" },
    seed: { type: "string", default: "4" }
  }
})

/** Share of a run's input that a prompt cache holds: an agent sends its conversation again at each step. */
const cachedShare = 0.9

/** List prices, as the service has them. */
const pricesOf = (client: ClientShape) =>
  Effect.map(client.models(), ({ models }): ReadonlyMap<string, ListPrices> =>
    new Map(models.map((card) => [card.modelId, card])))

/** The tokens that a team expects before a call: the mean of the numbers that {@link trafficOf} draws. */
const usual = ([least, most]: readonly [number, number]): number =>
  Math.round((most - least) / Math.log(most / least))

/** Asks for a recommendation, and names the failed attempts at the same task. */
const recommend = (
  client: ClientShape,
  prices: ReadonlyMap<string, ListPrices>,
  { isTyped, namespace, taskType, team, text, userId }: Call,
  failed: ReadonlyArray<string>
) =>
  client.recommend({
    task: {
      task: text,
      taskType: isTyped ? taskType : null,
      ...(team.isAgent ? { unit: "run" as const } : {}),
      expectedInputTokens: usual(team.inputTokens),
      expectedOutputTokens: usual(team.outputTokens),
      tags: team.tag === null ? [] : [team.tag]
    },
    userId,
    namespace,
    costQualityTradeoff: team.slider,
    constraints: { candidateModels: team.models.filter((modelId) => prices.has(modelId)) },
    baselineModelId: team.baselineModelId,
    incumbentModelId: team.baselineModelId,
    ...(team.isGuaranteed && team.baselineModelId !== null
      ? { guarantee: { baselineModelId: team.baselineModelId } }
      : {}),
    ...(team.attempts === null ? {} : {
      verification: { kind: "gate" as const },
      successValueUsd: team.attempts.valueUsd,
      maxAttempts: team.attempts.max - failed.length,
      attempts: failed.map((recommendationId) => ({ recommendationId }))
    })
  })

const cachedOf = ({ inputTokens, team }: Call): number => team.isAgent ? Math.round(inputTokens * cachedShare) : 0

/** The cost of a call with a model, US dollars. */
const costOf = (prices: ReadonlyMap<string, ListPrices>, call: Call, modelId: string): number => {
  const card = prices.get(modelId)
  if (card === undefined) throw new Error(`${modelId} has no price`)
  const tokens = { input: call.inputTokens, cachedInput: cachedOf(call), output: call.outputTokens }
  return usdOf(card, tokens, call.team.isAgent ? "run" : "call")
}

const report = Effect.fnUntraced(function*(
  client: ClientShape,
  prices: ReadonlyMap<string, ListPrices>,
  call: Call,
  recommended: { readonly id: string; readonly modelId: string },
  brokenModelId: string | null,
  isFirst: boolean
) {
  const ran = call.isOverruled ? call.team.baselineModelId ?? recommended.modelId : recommended.modelId
  const result = call.resultOf(ran, brokenModelId)
  const { errorCause, notes, outcome, quality } = result
  const { inputTokens, outputTokens } = call
  const costUsd = costOf(prices, call, ran)
  yield* client.feedback({
    recommendationId: recommended.id,
    chosenModelId: ran,
    outcome,
    qualityScore: call.label === "judge" ? quality : null,
    evidenceSource: call.label,
    errorCause,
    notes,
    inputTokens,
    cachedInputTokens: cachedOf(call),
    outputTokens,
    latencyMs: call.latencyOf(ran),
    actualCostUsd: call.isBilled ? costUsd : null
  })
  const reported: Reported = { namespace: call.namespace, isFirst, ran, result, costUsd }
  return reported
})

interface Played {
  readonly tasks: ReadonlyArray<Task>
  readonly brokenModelId: string | null
}

const taskOf = (
  prices: ReadonlyMap<string, ListPrices>,
  call: Call,
  attempts: ReadonlyArray<Reported>,
  brokenModelId: string | null
): Task => {
  const { namespace, team: { baselineModelId: ownModelId } } = call
  const own = ownModelId === null ? null : {
    isSuccess: call.resultOf(ownModelId, brokenModelId).outcome === "success",
    costUsd: costOf(prices, call, ownModelId)
  }
  return { namespace, ownModelId, attempts, own }
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

/** A new account for each run, so that made-up figures mix with no others. */
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

/** Lines on how to see the account, and on how to erase one that was created. */
const whereTo = (account: DemoAccount | null): ReadonlyArray<string> =>
  account === null ? ["Now open, and enter the same key:", "", `  ${options.url}/dashboard`, ""] : [
    `Now open ${options.url}/dashboard and enter the key of the account ${account.instance}, which ends in 30 days:`,
    "",
    `  ${account.key}`,
    "",
    `To erase the account: npm run -s sextant -- account erase --instance ${account.instance} --yes`,
    ""
  ]

const summaryOf = (client: ClientShape, account: DemoAccount | null, { brokenModelId, tasks }: Played) =>
  Effect.gen(function*() {
    const savings = Schema.encodeSync(SavingsResponse)(yield* client.savings())
    const dashboard = Schema.encodeSync(DashboardResponse)(yield* client.dashboard())
    return [
      `${counted(tasks.length, "task")} of five made-up teams. Every outcome is drawn for every model: the truth is known.`,
      "",
      ...truthLines(tasks),
      `After ${percent(decline.after)} of the time ${brokenModelId ?? "no model"}, the favourite of`
      + ` ${decline.namespace}, got worse there, to ${percent(decline.successRate)}: a part of what was lost.`,
      "",
      "What Sextant says, which saw the reports alone:",
      sentence({ savings, dashboard }),
      ...guaranteeLines(yield* client.accountGuarantee()),
      "",
      ...whereTo(account)
    ].join("\n")
  })

/** Calls of different teams under way at once; what one team learns never changes another's advice. */
const atOnce = 50

const play = Effect.fnUntraced(function*(client: ClientShape) {
  const prices = yield* pricesOf(client)
  if (modelIds.filter((modelId) => prices.has(modelId)).length < 2) {
    throw new Error(`The service's catalog holds none of ${modelIds.join(", ")}`)
  }
  const calls = trafficOf(Number(options.seed), Number(options.calls))
  const tasks: Array<Task> = []
  const { favourite, note } = tally()
  const ask = Effect.fnUntraced(function*(call: Call) {
    const attempts: Array<Reported> = []
    const failed: Array<string> = []
    for (let left = call.team.attempts?.max ?? 1; left > 0; left--) {
      const answer = yield* recommend(client, prices, call, failed)
      const { plan, recommendationId: id, recommendedModel: { modelId } } = answer
      if (plan?.attempts.length === 0) break
      if (failed.length === 0) note(call, modelId)
      if (!call.isReported) break
      const reported = yield* report(client, prices, call, { id, modelId }, favourite(), failed.length === 0)
      attempts.push(reported)
      if (reported.result.outcome === "success" || reported.result.errorCause !== null) break
      failed.push(id)
    }
    tasks.push(taskOf(prices, call, attempts, favourite()))
  })
  for (let from = 0; from < calls.length; from += atOnce) {
    // A team's calls one after the other: what is learned from one may change the next one's advice, alike in every run.
    const teams = Map.groupBy(calls.slice(from, from + atOnce), ({ namespace }) => namespace)
    yield* Effect.forEach(teams.values(), (own) => Effect.forEach(own, ask), { concurrency: "unbounded" })
    if ((from + atOnce) % 250 === 0) console.log(`${from + atOnce} of ${calls.length} calls`)
  }
  const played: Played = { tasks, brokenModelId: favourite() }
  return played
})

/** The detail of a problem, or else the error's message. */
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
