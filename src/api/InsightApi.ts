/* `GET /v1/strategies`, `POST /v1/diagnose` and `GET /v1/memory/health`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  DiagnoseRequest, DiagnoseResponse, MemoryHealthResponse, StrategiesResponse
} from "../domain/Lesson.ts"
import { Namespace } from "../domain/Scope.ts"
import { listOf } from "../domain/text/Lists.ts"
import { Identifier } from "../domain/text/Text.ts"
import { described, queryDefault } from "../domain/wire/Wire.ts"
import { Authorization, AuthorizationIfVerifiable } from "./Authorization.ts"
import { documented } from "./Docs.ts"
import { PayloadTooLarge, UnsupportedMediaType } from "./Problems.ts"

/** An integer in a query, with a default value. */
const intBetween = (minimum: number, maximum: number, otherwise: number) =>
  queryDefault(Schema.Int.check(Schema.isBetween({ minimum, maximum })), otherwise)

const strategiesQuery = {
  namespace: described(Schema.optionalKey(Namespace), "Namespace of the rules. Default: `sextant:default`."),
  lesson_types: described(
    Schema.optionalKey(listOf(Identifier, { max: 64 })), "Only rules of these types of lessons."
  ),
  max_strategies: described(intBetween(1, 50, 5), "Maximum number of rules in the answer.")
}

const healthQuery = {
  namespace: described(Schema.optionalKey(Namespace), "Namespace of the memory. Default: `sextant:default`."),
  stale_threshold_days: described(intBetween(1, 365, 30), "Age at which an entry is stale, in days.")
}

const strategies = HttpApiEndpoint.get("strategies", "/strategies", {
  query: strategiesQuery,
  success: StrategiesResponse
}).annotateMerge(documented({
  summary: "Rules of a namespace",
  query: strategiesQuery,
  right: "read",
  description: [
    "Rules that the lane's outcomes support. The last rule may be of the type `untried_cheaper`: one of",
    "the newest decisions named a much cheaper, hardly tried model. Repeat `lesson_types` for several. For",
    "example `GET /v1/strategies?namespace=checkout&lesson_types=success&max_strategies=10`."
  ].join("\n")
})).middleware(Authorization)

const diagnose = HttpApiEndpoint.post("diagnose", "/diagnose", {
  payload: DiagnoseRequest,
  success: DiagnoseResponse,
  error: [PayloadTooLarge, UnsupportedMediaType]
}).annotateMerge(documented({
  summary: "Failure lessons that match an error text",
  right: "read",
  description: "While memory is unavailable, the answer has status 200, is empty, and warns "
    + "`memory_unavailable`.",
  example: { error_text: "TimeoutError: tool call exceeded 30 s", error_type: "timeout", limit: 5 }
})).middleware(AuthorizationIfVerifiable)

const memoryHealth = HttpApiEndpoint.get("memoryHealth", "/memory/health", {
  query: healthQuery,
  success: MemoryHealthResponse
}).annotateMerge(documented({
  summary: "State of a namespace's memory",
  query: healthQuery,
  right: "read",
  description: [
    "Counts entries, also stale and contradicting ones. While memory is unavailable, the answer has status",
    "200, is empty, and warns `memory_unavailable`. For example",
    "`GET /v1/memory/health?namespace=checkout&stale_threshold_days=60`."
  ].join("\n")
})).middleware(AuthorizationIfVerifiable)

export class InsightApi extends HttpApiGroup.make("insight")
  .add(strategies, diagnose, memoryHealth)
  .annotateMerge(OpenApi.annotations({ title: "Insight", description: "What a namespace has learned" }))
{}
