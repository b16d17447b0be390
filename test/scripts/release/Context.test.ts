import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { buildFiles, contextOf, contextProblems } from "../../../scripts/release/Context.ts"

const dockerfile = `FROM node AS build
COPY package.json lock.json ./
COPY scripts/a.ts scripts/b.ts scripts/
COPY src source
RUN build
FROM node
COPY --from=build /build/dist dist
COPY LICENSE ./
`
const files = ["package.json", "lock.json", "scripts/a.ts", "scripts/b.ts", "src/x/y.ts", "LICENSE"]

describe("the context of the image", () => {
  it("is what .dockerignore sends", () => {
    assert.deepStrictEqual(contextOf([...files, "notes.txt", "src/z.log"], "*\n!src\n!LICENSE\n**/*.log\n"), ["src/x/y.ts", "LICENSE"])
  })

  it("is refused without a file that any stage copies", () => {
    assert.deepStrictEqual(contextProblems(dockerfile, files), [])
    const without = files.filter((file) => !["src/x/y.ts", "LICENSE"].includes(file))
    assert.deepStrictEqual(contextProblems(dockerfile, without), ["image: the context lacks src", "image: the context lacks LICENSE"])
  })

  it("is laid out for the build as the first stage copies it", () => {
    assert.deepStrictEqual([...buildFiles(dockerfile, files)], [
      ["package.json", "package.json"], ["lock.json", "lock.json"], ["scripts/a.ts", "scripts/a.ts"],
      ["scripts/b.ts", "scripts/b.ts"], ["source/x/y.ts", "src/x/y.ts"]
    ])
  })

  // A package has no repository.
  const root = join(import.meta.dirname, "../../..")
  it.runIf(existsSync(join(root, ".git")))("of a checkout has every file that the Dockerfile copies, and no secret", () => {
    const tracked = execFileSync("git", ["-C", root, "ls-files", "-z"], { encoding: "utf8" }).split("\0")
    const context = contextOf(tracked, readFileSync(join(root, ".dockerignore"), "utf8"))
    assert.deepStrictEqual(contextProblems(readFileSync(join(root, "Dockerfile"), "utf8"), context), [])
    assert.isAbove(context.length, 500)
    assert.isFalse(context.some((file) => /^(test|\.git|otel)\//.test(file)))
  })
})
