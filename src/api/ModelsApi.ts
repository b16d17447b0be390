/* `GET /v1/models` and `GET /v1/health/models`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ModelsQuery, ModelsResponse } from "../domain/model/ModelsList.ts"
import { ModelsHealthResponse } from "../domain/model/ModelsHealth.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"

const models = HttpApiEndpoint.get("models", "/models", {
  query: ModelsQuery,
  success: ModelsResponse
}).annotateMerge(documented({
  summary: "List the catalog",
  query: ModelsQuery,
  right: "read",
  description: [
    "The current models, sorted by input price, with the account's own models and prices among them. Prices",
    "are USD per million tokens. For example",
    "`GET /v1/models?provider=openai&task_type=code&max_cost=5&include_stale=false`."
  ].join("\n")
}))

const modelsHealth = HttpApiEndpoint.get("modelsHealth", "/health/models", {
  success: ModelsHealthResponse
}).annotateMerge(documented({
  summary: "Which models cannot be called now",
  right: "read",
  description: [
    "By feedback of the account's own callers, within two seconds: failures with the `error_cause` `infra`",
    "and rate limits. Recommendations pass an unhealthy model by, with the warning `model_unhealthy:<id>`,",
    "until calls of it go well, or ten minutes bring no failure."
  ].join("\n")
}))

export class ModelsApi extends HttpApiGroup.make("models")
  .add(models, modelsHealth)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Models", description: "The models, with prices and health" }))
{}
