/*
 * Writes the files that the clients have of the service and its API's document: `npm run generate`, and `npm ci` through
 * `prepare`. They are not kept in git.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { clientTypesOf } from "./generate/clientTypes.ts"
import { pythonTypesOf } from "./generate/pythonTypes.ts"
import { ownComponents } from "./generate/schemas.ts"
import { toolSchemas } from "./generate/toolSchemas.ts"

const at = (path: string): string => join(import.meta.dirname, "..", path)

const files = {
  "packages/client/src/Wire.ts": clientTypesOf(ownComponents),
  "packages/client/src/command/mcp/ToolSchemas.ts": toolSchemas(),
  // The service estimates a text by the same rule, and the client's package has nothing of the service.
  "packages/client/src/adapters/TextTokens.ts": readFileSync(at("src/domain/text/TextTokens.ts"), "utf8"),
  "clients/python/sextant_client/wire.py": pythonTypesOf(ownComponents)
}

for (const [path, text] of Object.entries(files)) {
  const file = at(path)
  // A file that is right stays untouched for the programs that watch it.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text)
}
