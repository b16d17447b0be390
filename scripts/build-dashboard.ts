/**
 * Bundles the page of packages/dashboard into its folder `bundle`, where the server reads it: `npm run dashboard`,
 * and `npm ci` through `prepare`. Without dev dependencies there is no bundler; then the page is left out.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { style } from "../packages/dashboard/src/Style.ts"

const source = join(import.meta.dirname, "../packages/dashboard/src")
const target = join(source, "../bundle")

/** Files that the page needs as they are. */
const plain = ["index.html", "icon.svg"]

const bundler = async () => {
  try {
    return await import("rolldown")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return null
    throw cause
  }
}

const found = await bundler()
if (found === null) {
  console.log("The dashboard was not built: there is no bundler without dev dependencies.")
} else {
  mkdirSync(target, { recursive: true })
  for (const name of plain) cpSync(join(source, name), join(target, name))
  writeFileSync(join(target, "style.css"), style.trimStart())
  await found.build({
    input: join(source, "main.ts"),
    platform: "browser",
    output: { file: join(target, "main.js"), format: "esm", minify: true },
    logLevel: "warn"
  })
}
