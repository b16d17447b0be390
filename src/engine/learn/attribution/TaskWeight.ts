/* The weight of an outcome after earlier attempts at its task. */
import type { Decision } from "../../../domain/Decision.ts"
import { taughtWeight } from "../../../stats/TaskDifficulty.ts"

/** Weight of an outcome of this model and quality, in [0, 1]; 1 if no earlier attempt was judged. */
export const taskWeight = (
  { forecasts }: Pick<Decision, "forecasts">,
  modelId: string,
  quality: number
): number => {
  const forecast = forecasts.find((each) => each.modelId === modelId)
  return forecast?.given === undefined ? 1 : taughtWeight(forecast.mixed, forecast.given, quality)
}
