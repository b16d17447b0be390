// Compiles programs with the types of the client and of frameworks that are installed in folders.
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../../../support/temporaryFolder.ts"

const root = join(import.meta.dirname, "../../../..")

/**
 * What the compiler says, under `--strict`, of programs that import `sextant-client` and packages of the folders, the
 * first of which that has one wins, then the repository's; empty if all is well.
 *
 * @param programs by the names of their files, which the compiler's complaints begin with
 */
export const complaintsOf = (programs: Readonly<Record<string, string>>, folders: ReadonlyArray<string>): string => {
  const directory = temporaryFolder()
  const sources = join(root, "packages/client/src")
  try {
    for (const [name, program] of Object.entries(programs)) writeFileSync(join(directory, name), program)
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({
      extends: join(root, "packages/client/tsconfig.json"),
      compilerOptions: {
        rootDir: "/", noEmit: true, declaration: false, isolatedDeclarations: false, module: "esnext",
        // A program is given all names of its reader.
        noUnusedLocals: false, noUnusedParameters: false, moduleResolution: "bundler", skipLibCheck: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")],
        paths: {
          "sextant-client": [join(sources, "index.ts")],
          "sextant-client/*": [join(sources, "*/index.ts")],
          "*": [...folders, root].map((folder) => join(folder, "node_modules/*"))
        }
      },
      include: ["*.ts"]
    }))
    return execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", directory], {
      cwd: directory, encoding: "utf8"
    })
  } catch (error) {
    return String(Object(error).stdout ?? error)
  }
}
