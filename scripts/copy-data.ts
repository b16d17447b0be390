/* Copies the data files that sources read, which tsc leaves behind, into `dist`. */
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

for (const file of globSync([
  "src/**/*.{json,bin,sql}", "src/http/docs/site/**/*.*", "packages/dashboard/bundle/*", "clients/archives/*"
], { cwd: root })) {
  cpSync(join(root, file), join(root, "dist", file))
}
