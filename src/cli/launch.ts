#!/usr/bin/env node
// What npm puts on the path as `sextant`. It must run on whatever Node a machine has, from 20 on, and so uses
// nothing else of ours: the service wants Node 24, which the package brings along.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const majorMin = 24

const major = Number(process.versions.node.split(".")[0])

/** The Node of our own dependency; null where its installation was prevented. */
const ownNode = (): string | null => {
  try {
    const folder = dirname(module.createRequire(import.meta.url).resolve("node/package.json"))
    const path = join(folder, "bin", process.platform === "win32" ? "node.exe" : "node")
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

/** Runs this file under another Node, as if it were this process. */
const handOver = (node: string): void => {
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

/** Beside this file, in TypeScript as it is. */
const cli = new URL(`./main${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)

/**
 * Keeps what V8 made of the sources beside the packages, which saves a third of a start's CPU. Where that
 * cannot be written, as in the image, what is there is read; it is never a folder that others can write, as
 * /tmp is.
 */
const cacheCode = (): void => {
  module.enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/sextant", import.meta.url)))
}

if (major >= majorMin) {
  cacheCode()
  await import(cli.href)
} else {
  const node = ownNode()
  if (node === null) {
    const lack = `Sextant needs Node ${majorMin}, not ${process.version}, and the package's own is missing.`
    console.error(`${lack} `
      + "Install Node 24, or allow the install script of the package `node`.")
    process.exitCode = 1
  } else handOver(node)
}
