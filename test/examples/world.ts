// What every example runs in: the service in memory, a fake provider, and the variables that name both.
import { Effect } from "effect"
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { installClient } from "../packages/client/support/Installed.ts"
import { peersFolder } from "../packages/client/support/Peers.ts"
import { models } from "../packages/client/support/RealService.ts"
import type { Stage } from "../packages/client/support/Stage.ts"
import { type Finished, runToEnd } from "../support/Service.ts"

const examples = join(import.meta.dirname, "../../examples")

/** The folder of an example. */
export const folderOf = (name: string): string => join(examples, name)

/** Names of all examples. */
export const exampleNames: ReadonlyArray<string> =
  readdirSync(examples).filter((name) => existsSync(join(examples, name, "example.json")))

interface Example {
  readonly command: ReadonlyArray<string>
  /** The folder of the frameworks that it imports, `<adapter>/<version>` under the adapters' peers. */
  readonly peers?: string
  /** What the models of the fake provider answer, by id. */
  readonly replies?: Readonly<Record<string, string>>
  /** Whether they first call the tool that they are given. */
  readonly callsTool?: boolean
}

const exampleOf = (name: string): Example =>
  JSON.parse(readFileSync(join(folderOf(name), "example.json"), "utf8")) as Example

/** The adapter whose frameworks an example imports; null for one that imports none. */
export const adapterOf = (name: string): string | null => exampleOf(name).peers?.split("/")[0] ?? null

/**
 * Lets an example in JavaScript import the built client and the frameworks that are installed for its adapter. Packages
 * that somebody has installed in the example's folder stay.
 */
export const linkPackages = (name: string): void => {
  const { peers } = exampleOf(name)
  if (!existsSync(join(folderOf(name), "package.json"))) return
  const modules = join(folderOf(name), "node_modules")
  if (peers !== undefined) {
    const installed = join(peersFolder, peers, "node_modules")
    if (!existsSync(installed)) throw new Error(`${name} is not installed: npm run test:adapters -- --install`)
    if (lstatSync(modules, { throwIfNoEntry: false })?.isDirectory() !== true) {
      rmSync(modules, { force: true })
      symlinkSync(installed, modules)
    }
  }
  installClient(modules)
}

/** The variables that an example reads. */
export const environmentOf = ({ provider, service }: Stage): Readonly<Record<string, string>> => ({
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
  world: Stage,
  over: Readonly<Record<string, string>> = {}
): Promise<Finished> => {
  const folder = folderOf(name)
  const { callsTool = false, command: [program = "", ...args], replies = {} } = exampleOf(name)
  for (const [model, text] of Object.entries(replies)) world.provider.say(model, text)
  if (callsTool) for (const model of models) world.provider.set(model, "tool")
  const node = program === "node" ? process.execPath : program
  return Effect.runPromise(runToEnd(node, args, { ...environmentOf(world), ...over }, folder))
}
