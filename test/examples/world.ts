// What every example runs in: the service in memory, a fake provider, and the variables that name both.
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type FakeProvider, startFakeProvider } from "../packages/client/support/FakeProvider.ts"
import { models, type RealService, startRealService } from "../packages/client/support/RealService.ts"
import { type Finished, runToEnd } from "../support/Service.ts"

const examples = join(import.meta.dirname, "../../examples")

/** The folder of an example. */
export const folderOf = (name: string): string => join(examples, name)

/** Names of all examples. */
export const exampleNames: ReadonlyArray<string> =
  readdirSync(examples).filter((name) => existsSync(join(examples, name, "example.json")))

export interface World {
  readonly service: RealService
  readonly provider: FakeProvider
  readonly close: () => Promise<void>
}

export const startWorld = async (): Promise<World> => {
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

/** The variables that an example reads. */
export const environmentOf = ({ provider, service }: World): Readonly<Record<string, string>> => ({
  SEXTANT_URL: service.baseUrl,
  SEXTANT_KEY: service.apiKey,
  // A machine that runs many suites at once must not turn into defaults.
  SEXTANT_DEADLINE_MS: "10000",
  OPENAI_BASE_URL: `${provider.url}/v1`,
  OPENAI_API_KEY: "fake",
  ANTHROPIC_BASE_URL: provider.url,
  ANTHROPIC_API_KEY: "fake",
  MODELS: models.join(","),
  PYTHONPATH: join(examples, "../clients/python"),
  PYTHONDONTWRITEBYTECODE: "1"
})

/** Runs an example to its end, at most 60 s; `over` replaces variables. */
export const runExample = (
  name: string,
  world: World,
  over: Readonly<Record<string, string>> = {}
): Promise<Finished> => {
  const folder = folderOf(name)
  const { command: [program = "", ...args] } = JSON.parse(readFileSync(join(folder, "example.json"), "utf8")) as {
    readonly command: ReadonlyArray<string>
  }
  const node = program === "node" ? process.execPath : program
  return Effect.runPromise(runToEnd(node, args, { ...environmentOf(world), ...over }, folder))
}
