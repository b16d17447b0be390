/*
 * Runs one of `examples` against the service in memory and a fake provider: `npm run example -- <name>`, and with
 * `--down` while the service is down.
 */
import { exampleNames, runExample, startWorld } from "../test/examples/world.ts"

const [name = "", ...flags] = process.argv.slice(2)
if (!exampleNames.includes(name)) throw new Error(`Name one of ${exampleNames.join(", ")}`)

const world = await startWorld()
if (flags.includes("--down")) world.service.set("down")
const { code, stderr, stdout } = await runExample(name, world)
process.stdout.write(stdout)
process.stderr.write(stderr)
await world.close()
process.exitCode = code ?? 1
