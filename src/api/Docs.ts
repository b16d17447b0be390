import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { type Right, rolesWith } from "../domain/Role.ts"
import { NeededRight } from "./Authorization.ts"

interface Operation {
  readonly summary: string
  readonly description: string
  /** What it needs of the key it is called with; null where it needs no key. */
  readonly right: Right | null
  /** A body that works as pasted; the interactive page fills it in. */
  readonly example?: unknown
}

interface RequestBody {
  readonly content: Readonly<Record<string, object>>
}

const withExample = (example: unknown) => (operation: Record<string, unknown>): Record<string, unknown> => {
  // The seam to the untyped document: HttpApi has just written this operation's request body.
  const body = operation["requestBody"] as RequestBody
  const content = Object.fromEntries(
    Object.entries(body.content).map(([type, media]) => [type, { ...media, example }])
  )
  return { ...operation, requestBody: { ...body, content } }
}

/** Which keys may call; silent where every key may. */
const keysNeeded = (right: Right | null): string => {
  if (right === null || right === "read") return ""
  return `\n\nNeeds a key of the role ${rolesWith(right).map((role) => `\`${role}\``).join(" or ")}.`
}

/** Annotations that say what an endpoint needs, and document it at `/docs` and in `/openapi.json`. */
export const documented = ({ description, example, right, summary }: Operation) => {
  const annotations = OpenApi.annotations({
    summary,
    description: `${description}${keysNeeded(right)}`,
    ...(example === undefined ? {} : { transform: withExample(example) })
  })
  return right === null ? annotations : Context.merge(annotations, Context.make(NeededRight, right))
}
