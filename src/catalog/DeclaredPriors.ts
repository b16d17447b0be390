/* The priors that an account declares, of a model or of one of its variants. */
import { type ModelCard, ofTaskTypes, runCapability } from "../domain/model/Model.ts"
import { taskTypes } from "../domain/Task.ts"

/**
 * Range of a declared prior, probability: about that of the measured models. A declared 0.99 would be
 * believed above every model that somebody measured, and after three failures still be the favourite.
 */
const declaredPriorMin = 0.05
const declaredPriorMax = 0.95

const clipped = (prior: number): number => Math.min(declaredPriorMax, Math.max(declaredPriorMin, prior))

/** A model's ability before any outcome, as its card states it. */
export type Priors = Pick<
  ModelCard,
  "capabilityPriors" | "capabilityByTaskType" | "capabilitySource" | "capabilityAsOf"
>

/** Mean of some numbers, of which there is at least one. */
export const meanOf = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** What is declared of an ability: for all task types, and for some. */
interface DeclaredAbilities {
  readonly capability: number | null
  readonly capabilityByTaskType: Readonly<Record<string, number>>
}

/** Declared abilities for every task type, and for runs if declared, clipped; null where none is declared. */
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

/** Priors of these abilities. */
export const declaredPriors = (abilities: Readonly<Record<string, number>>): Priors => ({
  capabilityPriors: { overall: meanOf(ofTaskTypes(abilities)) },
  capabilityByTaskType: abilities,
  capabilitySource: "declared",
  capabilityAsOf: null
})
