/* `sextant-client init`: proposes models, sets the chosen ones, and prints the lines of code. */
import { runCommand } from "../Command.ts"
import {
  type Answer, type Connection, connectionOf, notSextant, oneLine, request, ServiceFailure, Stop
} from "../Service.ts"
import { choose, type Chosen, idsOf, listed } from "./Choose.ts"
import { type Code, codeOf, runnable } from "./Code.ts"
import { type InitOptions, initOptionsOf, initUsage } from "./Options.ts"
import type { CatalogModel } from "./Proposal.ts"
import { askAtTerminal } from "./Terminal.ts"

/** The account's own models and default candidates, which `PUT /v1/account/models` replaces as a whole. */
interface Account {
  readonly default_candidates: ReadonlyArray<string> | null
  readonly default_providers: ReadonlyArray<string> | null
  readonly models: ReadonlyArray<unknown>
}

type Written = "written" | "unchanged" | "kept" | "dry_run" | "forbidden"

/** Fails if the list of models does not have the service's form. */
const read = async (connection: Connection) => {
  const { models } = await request(connection, "GET", "/v1/models")
  const account: Answer & Partial<Account> = await request(connection, "GET", "/v1/account/models")
  const isModel = (model: unknown): model is CatalogModel =>
    typeof Object(model).model_id === "string" && typeof Object(model).provider === "string"
  if (!Array.isArray(models) || !models.every(isModel)) {
    throw notSextant(connection)
  }
  const { default_candidates = null, default_providers = null, models: own = [] } = account
  return { catalog: models, account: { default_candidates, default_providers, models: own } }
}

/** The address of the service's archive or, without an archive, the package's name. */
const clientAt = async (connection: Connection): Promise<string> => {
  try {
    const { clients } = await request(connection, "GET", "/")
    const path = Object(clients).npm
    // The path is printed in a shell command, so only harmless characters are accepted.
    return typeof path === "string" && /^\/clients\/[\w.-]+\.tgz$/.test(path)
      ? connection.baseUrl + path
      : "sextant-client"
  } catch (error) {
    // A proxy may pass only the API, so a failed `GET /` is no error.
    if (error instanceof ServiceFailure) return "sextant-client"
    throw error
  }
}

const isSame = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  [...new Set(some)].sort().join() === [...new Set(others)].sort().join()

/** The account's default providers are kept only if they are exactly the new candidates' providers. */
const documentOf = (account: Account, models: ReadonlyArray<CatalogModel>): Account => {
  const served = models.map(({ provider }) => provider.toLowerCase())
  const stays = account.default_providers !== null
    && isSame(account.default_providers.map((name) => name.toLowerCase()), served)
  return {
    ...account,
    default_candidates: idsOf(models),
    default_providers: stays ? account.default_providers : null
  }
}

/** Describes the candidates that a write would replace; null if it would replace none. */
const replacedBy = (account: Account, document: Account): string | null => {
  const { default_candidates, default_providers } = account
  if (default_candidates === null && default_providers === document.default_providers) return null
  const candidates = default_candidates === null ? "all models" : listed(default_candidates)
  return default_providers === null ? candidates : `${candidates} served by ${listed(default_providers)}`
}

/** Candidates that the account already has are replaced only by the flag or if the person agrees. */
const write = async (
  { dryRun, replace }: InitOptions,
  connection: Connection,
  account: Account,
  document: Account,
  isAsked: boolean
): Promise<Written> => {
  const { default_candidates: before, default_providers } = account
  if (before !== null && isSame(before, document.default_candidates ?? [])
    && default_providers === document.default_providers) return "unchanged"
  if (dryRun) return "dry_run"
  const existing = replacedBy(account, document)
  if (existing !== null && !replace) {
    const question = `The account chooses among ${existing}. Replace these? [y/N]: `
    const answer = isAsked ? await askAtTerminal(question) : "n"
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) return "kept"
  } else if (existing === null && isAsked) {
    const answer = await askAtTerminal("Set these as the account's default candidates? [Y/n]: ")
    if (answer === null) throw new Stop(1, "left; nothing is written")
    if (/^n/i.test(answer.trim())) return "kept"
  }
  try {
    await request(connection, "PUT", "/v1/account/models", { body: document })
    return "written"
  } catch (error) {
    if (error instanceof ServiceFailure && error.status === 403) return "forbidden"
    throw error
  }
}

const outcomes: Readonly<Record<Written, string>> = {
  written: "set: requests that name no candidates choose among these",
  unchanged: "unchanged: these were its default candidates before",
  kept: "kept as it is; --replace sets these as its default candidates",
  dry_run: "not written: --dry-run",
  forbidden: "not written: the key's role is not admin; the server's command "
    + "`sextant keys create --instance <account> --role admin` makes such a key"
}

const report = (
  { json }: InitOptions,
  { baseUrl }: Connection,
  { defaultModel, found, models }: Chosen,
  account: Account,
  document: Account,
  written: Written,
  code: Code
): void => {
  if (json) {
    console.log(JSON.stringify({
      url: baseUrl, providers: found, models: idsOf(models), default_model_id: defaultModel.model_id,
      account: written, existing_candidates: account.default_candidates, document, ...code
    }))
    return
  }
  const because = found.map((one) => `${one.provider} (${one.because})`).join(", ")
  console.log(`service    ${baseUrl}`)
  if (because !== "") console.log(`providers  ${oneLine(because)}`)
  console.log(`models     ${listed(idsOf(models))}`)
  console.log(`default    ${oneLine(defaultModel.model_id)}`)
  console.log(`account    ${outcomes[written]}`)
  if (account.default_providers !== document.default_providers && written === "written") {
    console.log(`           its default_providers are cleared: ${listed(account.default_providers ?? [])}`)
  }
  if (written === "dry_run") console.log(`document   ${JSON.stringify(document)}`)
  console.log(`\nnpm install ${code.install.join(" ")}\n`)
  for (const line of code.lines) console.log(line)
}

const run = async (options: InitOptions): Promise<number> => {
  const connection = connectionOf(process.env, options.url)
  if (typeof connection === "string") throw new Stop(2, connection)
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY
  const isAsked = isTerminal && !options.yes && !options.json
  const { account, catalog } = await read(connection)
  const chosen = await choose(options, catalog, isAsked)
  const document = documentOf(account, chosen.models)
  const written = await write(options, connection, account, document, isAsked)
  const able = runnable(chosen.sdk, chosen.models)
  const code = codeOf(
    chosen.sdk, able, chosen.defaultModel.model_id, connection.baseUrl, await clientAt(connection)
  )
  report(options, connection, chosen, account, document, written, code)
  if (written === "kept") console.error(`sextant-client init: the account is ${outcomes.kept}`)
  if (written !== "forbidden") return 0
  console.error(`sextant-client init: the account's models are ${outcomes.forbidden}`)
  return 3
}

export const init = (args: ReadonlyArray<string>): Promise<number> =>
  runCommand("init", initUsage, () => initOptionsOf(args), run)
