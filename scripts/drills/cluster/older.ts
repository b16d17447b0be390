/* An older revision of this repository, checked out and ready to run. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { migrationsUnder } from "../../checks/migrations.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const lockFile = "package-lock.json"

interface Older {
  readonly directory: string
  /** As git names it in short, with its subject. */
  readonly name: string
  readonly migrations: number
  /** Whether it runs on packages of its own, because its lock file is another. */
  readonly hasOwnPackages: boolean
}

export const migrationsIn = (directory: string): number =>
  migrationsUnder(join(directory, "src/sql/migrations")).size

const git = (...args: ReadonlyArray<string>): string => execFileSync("git", args, { cwd: root, encoding: "utf8" })

/** A revision as it was, ready to run, in a directory that goes with the scope. */
export const checkedOut = (revision: string) =>
  Effect.acquireRelease(
    Effect.sync((): Older => {
      const directory = mkdtempSync(join(tmpdir(), "sextant-older-"))
      mkdirSync(directory, { recursive: true })
      const archive = execFileSync("git", ["archive", revision], { cwd: root, maxBuffer: 2 ** 28 })
      execFileSync("tar", ["-x", "-C", directory], { input: archive })
      const read = (at: string) => readFileSync(join(at, lockFile), "utf8")
      const hasOwnPackages = read(root) !== read(directory)
      if (hasOwnPackages) {
        // Its scripts bundle the dashboard, which this drill does not open.
        execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: directory, stdio: "ignore" })
      } else symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
      const name = git("log", "-1", "--format=%h %s", revision).trim()
      return { directory, name, migrations: migrationsIn(directory), hasOwnPackages }
    }),
    ({ directory }) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

export const thisBuild = root
