/**
 * Loaded into a service by `--import`: writes once a second to the file of SEXTANT_BENCH_STRETCHES how much
 * processor time went by at most between two looks at the event loop, which no other load of the machine can
 * lengthen. What a probe waits for at worst is twice that.
 */
import { appendFileSync } from "node:fs"

const path = process.env["SEXTANT_BENCH_STRETCHES"]
const everyMs = 1_000

const threadMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

if (path !== undefined) {
  let before = threadMs()
  let longestMs = 0
  setInterval(() => {
    const now = threadMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }, 1).unref()
  setInterval(() => {
    appendFileSync(path, `${JSON.stringify({ atMs: Date.now(), longestMs })}\n`)
    longestMs = 0
  }, everyMs).unref()
}
