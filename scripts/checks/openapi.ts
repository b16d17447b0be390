/*
 * Reads `/openapi.json` as other people's tools do: lints it with Redocly, which must find nothing, generates
 * clients with `@hey-api/openapi-ts` and `openapi-typescript`, and checks the types of a program against both.
 * The tools come from the registry, as `scripts/checks/openapi/package-lock.json` names them, into a folder
 * that is removed afterwards.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installIn, root, run } from "./package/packing.ts"

const directory = mkdtempSync(join(tmpdir(), "sextant-openapi-"))

/** Runs one of the tools. */
const tool = (name: string, ...args: ReadonlyArray<string>): string =>
  run(directory, process.execPath, join("node_modules", ".bin", name), ...args)

try {
  cpSync(join(root, "scripts/checks/openapi"), directory, { recursive: true })
  const document = execFileSync(process.execPath, [join(root, "src/cli/main.ts"), "openapi"], {
    encoding: "utf8", maxBuffer: 2 ** 26
  })
  writeFileSync(join(directory, "openapi.json"), document)
  installIn(directory)

  const lint = JSON.parse(tool("redocly", "lint", "openapi.json", "--extends=recommended", "--format=json"))
  const { errors, warnings } = lint.totals
  if (errors > 0 || warnings > 0) throw new Error(`Redocly finds: ${JSON.stringify(lint.problems, null, 1)}`)

  tool("openapi-ts", "--input", "openapi.json", "--output", "hey-api")
  tool("openapi-typescript", "openapi.json", "--output", "types.ts")
  console.log(tool("tsc", "--project", "tsconfig.json"))
  console.log("Redocly finds nothing, and both generated clients pass the compiler")
} finally {
  rmSync(directory, { recursive: true, force: true })
}
