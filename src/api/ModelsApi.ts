/* `GET /v1/models`. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ModelsQuery, ModelsResponse } from "../domain/model/Model.ts"
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

export class ModelsApi extends HttpApiGroup.make("models")
  .add(models)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Models", description: "The models and their prices" }))
{}
