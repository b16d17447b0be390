/* Installs packages of npm for tests, in the folder of their lock file. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Installs the packages that a folder's lock file names, unless they are installed already. */
export const install = async (folder: string): Promise<void> => {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8")
  const mark = join(folder, "node_modules/.installed")
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return
  console.log(`installing ${folder}`)
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"], { cwd: folder })
  writeFileSync(mark, lock)
}
