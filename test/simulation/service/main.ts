import { parseArgs } from "node:util"
import { mutations, sound } from "./mutations.ts"
import { simulate } from "./simulate.ts"

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
const [seeds, from, lines, failuresMax] = [values.seeds, values.from, values.trace, values.failures].map(Number) as [number, number, number, number]
const mutation = mutations.find(({ name }) => name === values.mutation) ?? sound

const faults = new Map<string, number>()
let [operations, failed] = [0, 0]
const began = performance.now()
let seed = from
for (; seed < from + seeds && failed < failuresMax; seed++) {
  const outcome = await simulate(seed, mutation)
  operations += outcome.operations
  for (const [name, count] of outcome.faults) faults.set(name, (faults.get(name) ?? 0) + count)
  const { hash, trace, violations } = outcome
  if (lines > 0) console.log(trace.slice(-lines).join("\n"))
  if (violations.length === 0) continue
  failed++
  process.exitCode = 1
  console.log(`\nseed ${seed} fails (${hash}):\n  ${violations.join("\n  ")}`)
  if (lines === 0) console.log(trace.slice(-15).map((line) => `  | ${line.slice(0, 300)}`).join("\n"))
  console.log(`  npm run test:simulation -- --seeds 1 --from ${seed} --trace 1000`)
}
const total = [...faults.values()].reduce((sum, count) => sum + count, 0)
const seconds = (performance.now() - began) / 1_000
console.log(`\n${seed - from} seeds, ${operations} operations, ${total} faults, ${failed} failed, ${seconds.toFixed(1)} s`)
console.log([...faults].sort().map(([name, count]) => `  ${name} ${count}`).join("\n"))
