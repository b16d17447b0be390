/*
 * Makes the site of `/docs` of the pages of `docs`, where the server reads it: `npm run docs`, and `npm ci` through
 * `prepare`. Without dev dependencies there is no parser of Markdown; then the site is left out.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { colours } from "../packages/dashboard/src/Style.ts"
import { devModule } from "./DevModule.ts"

const docs = join(import.meta.dirname, "../docs")
const own = join(import.meta.dirname, "docs")

/** The folder of the site, which `dist` has at the same place. */
const target = join(import.meta.dirname, "../src/http/docs/site")

/** The bundled script. */
const script = "docs.js"

const tools = await devModule(() => Promise.all([import("./docs/Site.ts"), import("./Bundle.ts")]))
if (tools === null) {
  console.log("The documentation was not built: there is no parser of Markdown without dev dependencies.")
} else {
  const [{ siteOf }, { bundle }] = tools
  const pages = globSync("**/*.md", { cwd: docs }).map((path) => [path, readFileSync(join(docs, path), "utf8")] as const)
  const pictures = globSync("**/*.{png,svg}", { cwd: docs }).map((path) => [path, readFileSync(join(docs, path))] as const)
  const style = colours.trimStart() + readFileSync(join(own, "style.css"), "utf8")
  const files = new Map<string, string | Buffer>([...siteOf(new Map(pages)), ...pictures, ["style.css", style]])
  for (const [name, content] of files) {
    mkdirSync(dirname(join(target, name)), { recursive: true })
    writeFileSync(join(target, name), content)
  }
  await bundle(join(own, "browser.ts"), join(target, script))
  for (const name of globSync("**/*.*", { cwd: target })) {
    if (!files.has(name) && name !== script) rmSync(join(target, name))
  }
}
