/*
 * Runs one of `examples` against the service in memory and a fake provider: `npm run example -- <name>`, and with
 * `--down` while the service is down. Installs the frameworks that the example imports, as for the adapters' tests.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { adapterOf, exampleNames, linkPackages, runExample } from "../test/examples/world.ts"
import { startStage } from "../test/packages/client/support/Stage.ts"

const [name = "", ...flags] = process.argv.slice(2)
if (!exampleNames.includes(name)) throw new Error(`Name one of ${exampleNames.join(", ")}`)

const adapter = adapterOf(name)
if (adapter !== null) {
  const install = join(import.meta.dirname, "test-adapters.ts")
  execFileSync(process.execPath, [install, "--install", adapter], { stdio: "inherit" })
}
linkPackages(name)

const world = await startStage()
if (flags.includes("--down")) world.service.set("down")
const { code, stderr, stdout } = await runExample(name, world)
process.stdout.write(stdout)
process.stderr.write(stderr)
await world.close()
process.exitCode = code ?? 1
