#!/usr/bin/env node
// What npm puts on the path as `sextant`. It must run on whatever Node a machine has, from 20 on, and so uses
// nothing else of ours: the service wants Node 24, which the package brings along.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const majorMin = 24

/** With memory protection keys V8 at times loses track of WebAssembly's pages, and ends the process. */
const withoutKeys = "--no-memory-protection-keys"

/** V8 takes its flags with either dash, and reads them only when the process starts. */
const isWithoutKeys = process.execArgv.some((flag) => /^--no-?memory[-_]protection[-_]keys$/.test(flag))

const major = Number(process.versions.node.split(".")[0])

/** The Node of our own dependency; null where its installation was prevented. */
const ownNode = (): string | null => {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("node/package.json"))
    const path = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node")
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** Runs the command line under another Node, as if it were this process. */
const handOver = (node: string): void => {
  const cli = fileURLToPath(new URL("./cli.js", import.meta.url))
  const flags = isWithoutKeys ? process.execArgv : [...process.execArgv, withoutKeys]
  const child = spawn(node, [...flags, cli, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
}

if (major >= majorMin && isWithoutKeys) await import("./cli.js")
else if (major >= majorMin) handOver(process.execPath)
else {
  const node = ownNode()
  if (node === null) {
    const lack = `Sextant needs Node ${majorMin}, not ${process.version}, and the package's own is missing.`
    console.error(`${lack} `
      + "Install Node 24, or allow the install script of the package `node`.")
    process.exitCode = 1
  } else handOver(node)
}
