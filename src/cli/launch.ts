#!/usr/bin/env node
// The program that npm installs as `sextant`. On Node below 24, `sextant` runs under the package `node`.
// This file has no static import of the package's other files, because it must also run on Node 20.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const majorMin = 24

const major = Number(process.versions.node.split(".")[0])

/** Path of the program in the dependency `node`; null if it is not there. */
const bundledNode = (): string | null => {
  try {
    const folder = dirname(module.createRequire(import.meta.url).resolve("node/package.json"))
    const path = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node")
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** Runs this file under another Node, with this process's arguments, streams and signals. */
const runUnder = (node: string): void => {
  const self = fileURLToPath(import.meta.url)
  const child = spawn(node, [...process.execArgv, self, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
}

/** The file of the command line: `main.ts` in a checkout, and `main.js` in the package. */
const cli = new URL(`./main${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)

/**
 * Caches compiled code in `node_modules`, for faster starts. The cache must not be in a folder that other
 * users can write, such as /tmp.
 */
const cacheCode = (): void => {
  const manifest = module.findPackageJSON(import.meta.url)
  if (manifest === undefined) return
  module.enableCompileCache(join(dirname(manifest), "node_modules/.cache/sextant"))
}

if (major >= majorMin) {
  cacheCode()
  await import(cli.href)
} else {
  const node = bundledNode()
  if (node === null) {
    console.error(`Sextant needs Node ${majorMin}, but this is ${process.version}, and the package \`node\` `
      + `is not installed. Install Node ${majorMin}, or allow the install script of the package \`node\`.`)
    process.exitCode = 1
  } else runUnder(node)
}
