/*
 * Runs one of `examples` against the service in memory and a fake provider: `npm run example -- <name>`, and with
 * `--down` while the service is down; without a name it lists them. Installs the frameworks that the example imports, as for the adapters' tests.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { adapterOf, exampleNames, linkPackages, runExample } from "../test/examples/world.ts"
import { startStage } from "../test/packages/client/support/Stage.ts"

const [name = "", ...flags] = process.argv.slice(2)
if (!exampleNames.includes(name)) {
  if (name !== "") console.error(`There is no example ${name}.`)
  // The rows of the table: name, what it shows, command.
  const table = readFileSync(join(import.meta.dirname, "../examples/README.md"), "utf8")
  for (const [, example = "", shows = ""] of table.matchAll(/^\| \[([\w-]+)\]\([^)]*\) \| (.*?) \| `npm run example/gm)) {
    console.log(`npm run example -- ${example.padEnd(20)} ${shows}`)
  }
  process.exit(name === "" ? 0 : 1)
}

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
