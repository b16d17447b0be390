/**
 * Bundles the page of packages/dashboard into its folder `bundle`, where the server reads it: `npm run dashboard`,
 * and `npm ci` through `prepare`. Without dev dependencies there is no bundler; then the page is left out.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { style } from "../packages/dashboard/src/Style.ts"
import { devModule } from "./DevModule.ts"

const source = join(import.meta.dirname, "../packages/dashboard/src")
const target = join(source, "../bundle")

/** Files that the page needs as they are. */
const plain = ["index.html", "icon.svg"]

const bundler = await devModule(() => import("./Bundle.ts"))
if (bundler === null) {
  console.log("The dashboard was not built: there is no bundler without dev dependencies.")
} else {
  mkdirSync(target, { recursive: true })
  for (const name of plain) cpSync(join(source, name), join(target, name))
  writeFileSync(join(target, "style.css"), style.trimStart())
  await bundler.bundle(join(source, "main.ts"), join(target, "main.js"))
}
