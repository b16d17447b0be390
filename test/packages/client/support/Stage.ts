// The service and a fake provider that a suite runs against, started once and mended before each test.
import { afterAll, beforeAll, beforeEach } from "@effect/vitest"
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

/** The stage of the suite that calls it: started before its tests, mended before each, and closed after the last. */
export const staged = (): Stage => {
  const stage = {} as { service: RealService; provider: FakeProvider }
  let close = async (): Promise<void> => {}
  beforeAll(async () => {
    const { close: end, ...started } = await startStage()
    close = end
    Object.assign(stage, started)
  })
  afterAll(() => close())
  beforeEach(() => {
    stage.service.set("up")
    stage.service.asked.length = stage.service.reports.length = 0
    stage.provider.reset()
  })
  return stage
}
