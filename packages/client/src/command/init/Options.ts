/* Parses the flags of `sextant-client init`. */
import { parseArgs } from "node:util"
import { type Sdk, sdks } from "./Code.ts"

export const initUsage = `Usage: sextant-client init [flags]

Finds the providers that this program uses, proposes models of them, sets these as the account's default
candidates, and prints the lines for the SDK that it found. It reads names of variables and of packages,
and sends nothing but the models that you choose, to the service alone.

  --provider <name>        Providers, in place of those that are found; repeated, or with commas between
  --model <id>             Models, in place of those that are proposed; repeated, or with commas between
  --default-model <id>     The model that runs whenever the service cannot say
  --sdk <name>             ${sdks.join(", ")}
  --url <url>              The service, in place of SEXTANT_URL
  --replace                Replaces default candidates that the account already has
  --yes, -y                Asks nothing; so does an input that is no terminal
  --dry-run                Writes nothing
  --json                   Prints one JSON object, and asks nothing
  --help, -h               Prints this

Environment: SEXTANT_URL (http://127.0.0.1:8080), SEXTANT_KEY (of the role admin, to write)
Exit codes: 0 done, 1 the service failed or the questions were left, 2 wrong arguments or environment,
3 the key is refused, or may not write`

/** Returns the names in a flag that may be repeated and may have commas between names. */
export const namesOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts.flatMap((text) => text.split(",").map((name) => name.trim())).filter(Boolean))]

const isSdk = (name: string): name is Sdk => sdks.some((sdk) => sdk === name)

/** Returns the options, `"help"`, or one line about a wrong argument. */
export const initOptionsOf = (args: ReadonlyArray<string>) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      provider: { type: "string", multiple: true, default: [] },
      model: { type: "string", multiple: true, default: [] },
      "default-model": { type: "string" },
      sdk: { type: "string" },
      url: { type: "string" },
      replace: { type: "boolean", default: false },
      yes: { type: "boolean", short: "y", default: false },
      "dry-run": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  const { json, replace, sdk, url, yes } = values
  if (values.help) return "help"
  if (sdk !== undefined && !isSdk(sdk)) return `--sdk is one of ${sdks.join(", ")}`
  return {
    url, sdk, yes, replace, json, dryRun: values["dry-run"], defaultModel: values["default-model"],
    providers: namesOf(values.provider), models: namesOf(values.model)
  }
}

export type InitOptions = Exclude<ReturnType<typeof initOptionsOf>, string>
