/* Documents endpoints for `/docs` and `/openapi.json`, with the right that each needs. */
import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { type Right, rolesWith } from "../domain/Role.ts"
import { NeededRight } from "./Authorization.ts"

interface Operation {
  readonly summary: string
  readonly description: string
  /** The right that the key needs; null where no key is needed. */
  readonly right: Right | null
  /** A body that works unchanged; the interactive page fills it in. */
  readonly example?: unknown
}

interface RequestBody {
  readonly content: Readonly<Record<string, object>>
}

const withExample = (example: unknown) => (operation: Record<string, unknown>): Record<string, unknown> => {
  // The document is untyped here; the cast is safe, because HttpApi has just written this request body.
  const body = operation["requestBody"] as RequestBody
  const content = Object.fromEntries(
    Object.entries(body.content).map(([type, media]) => [type, { ...media, example }])
  )
  return { ...operation, requestBody: { ...body, content } }
}

/** Which keys may call; empty where every key may. */
const keysNeeded = (right: Right | null): string => {
  if (right === null || right === "read") return ""
  return `\n\nNeeds a key of the role ${rolesWith(right).map((role) => `\`${role}\``).join(" or ")}.`
}

/** The annotations of an endpoint: its documentation, and the right that it needs. */
export const documented = ({ description, example, right, summary }: Operation) => {
  const annotations = OpenApi.annotations({
    summary,
    description: `${description}${keysNeeded(right)}`,
    ...(example === undefined ? {} : { transform: withExample(example) })
  })
  return right === null ? annotations : Context.merge(annotations, Context.make(NeededRight, right))
}
