/* The priors that an account declares for a model or for one of its levels of effort. */
import { type ModelCard, ofTaskTypes, runCapability } from "../domain/model/Model.ts"
import { taskTypes } from "../domain/Task.ts"

/** Range of a declared prior, probability. */
const declaredPriorMin = 0.05
const declaredPriorMax = 0.95

const clipped = (prior: number): number => Math.min(declaredPriorMax, Math.max(declaredPriorMin, prior))

/** The fields of a card that describe a model's ability before any outcome. */
export type Priors = Pick<
  ModelCard,
  "capabilityPriors" | "capabilityByTaskType" | "capabilitySource" | "capabilityAsOf"
>

export const meanOf = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

interface DeclaredAbilities {
  readonly capability: number | null
  readonly capabilityByTaskType: Readonly<Record<string, number>>
}

/** Returns an ability in [0.05, 0.95] for each task type; null if no ability is declared. */
export const declaredAbilities = (
  { capability, capabilityByTaskType }: DeclaredAbilities
): Readonly<Record<string, number>> | null => {
  const given = ofTaskTypes(capabilityByTaskType)
  if (capability === null && given.length === 0) return null
  const other = capability ?? meanOf(given)
  const { [runCapability]: ofRuns } = capabilityByTaskType
  return {
    ...Object.fromEntries(taskTypes.map((type) => [type, clipped(capabilityByTaskType[type] ?? other)])),
    ...(ofRuns === undefined ? {} : { [runCapability]: clipped(ofRuns) })
  }
}

export const declaredPriors = (abilities: Readonly<Record<string, number>>): Priors => ({
  capabilityPriors: { overall: meanOf(ofTaskTypes(abilities)) },
  capabilityByTaskType: abilities,
  capabilitySource: "declared",
  capabilityAsOf: null
})
