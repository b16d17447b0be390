/*
 * Installs the coding agents from npm, in a folder of their own, and drives them with our hooks against a provider on this
 * machine: `npm run test:agents`, or with names of agents. With `--latency` it measures what a hook adds to a subagent.
 * No agent is logged in anywhere, and none sees this machine's home.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const tests = join(root, "test/packages/client/agents/real")
const clis = join(tests, "clis")

const lock = readFileSync(join(clis, "package-lock.json"), "utf8")
const mark = join(clis, "node_modules/.installed")
if (!existsSync(mark) || readFileSync(mark, "utf8") !== lock) {
  console.log(`installing the coding agents in ${clis}: a gigabyte`)
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], {
    cwd: clis, stdio: "inherit"
  })
  writeFileSync(mark, lock)
}

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
