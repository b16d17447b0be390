/* Serves the documentation at `/docs`. */
import { join } from "node:path"
import { docsPath } from "../limits/Limits.ts"
import * as Pages from "../Pages.ts"

/** The folder into which `npm run docs` writes the site. */
const siteDirectory = join(import.meta.dirname, "site")

export const layer = (directory: string = siteDirectory) =>
  Pages.layer(docsPath, directory, { title: "Documentation", script: "docs" })
