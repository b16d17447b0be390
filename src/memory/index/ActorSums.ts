/* Sums a model's outcomes in one group: a lane, task type, cluster or set of tags. The group has a sum of all
   actors, and a sum of each actor. */
import { withoutMajority } from "../../stats/Actors.ts"
import type { Tally } from "../../stats/NeighbourMixture.ts"
import {
  addChange, type Added, addTo, bounded, type Labelled, minus, nothing, roundedOf, type Sum, taught,
  weightMin, weightOf
} from "../../stats/WeakLabels.ts"
import type { MemorySettings } from "../MemorySettings.ts"

export type TallyRule = Pick<MemorySettings, "loneActorMax" | "weakOutcomesMax">

const none: Tally = { weight: 0, success: 0 }

/** Number of heaviest actors that a group remembers, so that at least two are not the requesting actor. */
const heaviestKept = 3

/** Number of actors that are compared to find the heaviest actor of several groups. */
const heaviestLooked = 6

/**
 * The sums of one group of outcomes. Every actor's sum is stored without limits, so that a replaced outcome
 * can be subtracted. Weak labels are limited when a sum is read.
 */
export class ActorSums {
  /** The unlimited sum of a single actor, or the sum of several actors' limited sums. */
  readonly #all: Sum = { ...nothing }
  readonly #weakMax: number
  #sent = 0
  /** The single actor of the group; null if the group has several actors, or has never had one. */
  #lone: string | null = null
  #byActor: Map<string, Sum> | null = null
  /** The heaviest actors in any order; null if they must be found anew. */
  #heaviest: ReadonlyArray<string> | null = null
  /**
   * Cached results of {@link all} and, for a single actor, of {@link seenBy}; null if outdated or never read.
   */
  #allRead: Labelled | null = null
  #seenAlone: SeenTally | null = null

  constructor({ weakOutcomesMax }: Pick<TallyRule, "weakOutcomesMax">) {
    this.#weakMax = weakOutcomesMax
  }

  /** Number of stored sums of actors; 0 while the group has fewer than two actors. */
  get size(): number {
    return this.#byActor?.size ?? 0
  }

  /** Weight of all outcomes in the group, before limits. */
  get weight(): number {
    return this.#sent > weightMin ? this.#sent : 0
  }

