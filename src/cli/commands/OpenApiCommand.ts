/* `sextant openapi`: prints the document of the API. */
import { Console } from "effect"
import { Command } from "effect/cli"
import { OpenApi } from "effect/http-api"
import { DocumentedApi } from "../../http/docs/DocumentedApi.ts"

export const openapi = Command.make(
  "openapi",
  {},
  () => Console.log(JSON.stringify(OpenApi.fromApi(DocumentedApi), null, 2))
)
