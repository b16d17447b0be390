// As the service itself begins: bodies are read by compiled schemas.
import "effect/schema/SchemaJITCompiler/enable"
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { type Outcome, run } from "./campaign.ts"

/*
 * npm run test:fuzz -- --inputs 1000000 --seed 7 [--from 0] [--storage local|embedded|memory]
 * The inputs of a seed are the same on every run; `--from 1234 --inputs 1` sends one of them alone.
 */
const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "50000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    from: { type: "string", default: "0" },
    storage: { type: "string", default: "local" }
  }
})
const [inputs, seed, from] = [Number(values.inputs), Number(values.seed), Number(values.from)]
const storage = values.storage === "embedded" || values.storage === "memory" ? values.storage : "local"
/** Every round has a service of its own: what it keeps would grow, and reports over it slow down. */
const perRound = storage === "local" ? 100_000 : 10_000

const report = ({ findings, inputs: sent, logged, seconds, statuses }: Outcome) => {
  console.log(`${sent} inputs in ${seconds.toFixed(1)} s, rss ${Math.round(process.memoryUsage().rss / 1e6)} MB:`,
    JSON.stringify(statuses))
  for (const { index, problem, sent: bytes, what } of findings) {
    console.log(`\n--seed ${seed} --from ${index} --inputs 1 --storage ${storage}\n  ${what}\n  ${problem}\n  ${JSON.stringify(bytes)}`)
  }
  if (logged.length > 0) console.log(`\n${logged.length} lines logged, the first: ${logged[0]}`)
}

for (let at = from; at < from + inputs; at += perRound) {
  const outcome = await Effect.runPromise(run({ seed, from: at, inputs: Math.min(perRound, from + inputs - at), storage }))
  report(outcome)
  if (outcome.findings.length > 0) process.exitCode = 1
  if (outcome.findings.length > 0) break
}