  /** Adds outcomes of an actor. A negative weight removes outcomes. */
  add(actor: string, added: Added): void {
    const before = roundedOf(this.#all)
    this.#allRead = null
    this.#seenAlone = null
    this.#sent += added.weight
    if (this.#byActor === null) {
      if (weightOf(before) === 0 || this.#lone === null) this.#lone = actor
      if (this.#lone === actor) return addTo(this.#all, added)
      this.#byActor = new Map([[this.#lone, { ...before }]])
      this.#lone = null
      addChange(this.#all, before, this.#read(before))
    }
    const sum = this.#byActor.get(actor) ?? { ...nothing }
    const readBefore = this.#read(sum)
    addTo(sum, added)
    if (added.isWeak) addChange(this.#all, readBefore, this.#read(sum))
    else addTo(this.#all, added)
    const weight = this.#weightIn(sum)
    if (weight > weightMin) this.#byActor.set(actor, sum)
    else this.#byActor.delete(actor)
    if (!this.#keepsHeaviest(actor, added.weight, weight)) this.#heaviest = null
    const [last] = this.#byActor.size === 1 ? this.#byActor : []
    if (last === undefined) return
    this.#lone = last[0]
    Object.assign(this.#all, last[1])
    this.#sent = weightOf(last[1])
    this.#byActor = null
    this.#heaviest = null
  }

  /** Returns true if the list of heaviest actors is still right after one actor's weight changed. */
  #keepsHeaviest(actor: string, change: number, weight: number): boolean {
    const known = this.#heaviest
    if (known === null) return false
    if (known.includes(actor)) return change >= 0
    return known.length === heaviestKept && known.every((each) => this.#weightOf(each) >= weight)
  }

  #read(sum: Labelled): Labelled {
    return bounded(roundedOf(sum), this.#weakMax)
  }

  #weightIn({ weakWeight, weight }: Labelled): number {
    return weight + Math.min(weakWeight, this.#weakMax)
  }

  #weightOf(actor: string): number {
    return this.#weightIn(this.#byActor?.get(actor) ?? nothing)
  }

  #findHeaviest(): ReadonlyArray<string> {
    const found: Array<string> = []
    for (const [actor, sum] of this.#byActor ?? []) {
      const weight = this.#weightIn(sum)
      const last = found[heaviestKept - 1]
      if (last !== undefined && this.#weightOf(last) >= weight) continue
      found.push(actor)
      found.sort((one, other) => this.#weightOf(other) - this.#weightOf(one))
      found.length = Math.min(found.length, heaviestKept)
    }
    return found
  }

  get all(): Labelled {
    return this.#allRead ??= this.#byActor === null ? this.#read(this.#all) : roundedOf(this.#all)
  }

  seenBy(actor: string, rule: TallyRule): SeenTally {
    const isAlone = this.#byActor === null && this.#lone === actor
    if (!isAlone || this.all.weakWeight > rule.weakOutcomesMax) return seenBy(actor, [this], rule)
    if (this.#seenAlone !== null) return this.#seenAlone
    const own = taught(this.all)
    return this.#seenAlone = { tally: own, own }
  }

  of(actor: string): Labelled {
    if (this.#byActor === null) return this.#lone === actor ? this.all : nothing
    return this.#read(this.#byActor.get(actor) ?? nothing)
  }

  /** Returns the heaviest actors except the given actor: at least two, if there are two. */
  heaviestBeside(actor: string): ReadonlyArray<string> {
    if (this.#byActor === null) return this.#lone === null || this.#lone === actor ? [] : [this.#lone]
    return (this.#heaviest ??= this.#findHeaviest()).filter((each) => each !== actor)
  }
}

export interface SeenTally {
  /** The actor's own outcomes and the limited outcomes of all other actors. */
  readonly tally: Tally
  readonly own: Tally
}

export const nothingSeen: SeenTally = { tally: none, own: none }

const totalOf = (cells: ReadonlyArray<ActorSums>, part: (cell: ActorSums) => Labelled): Labelled => {
  const [first] = cells
  if (cells.length === 1 && first !== undefined) return part(first)
  const total: Sum = { ...nothing }
  for (const cell of cells) addChange(total, nothing, part(cell))
  return total
}

/** Returns the sums over all groups of the actor that weighs most among all except `actor`. */
const heaviestOf = (cells: ReadonlyArray<ActorSums>, actor: string, weakShare: number): Tally => {
  const found = new Map<string, number>()
  for (const cell of cells) {
    for (const each of cell.heaviestBeside(actor)) {
      found.set(each, (found.get(each) ?? 0) + weightOf(cell.of(each)))
    }
  }
  let heaviest = none
  for (const [each] of [...found].sort(([, one], [, other]) => other - one).slice(0, heaviestLooked)) {
    const sum = totalOf(cells, (cell) => cell.of(each))
    const kept = taught(bounded(sum, weakShare * sum.weakWeight))
    if (kept.weight > heaviest.weight) heaviest = kept
  }
  return heaviest
}

/**
 * Adds up groups for a requesting actor, and limits other actors' weights. The heaviest actor besides the
 * requesting one weighs at most as much as the remaining actors, or `loneActorMax` if that is more. The only
 * actor besides the requesting one keeps its full weight if one of the two is unknown. The requesting actor's
 * weak labels weigh at most `weakOutcomesMax`, and so do those of all other actors together.
 */
export const seenBy = (
  actor: string,
  cells: ReadonlyArray<ActorSums>,
  { loneActorMax, weakOutcomesMax }: TallyRule
): SeenTally => {
  const [first] = cells
  if (first === undefined) return nothingSeen
  const ownRead = totalOf(cells, (cell) => cell.of(actor))
  const othersRead = minus(totalOf(cells, (cell) => cell.all), ownRead)
  const own = taught(bounded(ownRead, weakOutcomesMax))
  if (weightOf(othersRead) === 0) return { tally: own, own }
  const othersBounded = bounded(othersRead, weakOutcomesMax)
  const others = taught(othersBounded)
  const weakShare = othersRead.weakWeight > 0 ? othersBounded.weakWeight / othersRead.weakWeight : 1
  const heaviest = cells.length === 1 && first.size === 0 ? others : heaviestOf(cells, actor, weakShare)
  const areNamed = actor !== "" && weightOf(totalOf(cells, (cell) => cell.of(""))) === 0
  const shielded = withoutMajority(others, heaviest, loneActorMax, areNamed)
  return {
    tally: { weight: own.weight + shielded.weight, success: own.success + shielded.success },
    own
  }
}
