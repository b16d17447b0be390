/*
 * Runs the built client in Bun and Deno, which come from the registry as `scripts/checks/runtimes/package-lock.json`
 * names them (Linux on x64), and in every Node given by path (`--node /usr/bin/node`, more than once).
 */
import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { givenNodes, installIn, root, run } from "./package/packing.ts"

/** A program that does not end by itself is ended after this, in ms, which is a failure. */
const endsWithinMs = 30_000

const directory = mkdtempSync(join(tmpdir(), "sextant-runtimes-"))
try {
  cpSync(join(root, "scripts/checks/runtimes"), directory, { recursive: true })
  installIn(directory)
  run(
    directory, process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p",
    join(root, "packages/client/tsconfig.json"), "--outDir", join(directory, "dist")
  )
  const entry = pathToFileURL(join(directory, "dist/index.js")).href
  const installed = (name: string): string => {
    const path = join(directory, "node_modules", name)
    chmodSync(path, 0o755)
    return path
  }
  const runtimes: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
    [installed("@oven/bun-linux-x64/bin/bun")], [installed("@deno/linux-x64-glibc/deno"), "run", "--allow-net", "--allow-read", "--allow-env"],
    ...givenNodes.map((node) => [node] as const)
  ]
  for (const [program, ...flags] of runtimes) {
    const version = execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")[0]
    const said = execFileSync(program, [...flags, "program.js", entry], {
      cwd: directory, encoding: "utf8", timeout: endsWithinMs, stdio: ["ignore", "pipe", "inherit"]
    })
    console.log(program, version, said.trim())
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
