/* A model's outcomes at one level of a lane, summed over all actors and for each of them. */
import { withoutMajority } from "../../stats/Actors.ts"
import type { Tally } from "../../stats/NeighbourMixture.ts"
import {
  addChange, type Added, addTo, bounded, type Labelled, minus, nothing, roundedOf, type Sum, taught,
  weightMin, weightOf
} from "../../stats/WeakLabels.ts"
import type { MemorySettings } from "../MemorySettings.ts"

/** Highest weights of a user's outcomes and of a model's weak labels. */
export type TallyRule = Pick<MemorySettings, "loneActorMax" | "weakOutcomesMax">

const none: Tally = { weight: 0, success: 0 }

/** Heaviest actors that are stored per group, count. One of them may be the requesting actor. */
const heaviestKept = 3

/**
 * Actors compared to find the heaviest of several groups, count. An actor with more than half of all weight
 * has a sixth of it or more in the groups in which it is among the two heaviest others. At most five others
 * can have as much there.
 */
const heaviestLooked = 6

/**
 * Sums of one group by actor; "" is the actor of outcomes without a user. They are exact for every actor, so
 * that a replaced outcome is subtracted where it was counted. There is at most one sum per outcome of the
 * lane. A group of a single actor has only that actor's sum. Reading a sum bounds its weak labels, so that
 * sending more of them does not count more.
 */
export class ActorSums {
  /** With one actor its own sum, unbounded; with several, the sum of their bounded sums. */
  readonly #all: Sum = { ...nothing }
  readonly #weakMax: number
  #sent = 0
  /** The only actor, while there is one. */
  #lone: string | null = null
  #byActor: Map<string, Sum> | null = null
  /** The actors of the highest weights, in any order; null when an outcome has made that uncertain. */
  #heaviest: ReadonlyArray<string> | null = null
  /** {@link all}, and what the only actor sees, since the last change; null until they are read. */
  #allRead: Labelled | null = null
  #seenAlone: SeenTally | null = null

  constructor({ weakOutcomesMax }: Pick<TallyRule, "weakOutcomesMax">) {
    this.#weakMax = weakOutcomesMax
  }

  /** How many actors have a sum of their own here. */
  get size(): number {
    return this.#byActor?.size ?? 0
  }

  /** The weight of all outcomes before any bound, for a model's share of a kind of task. */
  get weight(): number {
    return this.#sent > weightMin ? this.#sent : 0
  }

  /** Adds outcomes of an actor; a negative weight removes them. */
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

  /** Whether the heaviest actors are the same after a change of one actor's weight. */
  #keepsHeaviest(actor: string, change: number, weight: number): boolean {
    const known = this.#heaviest
    if (known === null) return false
    if (known.includes(actor)) return change >= 0
    return known.length === heaviestKept && known.every((each) => this.#weightOf(each) >= weight)
  }

  /** An actor's sum with its weak labels bounded. */
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

  /** The sums of this group as an actor sees them. */
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

  /** The heaviest other actors: at least two, if there are two. */
  heaviestBeside(actor: string): ReadonlyArray<string> {
    if (this.#byActor === null) return this.#lone === null || this.#lone === actor ? [] : [this.#lone]
    return (this.#heaviest ??= this.#findHeaviest()).filter((each) => each !== actor)
  }
}

/** Some groups as an actor sees them: all outcomes, with others' bounded, and the actor's own part. */
export interface SeenTally {
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

/** The heaviest other actor of the groups together; weak labels keep their share of the weight. */
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
 * The outcomes of some groups as an actor sees them. Its own count fully. No other actor has more than half
 * of the others' weight, or `loneActorMax` if that is more. Callers without an id may be many: they see a
 * sole other user in full, and that user sees them in full. Weak labels weigh `weakOutcomesMax` at most: the
 * actor's own together, and all others' together.
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
