/* The guides of `/docs`: the pages of `src/http/guides`, which the repository's pages link to as well. */
import { readFileSync } from "node:fs"
import { sextantCommand } from "./StartPage.ts"

/** The guides by the names of their files, in the order in which a reader needs them. */
const names = [
  "loop", "adapters", "scoring", "slider", "audition", "agents", "caching", "models", "regions", "gateways",
  "shadow", "mistakes", "deploying"
] as const

interface Tag {
  readonly name: string
  readonly description?: string
}

interface Guide {
  readonly title: string
  readonly text: string
}

/** Links to other files of the repository as their words and the file's place: the page cannot lead there. */
const withFileNames = (text: string): string =>
  text.replace(/\[([^\]]+)\]\((?:\.\.\/)+([^)]*)\)/g, "$1 (`$2`)")

/** Commands in a sentence as they are run where this service is. */
const withOwnCommand = (text: string): string => text.replace(/`sextant (?=[a-z])/g, `\`${sextantCommand} `)

const read = (name: string): Guide => {
  // In src/http and, because the build copies it, in dist/src/http.
  const page = readFileSync(new URL(`../guides/${name}.md`, import.meta.url), "utf8")
  const [heading = "", ...lines] = page.split("\n")
  return { title: heading.replace(/^# /, ""), text: withOwnCommand(withFileNames(lines.join("\n").trim())) }
}

/** The document with each guide as a tag before those of the operations, in groups of their own. */
export const withGuides = <D extends { readonly tags: ReadonlyArray<Tag> }>(document: D) => {
  const guides = names.map(read)
  return {
    ...document,
    tags: [...guides.map(({ text, title }) => ({ name: title, description: text })), ...document.tags],
    "x-tagGroups": [
      { name: "Guides", tags: guides.map(({ title }) => title) },
      { name: "Reference", tags: document.tags.map(({ name }) => name) }
    ]
  }
}
