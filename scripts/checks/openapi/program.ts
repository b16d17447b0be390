/* A program against the generated clients: the whole loop, a report, and a problem. */
import { feedback, models, recommend, savings } from "./hey-api/index.ts"
import type { RankedModel, RecommendRequest } from "./hey-api/index.ts"
import type { components, operations } from "./types.ts"

const request: RecommendRequest = { task: { task: "Sum a list", task_type: "code" } }
const same: components["schemas"]["RecommendRequest"] = request

/** Asks, reports, and reads what it saved. */
export const loop = async (run: (model: RankedModel) => Promise<boolean>): Promise<number> => {
  const { data, error } = await recommend({ body: same })
  if (data === undefined) throw new Error(error.detail)
  const isSuccess = await run(data.recommended_model)
  const reported = await feedback({
    body: {
      recommendation_id: data.recommendation_id,
      chosen_model_id: data.recommended_model.model_id,
      outcome: isSuccess ? "success" : "failure",
      evidence_source: "gate"
    }
  })
  const isKept: boolean | undefined = reported.data?.accepted
  const cheap = await models({ query: { max_cost: 2.5, include_stale: false, task_type: "code" } })
  const prices: ReadonlyArray<number> = cheap.data?.models.map((model) => model.input_cost_per_mtok) ?? []
  const report = await savings({ query: { days: 7, group_by: "cluster" } })
  return isKept === true && prices.length > 0 ? report.data?.summary.estimated.savings_vs_premium_usd ?? 0 : 0
}

/** The other generator's types of the same answers. */
type Answer = operations["recommend"]["responses"][200]["content"]["application/json"]
export const costOf = ({ recommended_model: { est_cost_breakdown, est_cost_usd } }: Answer): number =>
  Object.values(est_cost_breakdown ?? {}).length > 0 ? est_cost_usd : 0

/** A request of the other generator needs what the service needs, and no field that has a default. */
export const least: components["schemas"]["RecommendRequest"] = { task: { task: "Sum a list" } }
export const outcome: components["schemas"]["FeedbackRequest"] = { recommendation_id: "01", outcome: "success" }

/** Every problem names its status, so that a client can tell them apart. */
export const isBusy = (problem: components["schemas"]["TooManyRequests"]): 429 => problem.status
