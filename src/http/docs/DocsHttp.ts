/* Serves the documentation at `/docs`: the pages of the repository's `docs`, as `npm run docs` wrote them. */
import { join } from "node:path"
import { docsPath } from "../limits/Limits.ts"
import * as Pages from "../Pages.ts"

/** The folder that `npm run docs` writes the site to; `dist` has it at the same place. */
const siteDirectory = join(import.meta.dirname, "site")

export const layer = (directory: string = siteDirectory) =>
  Pages.layer(docsPath, directory, { title: "Documentation", script: "docs" })
