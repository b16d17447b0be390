/* `GET` and `PUT /v1/account/models`, `GET /v1/account/budget` and `GET /v1/account/guarantee`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccountModels, AccountModelsResponse } from "../domain/account/AccountModels.ts"
import { AccountBudgetResponse } from "../domain/account/Budget.ts"
import { AccountGuaranteeResponse } from "../domain/account/Guarantee.ts"
import { Namespace } from "../domain/Scope.ts"
import { described } from "../domain/wire/Wire.ts"
import { Authorization } from "./Authorization.ts"
import { documented } from "./Docs.ts"
import { PayloadTooLarge, ServiceUnavailable, UnsupportedMediaType, UnusableModels } from "./Problems.ts"

const path = "/account/models"

const accountModels = HttpApiEndpoint.get("accountModels", path, {
  success: AccountModelsResponse,
  error: ServiceUnavailable
}).annotateMerge(documented({
  summary: "Read the account's own models",
  right: "read",
  description: [
    "The settings of the account, and each declared model with the prices and the prior that recommendations",
    "use. An account that has set nothing gets an empty document."
  ].join("\n")
}))

const setAccountModels = HttpApiEndpoint.put("setAccountModels", path, {
  payload: AccountModels,
  success: AccountModelsResponse,
  error: [UnusableModels, PayloadTooLarge, UnsupportedMediaType, ServiceUnavailable]
}).annotateMerge(documented({
  summary: "Set the account's own models",
  right: "admin",
  description: [
    "Replaces the account's document: default candidates and providers, prices, and models of its own, such",
    "as self-hosted and fine-tuned ones and deployments. `{}` clears it. What a model leaves out is taken",
    "from the catalog model that is its base, which its id or `base_model` names. Requests of this account",
    "see the change within a second, and no other account sees anything of it.",
    "",
    "A model with another base, provider or `version` than before begins anew, and `restarts` names it. Its",
    "earlier outcomes count for a fifth at most, and not at all in costs, latencies and guarantees.",
    "",
    "422 says which fields cannot be used with the catalog, for example an unknown default candidate."
  ].join("\n"),
  example: {
    default_candidates: ["gpt-5.5", "gpt-5.4-mini", "acme-support-ft", "llama-on-prem"],
    models: [
      {
        model_id: "acme-support-ft", base_model: "gpt-5.4-mini", version: "2026-11", input_cost_per_mtok: 0.5,
        output_cost_per_mtok: 4
      },
      {
        model_id: "llama-on-prem", provider: "on-prem", input_cost_per_mtok: 0, output_cost_per_mtok: 0,
        context_window: 131_072, capability: 0.6
      }
    ]
  }
}))

const accountBudget = HttpApiEndpoint.get("accountBudget", "/account/budget", {
  success: AccountBudgetResponse,
  error: ServiceUnavailable
}).annotateMerge(documented({
  summary: "How the account's budget stands",
  right: "read",
  description: [
    "The operator's limit on the account's spending in each day or month, the amount spent, the amount",
    "expected by the period's end, and how far requests are moved down the cost/quality slider for it. All",
    "figures are null for an account without a budget."
  ].join("\n")
}))

const guaranteeQuery = {
  namespace: described(Schema.optionalKey(Namespace), "Only this namespace; all lanes otherwise.")
}

const accountGuarantee = HttpApiEndpoint.get("accountGuarantee", "/account/guarantee", {
  query: guaranteeQuery,
  success: AccountGuaranteeResponse,
  error: ServiceUnavailable
}).annotateMerge(documented({
  summary: "How the account's guarantees stand",
  query: guaranteeQuery,
  right: "read",
  description: [
    "For each lane and kind of task: whether a cheaper model is known to succeed nearly as often as the",
    "baseline, and about how many more outcomes it takes. For example",
    "`GET /v1/account/guarantee?namespace=checkout`."
  ].join("\n")
}))

/** What an account sets for itself, and how its budget and guarantees are. */
export class AccountApi extends HttpApiGroup.make("account")
  .add(accountModels, setAccountModels, accountBudget, accountGuarantee)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "What an account has of its own" }))
{}
