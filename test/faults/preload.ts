import dns from "node:dns"
import { readFileSync } from "node:fs"
import { isIP } from "node:net"

/*
 * Loaded into a service before its own code (`NODE_OPTIONS=--import`): what cannot be had from outside.
 * FAULTS_HOSTS names a file of JSON, host names to addresses, read at every look-up; FAULTS_FETCH a base URL
 * where every `fetch` goes, with its host as the first part of the path; SIGUSR2 blocks the event loop for
 * FAULTS_BLOCK_MS milliseconds.
 */

type Answered = (error: NodeJS.ErrnoException | null, address: string | ReadonlyArray<object>, family?: number) => void

const hosts = process.env["FAULTS_HOSTS"]
if (hosts !== undefined) {
  const notFound = (name: string) => Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" })
  const lookup = (name: string, options: { readonly all?: boolean }, answered: Answered): void => {
    // The seam: the file is this test's own.
    const known = JSON.parse(readFileSync(hosts, "utf8")) as Readonly<Record<string, string>>
    const address = known[name] ?? (isIP(name) > 0 ? name : undefined)
    setImmediate(() => {
      if (address === undefined) answered(notFound(name), "")
      else if (options.all === true) answered(null, [{ address, family: 4 }])
      else answered(null, address, 4)
    })
  }
  Object.assign(dns, { lookup })
}

const elsewhere = process.env["FAULTS_FETCH"]
if (elsewhere !== undefined) {
  const original = globalThis.fetch
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    return original(`${elsewhere}/${url.host}${url.pathname}`, init)
  }
}

const blockMs = Number(process.env["FAULTS_BLOCK_MS"] ?? 0)
if (blockMs > 0) {
  process.on("SIGUSR2", () => {
    const until = Date.now() + blockMs
    while (Date.now() < until) { /* nothing else runs */ }
  })
}
