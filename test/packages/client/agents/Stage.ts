// What the suites of coding agents start from: a fake service, and a machine on which hooks may be installed.
import { afterAll, assert, beforeAll, beforeEach } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type FakeSextant, startFakeSextant } from "./FakeSextant.ts"
import { createWorld, type World } from "./World.ts"

/** How long the hooks of a machine may wait, in ms, as far as they take it. */
export const waits = (world: World, deadlineMs: number): void => {
  const path = join(world.home, ".sextant", "agents.json")
  writeFileSync(path, readFileSync(path, "utf8").replace(/"deadlineMs": \d+/, `"deadlineMs": ${deadlineMs}`))
}

/** Installs a tool's hooks, which have all the time that a setting can ask for: the machine of a test is busy. */
export const install = async (world: World, ...args: ReadonlyArray<string>): Promise<void> => {
  const { code, stderr } = await world.client(["agents", "install", ...args])
  assert.strictEqual(code, 0, stderr)
  waits(world, 1e12)
}

/**
 * The service and the machine of the suite that calls it. Before each test the service is up, has been sent nothing and
 * names `pick`; the machine is new, or a copy of one on which `args` were installed.
 */
export const staged = (pick = "claude-haiku-5-5#low", ...args: ReadonlyArray<string>) => {
  const [service, world] = [{} as FakeSextant, {} as World]
  let installed: World | undefined
  beforeAll(async () => {
    Object.assign(service, await startFakeSextant())
    if (args.length > 0) await install(installed = createWorld(service), ...args)
  })
  beforeEach(() => {
    Object.assign(world, createWorld(service, installed))
    service.set("up")
    service.name(pick)
    service.sent.length = 0
  })
  afterAll(() => service.close())
  return { service, world }
}
