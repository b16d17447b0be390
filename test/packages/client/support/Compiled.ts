// Compiles a program with the types of an adapter and of the framework that is installed in a folder.
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../../..")

/** What the compiler says of a program that imports `sextant-client` and packages of the folder; empty if all is well. */
export const complaintsOf = (program: string, folder: string): string => {
  const directory = mkdtempSync(join(tmpdir(), "sextant-client-types-"))
  const sources = join(root, "packages/client/src")
  try {
    writeFileSync(join(directory, "program.ts"), program)
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({
      extends: join(root, "packages/client/tsconfig.json"),
      compilerOptions: {
        rootDir: "/", noEmit: true, declaration: false, isolatedDeclarations: false, module: "esnext",
        moduleResolution: "bundler", skipLibCheck: true,
        paths: {
          "sextant-client": [join(sources, "index.ts")],
          "sextant-client/*": [join(sources, "*/index.ts")],
          "*": [join(folder, "node_modules/*")]
        }
      },
      include: ["program.ts"]
    }))
    return execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", directory], { encoding: "utf8" })
  } catch (error) {
    return String(Object(error).stdout ?? error)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
