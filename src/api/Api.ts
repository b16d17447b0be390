/** The HTTP interface of the service, from which server, client and `/openapi.json` are derived. */
import { HttpApi, OpenApi } from "effect/http-api"
import { version } from "../domain/Version.ts"
import { AccountApi } from "./AccountApi.ts"
import { readableDocument } from "./Document.ts"
import { FeedbackApi } from "./FeedbackApi.ts"
import { InsightApi } from "./InsightApi.ts"
import { ModelsApi } from "./ModelsApi.ts"
import { ExpectationFailed, HeadersTooLarge, RequestTimeout } from "./Problems.ts"
import { RecommendApi } from "./RecommendApi.ts"
import { ReportsApi } from "./ReportsApi.ts"
import { SystemApi } from "./SystemApi.ts"
import { Validation } from "./Validation.ts"

const description = [
  "Recommends which language model should run a task, and learns from the outcomes that are reported back.",
  "",
  "1. `POST /v1/recommend`: ask which model should run the task.",
  "2. Run that model in your own stack. The call does not pass through Sextant.",
  "3. `POST /v1/feedback`: report the outcome, the tokens and the cost.",
  "",
  "Send your key as `Authorization: Bearer sxt_…`. Unknown request fields are ignored with a warning, but",
  "refused if they look misspelt, in constraints, and in queries of reports. If an object has a field twice,",
  "the last one counts. Bodies are UTF-8 JSON of at most 1 MB, nested at most 32 deep. Every error is",
  "`application/problem+json`. After 429 and 503, wait the seconds of `Retry-After`. 503 never means that",
  "a key is invalid."
].join("\n")

export class Api extends HttpApi.make("sextant")
  .add(RecommendApi, FeedbackApi, ModelsApi, InsightApi, ReportsApi, AccountApi, SystemApi)
  .middleware(Validation)
  .prefix("/v1")
  // An error names up to ten wrong fields of a request at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.AdditionalSchemas, [ExpectationFailed, HeadersTooLarge, RequestTimeout])
  .annotateMerge(OpenApi.annotations({
    title: "Sextant",
    description,
    version,
    license: { name: "MIT", identifier: "MIT" },
    servers: [{ url: "/", description: "The service that this document comes from." }],
    transform: readableDocument
  }))
{}
