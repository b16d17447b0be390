/** How long a service's probes take while something else goes on. */
const probePaths = ["/livez", "/readyz", "/v1/health", "/v1/capabilities"] as const

/** Time between two rounds of probes, ms. */
const everyMs = 50

export interface Probed {
  /** Latency of every probe that was answered with 200, ms. */
  readonly latenciesMs: ReadonlyArray<number>
  readonly others: number
}

/** Asks all probes of the port, one after another, until `over` settles. */
export const probing = async (port: number, over: Promise<unknown>): Promise<Probed> => {
  const latenciesMs: Array<number> = []
  let others = 0
  const now = { isOver: false }
  const end = () => void (now.isOver = true)
  const done = over.then(end, end)
  while (!now.isOver) {
    for (const path of probePaths) {
      const sentMs = performance.now()
      const status = await fetch(`http://127.0.0.1:${port}${path}`).then(async (response) => {
        await response.arrayBuffer()
        return response.status
      }, () => 0)
      if (status === 200) latenciesMs.push(performance.now() - sentMs)
      else others++
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
  await done
  return { latenciesMs, others }
}
