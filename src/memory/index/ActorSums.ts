/* A model's outcomes at one level of a lane, summed over all actors and for each of them. */
import { withoutMajority } from "../../stats/Actors.ts"
import type { Tally } from "../../stats/NeighbourMixture.ts"

/** {@link Tally} while outcomes are added. */
interface Sum {
  weight: number
  success: number
}

const nothing: Tally = { weight: 0, success: 0 }

/** Least weight of outcomes: removed ones leave rounding errors. */
const weightMin = 1e-12

/** Neither a negative weight nor more success than weight, which rounding errors could leave. */
const tallyOf = ({ success, weight }: Sum): Tally =>
  weight <= weightMin ? nothing : { weight, success: Math.min(weight, Math.max(0, success)) }

/** Actors of one cell that are known as its heaviest, count. One of them may be the actor who asks. */
const heaviestKept = 3

/**
 * Actors of several cells together that are looked at for the heaviest of all, count. An actor with more than
 * half of all weight has a sixth of it or more in those cells in which it is among the heaviest two others,
 * and at most five others can have as much there.
 */
const heaviestLooked = 6

/**
 * Sums of one cell by actor. An outcome without an actor is of the actor "". Exact for every actor, so that a
 * replaced outcome is taken from where it was counted; at most one sum per outcome of the lane, whose number
 * is bounded. A cell of a single actor has no sum but its own.
 */
export class ActorSums {
  readonly #all: Sum = { weight: 0, success: 0 }
  /** The only actor, while there is one. */
  #lone: string | null = null
  #byActor: Map<string, Sum> | null = null
  /** The actors of the highest weights, in any order; null when an outcome has made that uncertain. */
  #heaviest: ReadonlyArray<string> | null = null
  /** {@link all}, and what the only actor sees, since the last change; null until they are read. */
  #allTally: Tally | null = null
  #seenAlone: SeenTally | null = null

  /** How many actors have a sum of their own here. */
  get size(): number {
    return this.#byActor?.size ?? 0
  }

  /** Adds outcomes of an actor; a negative weight removes them. */
  add(actor: string, weight: number, success: number): void {
    const before = tallyOf(this.#all)
    this.#allTally = null
    this.#seenAlone = null
    this.#all.weight += weight
    this.#all.success += success
    if (this.#byActor === null) {
      if (before.weight === 0 || this.#lone === null) this.#lone = actor
      if (this.#lone === actor) return
      this.#byActor = new Map([[this.#lone, { ...before }]])
      this.#lone = null
    }
    const sum = this.#byActor.get(actor) ?? { weight: 0, success: 0 }
    sum.weight += weight
    sum.success += success
    if (sum.weight > weightMin) this.#byActor.set(actor, sum)
    else this.#byActor.delete(actor)
    if (!this.#keepsHeaviest(actor, weight, sum.weight)) this.#heaviest = null
    const [last] = this.#byActor.size === 1 ? this.#byActor : []
    if (last === undefined) return
    this.#lone = last[0]
    this.#all.weight = last[1].weight
    this.#all.success = last[1].success
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

  #weightOf(actor: string): number {
    return this.#byActor?.get(actor)?.weight ?? 0
  }

  #findHeaviest(): ReadonlyArray<string> {
    const found: Array<string> = []
    for (const [actor, { weight }] of this.#byActor ?? []) {
      const last = found[heaviestKept - 1]
      if (last !== undefined && this.#weightOf(last) >= weight) continue
      found.push(actor)
      found.sort((one, other) => this.#weightOf(other) - this.#weightOf(one))
      found.length = Math.min(found.length, heaviestKept)
    }
    return found
  }

  get all(): Tally {
    return this.#allTally ??= tallyOf(this.#all)
  }

  /** What an actor sees of this cell alone. */
  seenBy(actor: string, loneActorMax: number): SeenTally {
    if (this.#byActor !== null || this.#lone !== actor) return seenBy(actor, [this], loneActorMax)
    return this.#seenAlone ??= { tally: this.all, own: this.all }
  }

  of(actor: string): Tally {
    if (this.#byActor === null) return this.#lone === actor ? this.all : nothing
    return tallyOf(this.#byActor.get(actor) ?? nothing)
  }

  /** The other actors of the highest weights; at least two, where there are as many. */
  heaviestBeside(actor: string): ReadonlyArray<string> {
    if (this.#byActor === null) return this.#lone === null || this.#lone === actor ? [] : [this.#lone]
    return (this.#heaviest ??= this.#findHeaviest()).filter((each) => each !== actor)
  }
}

/** What an actor sees of some cells: all outcomes, with the others' shielded, and the actor's own part. */
export interface SeenTally {
  readonly tally: Tally
  readonly own: Tally
}

export const nothingSeen: SeenTally = { tally: nothing, own: nothing }

const totalOf = (cells: ReadonlyArray<ActorSums>, part: (cell: ActorSums) => Tally): Tally => {
  const [first] = cells
  if (cells.length === 1 && first !== undefined) return part(first)
  const total: Sum = { weight: 0, success: 0 }
  for (const cell of cells) {
    const { success, weight } = part(cell)
    total.weight += weight
    total.success += success
  }
  return total
}

/** Of the cells' other actors together, the one of the highest weight. */
const heaviestOf = (cells: ReadonlyArray<ActorSums>, actor: string): Tally => {
  const found = new Map<string, number>()
  for (const cell of cells) {
    for (const each of cell.heaviestBeside(actor)) {
      found.set(each, (found.get(each) ?? 0) + cell.of(each).weight)
    }
  }
  let heaviest = nothing
  for (const [each] of [...found].sort(([, one], [, other]) => other - one).slice(0, heaviestLooked)) {
    const sum = totalOf(cells, (cell) => cell.of(each))
    if (sum.weight > heaviest.weight) heaviest = sum
  }
  return heaviest
}

/**
 * The outcomes of some cells as an actor sees them: its own fully, and of the others none with more than half
 * of their weight, unless that is less than it weighs alone: under `loneActorMax`. Callers without an id, who
 * may be many, see a user who is the only other one in full, and are seen so.
 */
export const seenBy = (actor: string, cells: ReadonlyArray<ActorSums>, loneActorMax: number): SeenTally => {
  const [first] = cells
  if (first === undefined) return nothingSeen
  const all = totalOf(cells, (cell) => cell.all)
  const own = totalOf(cells, (cell) => cell.of(actor))
  const others = tallyOf({ weight: all.weight - own.weight, success: all.success - own.success })
  if (others.weight === 0) return { tally: all, own }
  const heaviest = cells.length === 1 && first.size === 0 ? others : heaviestOf(cells, actor)
  const areNamed = actor !== "" && totalOf(cells, (cell) => cell.of("")).weight === 0
  const shielded = withoutMajority(others, heaviest, loneActorMax, areNamed)
  return {
    tally: { weight: own.weight + shielded.weight, success: own.success + shielded.success },
    own
  }
}
