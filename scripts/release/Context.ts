/* The context of the image: the files of a clean checkout that Docker gets, and those that its first stage copies. */
import { posix } from "node:path"
import { isSent, type Stage, stagesOf } from "../../test/deploy/dockerfile.ts"

/** The files of a checkout that `.dockerignore` sends. */
export const contextOf = (files: ReadonlyArray<string>, ignore: string): ReadonlyArray<string> => files.filter(isSent(ignore))

const copiesOf = ({ instructions }: Stage) =>
  instructions.filter(({ name, text }) => name === "COPY" && !text.startsWith("--from=")).map(({ text }) => {
    const words = text.split(/\s+/)
    return { from: words.slice(0, -1), to: words.at(-1) ?? "" }
  })

const below = (files: ReadonlyArray<string>, folder: string) => files.filter((file) => file.startsWith(`${folder}/`))

/** A problem for each path that a Dockerfile copies and the context lacks. */
export const contextProblems = (dockerfile: string, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  stagesOf(dockerfile).flatMap(copiesOf).flatMap(({ from }) => from)
    .filter((path) => !files.includes(path) && below(files, path).length === 0)
    .map((path) => `image: the context lacks ${path}`)

/** The files of the first stage, by their path in its folder, and where each is in the context. */
export const buildFiles = (dockerfile: string, files: ReadonlyArray<string>): ReadonlyMap<string, string> =>
  new Map(stagesOf(dockerfile).slice(0, 1).flatMap(copiesOf).flatMap(({ from, to }) =>
    from.flatMap((path) =>
      files.includes(path)
        ? [[posix.normalize(to.endsWith("/") ? posix.join(to, posix.basename(path)) : to), path] as const]
        : below(files, path).map((file) => [posix.join(to, file.slice(path.length + 1)), file] as const))))
