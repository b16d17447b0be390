/** `GET` and `PUT /v1/account/models`, `GET /v1/account/budget` and `GET /v1/account/guarantee`. */
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
    "The account's document, and each declared model with its prices and prior in recommendations. An",
    "account that has set nothing gets an empty document."
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
    "as self-hosted and fine-tuned models and deployments. `{}` clears it. Fields that a model leaves out",
    "are taken from its base in the catalog, which its id or `base_model` names. Requests of this account",
    "usually use the change within a second. No other account sees it.",
    "",
    "A model with a new base, provider or `version` begins anew, and `restarts` names it. Its earlier",
    "outcomes count for at most a fifth, and not at all in costs, latencies and guarantees.",
    "",
    "422 names fields that do not fit the catalog, for example an unknown default candidate."
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
  summary: "State of the account's budget",
  right: "read",
  description: [
    "The operator's limit of the account's spending per day or month, the spending so far and as expected",
    "by the period's end, and the resulting shift of requests down the cost/quality slider. All figures are",
    "null without a budget."
  ].join("\n")
}))

const guaranteeQuery = {
  namespace: described(Schema.optionalKey(Namespace), "Only this namespace. Default: all lanes.")
}

const accountGuarantee = HttpApiEndpoint.get("accountGuarantee", "/account/guarantee", {
  query: guaranteeQuery,
  success: AccountGuaranteeResponse,
  error: ServiceUnavailable
}).annotateMerge(documented({
  summary: "State of the account's guarantees",
  query: guaranteeQuery,
  right: "read",
  description: [
    "For each lane and kind of task: whether a cheaper model is known to succeed nearly as often as the",
    "baseline, or how many outcomes are still needed. For example",
    "`GET /v1/account/guarantee?namespace=checkout`."
  ].join("\n")
}))

export class AccountApi extends HttpApiGroup.make("account")
  .add(accountModels, setAccountModels, accountBudget, accountGuarantee)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Account", description: "An account's own models, budget and "
    + "guarantees" }))
{}
