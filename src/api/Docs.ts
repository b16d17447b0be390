import { OpenApi } from "effect/http-api"

interface Operation {
  readonly summary: string
  readonly description: string
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

/** Annotations that document one endpoint at `/docs` and in `/openapi.json`. */
export const documented = ({ description, example, summary }: Operation) =>
  OpenApi.annotations({
    summary,
    description,
    ...(example === undefined ? {} : { transform: withExample(example) })
  })
