import { parseArgs } from "node:util"
import { mutations, sound } from "./mutations.ts"
import { failureOf, simulate } from "./simulate.ts"

/*
 * npm run test:simulation -- --seeds 5000 --from 1 [--mutation "counts a repeated feedback twice"]
 * A failing seed is printed with the end of its trace; `--seeds 1 --from <seed> --trace 1000` plays it again.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    trace: { type: "string", default: "0" },
    mutation: { type: "string", default: "none" },
    failures: { type: "string", default: "3" }
  }
})
const [seeds, from] = [Number(values.seeds), Number(values.from)]
const [lines, failuresMax] = [Number(values.trace), Number(values.failures)]
const mutation = mutations.find(({ name }) => name === values.mutation) ?? sound

const faults = new Map<string, number>()
let [operations, failed] = [0, 0]
const began = performance.now()
let seed = from
for (; seed < from + seeds && failed < failuresMax; seed++) {
  const outcome = await simulate(seed, mutation)
  operations += outcome.operations
  for (const [name, count] of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + count)
  if (lines > 0) console.log(outcome.trace.slice(-lines).join("\n"))
  const failure = failureOf(outcome)
  if (failure === null) continue
  failed++
  process.exitCode = 1
  console.log(`\n${failure}`)
}
const total = [...faults.values()].reduce((sum, count) => sum + count, 0)
const seconds = (performance.now() - began) / 1_000
console.log(`\n${seed - from} seeds, ${operations} operations, ${total} faults, ${failed} failed, ${seconds.toFixed(1)} s`)
console.log([...faults].sort().map(([name, count]) => `  ${name} ${count}`).join("\n"))
