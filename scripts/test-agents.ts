/*
 * Installs the coding agents from npm, in a folder of their own, and drives them with our hooks against a provider on this
 * machine: `npm run test:agents`, or with names of agents. With `--latency` it measures what a hook adds to a subagent.
 * No agent is logged in anywhere, and none sees this machine's home.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { install } from "./Install.ts"

const root = join(import.meta.dirname, "..")
const tests = join(root, "test/packages/client/agents/real")
const clis = join(tests, "clis")

// A gigabyte.
await install(clis)

const words = process.argv.slice(2)
const environment = { ...process.env, SEXTANT_TEST_AGENTS: "1" }
if (words.includes("--latency")) {
  execFileSync(process.execPath, [join(root, "scripts/bench/agents.ts"), ...words], { cwd: root, stdio: "inherit", env: environment })
} else {
  const files = words.length === 0 ? [tests] : words.map((name) => join(tests, name))
  execFileSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files], {
    cwd: root, stdio: "inherit", env: environment
  })
}
