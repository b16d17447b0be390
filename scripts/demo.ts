/**
 * Plays a day of made-up traffic against a running service, so that /dashboard has something to show.
 *
 *     npm run demo -- [--url http://127.0.0.1:8080] [--key …] [--calls 1000] [--seed 4]
 *
 * Without a key (`--key`, `SEXTANT_KEY`) it mints a new account for itself, through the command line and so in the
 * database that this folder and these variables name, while the service runs.
 *
 * The same seed asks the same and meets the same truth. Time cannot be sent over the API, so the whole day
 * lands on today. Everything stays in namespaces that begin with `demo-`.
 */
import { parseArgs } from "node:util"
import { Schema } from "effect"
import { verdict } from "../packages/dashboard/src/Headline.ts"
import { createClient } from "../src/client/Client.ts"
import { SavingsResponse } from "../src/domain/reports/Report.ts"
import { type DemoAccount, mintAccount } from "./demo/account.ts"
import { type Call, dayOf } from "./demo/day.ts"
import { afternoon, modelIds } from "./demo/truth.ts"

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: process.env["SEXTANT_URL"] ?? "http://127.0.0.1:8080" },
    key: { type: "string", default: process.env["SEXTANT_KEY"] ?? "" },
    calls: { type: "string", default: "1000" },
    seed: { type: "string", default: "4" }
  }
})

interface Price {
  readonly inputUsd: number
  readonly outputUsd: number
}

type Client = ReturnType<typeof createClient>

/** Prices in US dollars per token, as the service has them. */
const pricesOf = async (client: Client): Promise<ReadonlyMap<string, Price>> => {
  const { models } = await client.models()
  return new Map(models.map(({ inputCostPerMtok, modelId, outputCostPerMtok }) =>
    [modelId, { inputUsd: inputCostPerMtok / 1e6, outputUsd: outputCostPerMtok / 1e6 }]))
}

/** What a team expects of a call whose length it does not know yet: the mean of what {@link dayOf} draws. */
const usual = ([least, most]: readonly [number, number]): number =>
  Math.round((most - least) / Math.log(most / least))

const recommend = (client: Client, models: ReadonlyArray<string>, call: Call) =>
  client.recommend({
    task: {
      task: call.text,
      taskType: call.isTyped ? call.taskType : null,
      expectedInputTokens: call.inputTokens,
      expectedOutputTokens: usual(call.team.outputTokens),
      tags: call.team.tag === null ? [] : [call.team.tag]
    },
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

const report = async (
  client: Client,
  prices: ReadonlyMap<string, Price>,
  call: Call,
  recommended: { readonly id: string; readonly modelId: string },
  brokenModelId: string | null
): Promise<Reported> => {
  const ran = call.isOverruled ? call.team.baselineModelId ?? recommended.modelId : recommended.modelId
  const { errorCause, notes, outcome, quality } = call.resultOf(ran, brokenModelId)
  const price = prices.get(ran)
  const { inputTokens, outputTokens } = call
  const costUsd = price === undefined || !call.isBilled
    ? null
    : inputTokens * price.inputUsd + outputTokens * price.outputUsd
  await client.feedback({
    recommendationId: recommended.id,
    chosenModelId: ran,
    outcome,
    qualityScore: call.label === "judge" ? quality : null,
    evidenceSource: call.label,
    errorCause,
    notes,
    inputTokens,
    outputTokens,
    actualCostUsd: costUsd
  })
  return { isSuccess: outcome === "success", costUsd }
}

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
      if (namespace !== afternoon.namespace || time > afternoon.after) return
      counts.set(modelId, (counts.get(modelId) ?? 0) + 1)
    },
    favourite: (): string | null =>
      [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null
  }
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

const summaryOf = async (client: Client, account: DemoAccount | null, { brokenModelId, calls, reports }: Played) => {
  const savings = Schema.encodeSync(SavingsResponse)(await client.savings({}))
  const succeeded = reports.filter(({ isSuccess }) => isSuccess).length
  return [
    `${calls} calls by five made-up teams, ${reports.length} reported back, ${succeeded} of them successes.`,
    `After ${Math.round(afternoon.after * 100)} % of the day ${brokenModelId ?? "no model"}, the favourite of`
    + ` ${afternoon.namespace}, got worse there: see what Sextant made of it.`,
    verdict({ savings }),
    "The API takes no dates, so the whole day landed on today.",
    ...whereTo(account)
  ].join("\n")
}

const play = async (client: Client, account: DemoAccount | null): Promise<void> => {
  const prices = await pricesOf(client)
  const models = modelIds.filter((modelId) => prices.has(modelId))
  if (models.length < 2) throw new Error(`The service's catalog holds none of ${modelIds.join(", ")}`)
  const day = dayOf(Number(options.seed), Number(options.calls))
  const reports: Array<Reported> = []
  const { favourite, note } = tally()
  // One after the other: what is learned from a call may change the next one's advice, alike in every run.
  for (const [index, call] of day.entries()) {
    const { recommendationId: id, recommendedModel: { modelId } } = await recommend(client, models, call)
    note(call, modelId)
    if (call.isReported) reports.push(await report(client, prices, call, { id, modelId }, favourite()))
    if ((index + 1) % 100 === 0) console.log(`${index + 1} of ${day.length} calls`)
  }
  console.log(`\n${await summaryOf(client, account, { calls: day.length, reports, brokenModelId: favourite() })}`)
}

/** What a problem details, or else what the error says. */
const reasonOf = (cause: unknown): string => {
  if (typeof cause === "object" && cause !== null && "detail" in cause) return String(cause.detail)
  return cause instanceof Error ? cause.message : String(cause)
}

/** Plays the day in the account of the given key, or in one that it mints. */
const run = async (): Promise<void> => {
  const account = options.key === "" ? await mintAccount(options.url) : null
  if (account !== null) console.log(`Minted the account ${account.instance}.`)
  const client = createClient({ baseUrl: options.url, apiKey: account?.key ?? options.key, timeoutMs: 10_000 })
  await play(client, account).catch((cause: unknown) => {
    console.error(`The demo stopped: ${reasonOf(cause)}`)
    console.error(`Is the service at ${options.url} (--url), and the key one of its keys?`)
    process.exitCode = 1
  }).finally(() => client.close())
}

await run().catch((cause: unknown) => {
  console.error(reasonOf(cause))
  process.exitCode = 1
})
