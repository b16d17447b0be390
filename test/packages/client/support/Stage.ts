// The service and a fake provider that a suite runs against, started once and mended before each test.
import { afterAll, afterEach, beforeAll, beforeEach } from "@effect/vitest"
import type { Sextant } from "../../../../packages/client/src/index.ts"
import { type FakeProvider, startFakeProvider } from "./FakeProvider.ts"
import { type RealService, startRealService } from "./RealService.ts"

export interface Stage {
  readonly service: RealService
  readonly provider: FakeProvider
}

/** Starts both; `close` ends them. */
export const startStage = async (): Promise<Stage & { readonly close: () => Promise<void> }> => {
  const [service, provider] = await Promise.all([startRealService(), startFakeProvider()])
  return {
    service,
    provider,
    close: async () => {
      provider.close()
      await service.close()
    }
  }
}

/** The service of the suite that calls it: started before its tests, mended before each, and closed after the last. */
export const served = (): RealService => {
  const service = {} as RealService
  beforeAll(async () => {
    Object.assign(service, await startRealService())
  })
  afterAll(() => service.close())
  beforeEach(() => {
    service.set("up")
    service.asked.length = service.reports.length = 0
  })
  return service
}

/** The stage of the suite that calls it, with a provider that is treated alike; its streams have this pace. */
export const staged = (paceMs?: number): Stage => {
  const service = served()
  const provider = {} as FakeProvider
  beforeAll(async () => {
    Object.assign(provider, await startFakeProvider(paceMs))
  })
  afterAll(() => provider.close())
  beforeEach(() => provider.reset())
  return { service, provider }
}

/** What keeps the apps of the suite that calls it: their reports have gone when each test ends. */
export const keeping = () => {
  const apps: Array<{ readonly sextant: Pick<Sextant, "flush"> }> = []
  afterEach(async () => {
    for (const { sextant } of apps.splice(0)) await sextant.flush()
  })
  return <App extends typeof apps[number]>(app: App): App => {
    apps.push(app)
    return app
  }
}
