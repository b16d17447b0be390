/* The accounts that the demo mints for itself, by the command line and so on the service's own database. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { clusterIn } from "../../src/postgres/embedded/Cluster.ts"
import { spreadFile } from "./spread.ts"

/** The demo cannot mint an account; the message says why, and what to do. */
class NotMinted extends Error {}

export interface DemoAccount {
  readonly instance: string
  /** The key, a secret. */
  readonly key: string
}

const launch = fileURLToPath(new URL("../../src/cli/launch.ts", import.meta.url))

/** Runs `sextant …` with this process's variables and folder; yields what it printed, null if it failed. */
const command = (...args: ReadonlyArray<string>): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launch, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => complaint += chunk)
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => printed += chunk)
    child.once("error", reject)
    child.once("close", (code) => {
      if (code !== 0) console.error(complaint.trim())
      resolve(code === 0 ? printed : null)
    })
  })

const isLocal = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** How long an unused key of a demo that was forgotten stays good. */
const lifetime = "30d"

const hint = "Or give a key of an account: npm run demo -- --key sxt_…"

/** Fails where a command could not reach the database of the service at `url`; nothing has been made then. */
const requireService = async (url: string): Promise<void> => {
  if (!URL.canParse(url)) throw new NotMinted(`--url ${url} is no URL.`)
  if (!isLocal(new URL(url))) {
    throw new NotMinted(`The service at ${url} is not on this machine, so no account can be minted for it. ${hint}`)
  }
  const answer = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  if (answer?.ok !== true) {
    throw new NotMinted(`No service answers at ${url}: start it with \`npm start\`, or name it with --url.`)
  }
  const { DATABASE_URL = "", SEXTANT_DATA_DIR = "", SEXTANT_MEMORY_URL = "" } = process.env
  const directory = SEXTANT_DATA_DIR || ".sextant"
  // A command would make a new database there, which the service does not use.
  if (DATABASE_URL === "" && SEXTANT_MEMORY_URL === "" && !existsSync(clusterIn(directory))) {
    throw new NotMinted(`There is no database in ${directory}: run the demo in the service's folder and with its`
      + ` variables (SEXTANT_DATA_DIR, DATABASE_URL). ${hint}`)
  }
}

/** Mints an account with one key, which the service at `url` accepts at once; one that it does not know is revoked. */
const mint = async (url: string, instance: string): Promise<DemoAccount> => {
  const printed = await command("keys", "create", "--instance", instance, "--expires", lifetime)
  const [key = "", keyId = ""] = /^sxt_[a-z0-9-]+_([a-z0-9-]+)_\S+$/m.exec(printed ?? "") ?? []
  if (key === "") throw new NotMinted(`No key was made. ${hint}`)
  const { status } = await fetch(`${url}/v1/models`, {
    headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(10_000)
  })
  if (status === 401) {
    const isRevoked = await command("keys", "revoke", "--instance", instance, "--key-id", keyId) !== null
    throw new NotMinted(`The service at ${url} does not know the key of the new account ${instance}, so it has`
      + ` another database than this folder and these variables name. The key is`
      + ` ${isRevoked ? "revoked" : `good for ${lifetime}`}. ${hint}`)
  }
  return { instance, key }
}

/** The accounts of a demo: a month is played in the first within seconds, and is moved to the second with its dates. */
interface DemoAccounts {
  readonly played: DemoAccount
  readonly shown: DemoAccount
}

/**
 * Mints the two accounts. Their names are new every time, so that made-up figures meet no others.
 *
 * @throws {NotMinted} without a service on this machine, or where its keys lie elsewhere
 */
export const mintAccounts = async (url: string): Promise<DemoAccounts> => {
  await requireService(url)
  const instance = `demo-${randomBytes(4).toString("hex")}`
  const minting = [mint(url, `${instance}-played`), mint(url, instance)] as const
  // Both have ended, and revoked their keys, before one that failed ends the program.
  await Promise.allSettled(minting)
  const [played, shown] = await Promise.all(minting)
  return { played, shown }
}

const days = 30

/** Moves what was played between these times to the last thirty days, into the account that is shown. */
export const moveToMonth = async ({ played, shown }: DemoAccounts, startMs: number, endMs: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "sextant-demo-"))
  const path = join(folder, "account.jsonl")
  try {
    const isExported = await command("account", "export", "--instance", played.instance, path) !== null
    if (!isExported) throw new NotMinted("What was played could not be exported.")
    spreadFile(path, { startMs, endMs }, { startMs: endMs - days * 86_400_000, endMs })
    const [imported] = await Promise.all([
      command("account", "import", "--instance", shown.instance, path),
      command("account", "erase", "--instance", played.instance, "--yes")
    ])
    if (imported === null) throw new NotMinted("What was played could not be moved to its month.")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
