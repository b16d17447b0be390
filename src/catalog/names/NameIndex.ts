/* Finds the model that an id names, in any of the known spellings, in one list of cards. */
import type { ModelCard } from "../../domain/model/Model.ts"
import { identifierLengthMax } from "../../domain/text/Text.ts"
import { makerOf, type NameReading, readingsOf } from "./Routes.ts"
import { keyOf, releaseOf, shortened, stampedStem, withoutLatest, withoutStage } from "./Suffixes.ts"

/** Returns the model that an id names; undefined if it names none. */
export type NameIndex = (id: string) => ModelCard | undefined

/** Maximum number of ids that all indexes together cache. */
const rememberedMax = 8_192

interface CachedLookup {
  readonly index: number
  readonly card: ModelCard | undefined
}

/** The last result for each requested id, for all name indexes together. */
const remembered = new Map<string, CachedLookup>()
let indexesMade = 0

const endingsMax = 6

/** Maximum number of characters by which a name with endings may exceed the catalog's longest name. */
const endingsLengthMax = 64

interface Names {
  /** Cards by their ids and aliases. */
  readonly exact: ReadonlyMap<string, ModelCard>
  /** Cards by {@link keyOf}; null if two models share the key, so that the key finds neither. */
  readonly byKey: ReadonlyMap<string, ModelCard | null>
  /** Keys of the catalog's names with a date, a revision or `-latest`, but without that ending. */
  readonly stamped: ReadonlySet<string>
  /** Providers of the cards, in lower case. */
  readonly makers: ReadonlySet<string>
  readonly lengthMax: number
}

/** Maximum number of characters that {@link keyOf} removes from a name: the two dashes of a date. */
const keyShorterMax = 2

interface CardKeys {
  readonly ids: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly derived: ReadonlyArray<string>
  readonly stamped: ReadonlyArray<string>
}

const noMakers: ReadonlySet<string> = new Set()

/** Returns an alias without its maker, and then also without Bedrock's endings. */
const unrouted = (card: ModelCard, alias: string): ReadonlyArray<string> =>
  readingsOf(alias, noMakers)
    .filter(({ makers }) => makers.length > 0 && makers.every((maker) => maker === makerOf(card.provider)))
    .flatMap(({ isDotted, name }) => {
      const revised = isDotted ? shortened(name, true) : null
      const packaged = revised === null ? null : shortened(revised.name, revised.isPackaged)
      return [name, revised?.name ?? [], packaged?.name ?? []].flat()
    })

const cardKeys = new WeakMap<ModelCard, CardKeys>()

const keysOf = (card: ModelCard): CardKeys => {
  const known = cardKeys.get(card)
  if (known !== undefined) return known
  const lower = card.modelId.toLowerCase()
  const aliases = card.aliases.map((alias) => alias.toLowerCase())
  const derived = aliases.flatMap((alias) => unrouted(card, alias))
  const stems = [lower, ...aliases, ...derived].flatMap((name) => stampedStem(name) ?? [])
  const keys = {
    ids: [keyOf(lower)],
    aliases: aliases.map(keyOf),
    derived: [...derived, withoutStage(lower) ?? []].flat().map(keyOf),
    stamped: [...stems, withoutLatest(lower) ?? []].flat().map(keyOf)
  }
  cardKeys.set(card, keys)
  return keys
}

/**
 * Returns the newest of the models that differ only by date, by the key `<stem>-latest`. A stem (an id
 * without its date) has no `latest` key if it is a model's id, or if a version follows it in another id.
 */
const latestOf = (cards: ReadonlyArray<ModelCard>): ReadonlyMap<string, ModelCard> => {
  const all = cards.map((card) => {
    const id = keyOf(card.modelId.toLowerCase())
    return { card, id, stem: stampedStem(id), release: releaseOf(id) }
  })
  const newest = new Map<string, typeof all[number]>()
  for (const each of all) {
    const { release, stem } = each
    if (stem === null || release === null) continue
    if (release > (newest.get(stem)?.release ?? 0)) newest.set(stem, each)
  }
  const isFollowedByVersion = (stem: string, id: string): boolean =>
    id.startsWith(`${stem}-`) && /^\d/.test(id.slice(stem.length + 1))
  return new Map([...newest].flatMap(([stem, { card }]) => {
    const isUnclear = all.some((other) =>
      other.id === stem || (other.stem !== stem && isFollowedByVersion(stem, other.id)))
    return isUnclear ? [] : [[`${stem}-latest`, card] as const]
  }))
}

/** If names clash, an id takes precedence over an alias, and an alias over a derived name. */
const namesOf = (cards: ReadonlyArray<ModelCard>): Names => {
  const exact = new Map(cards.map((card) => [card.modelId, card]))
  for (const card of cards) {
    for (const alias of card.aliases) if (!exact.has(alias)) exact.set(alias, card)
  }
  const byKey = new Map<string, ModelCard | null>()
  for (const kind of ["ids", "aliases", "derived"] as const) {
    const added = new Map<string, ModelCard | null>()
    for (const card of cards) {
      for (const key of keysOf(card)[kind]) {
        const isShared = added.has(key) && added.get(key) !== card
        if (!byKey.has(key)) added.set(key, isShared ? null : card)
      }
    }
    for (const [key, card] of added) byKey.set(key, card)
  }
  for (const [key, card] of latestOf(cards)) if (!byKey.has(key)) byKey.set(key, card)
  return {
    exact,
    byKey,
    stamped: new Set(cards.flatMap((card) => keysOf(card).stamped)),
    makers: new Set(cards.map((card) => card.provider.toLowerCase())),
    lengthMax: Math.max(0, ...[...exact.keys(), ...byKey.keys()].map((name) => name.length)) + keyShorterMax
  }
}

/** Finds the card of a name, unless a prefix that was removed from the name means another maker. */
const cardOf = ({ byKey, exact, lengthMax }: Names, { makers, name }: NameReading): ModelCard | undefined => {
  if (name.length > lengthMax) return undefined
  const card = exact.get(name) ?? byKey.get(keyOf(name)) ?? undefined
  return card !== undefined && makers.every((maker) => maker === makerOf(card.provider)) ? card : undefined
}

/**
 * Removes the last ending of a name, such as a date; null if no ending may be removed. A date is not removed
 * if the catalog has a model of the same name with another date.
 */
const next = ({ lengthMax, stamped }: Names, reading: NameReading): NameReading | null => {
  if (reading.name.length > lengthMax + endingsLengthMax) return null
  const rest = shortened(reading.name, reading.isDotted)
  if (rest === null || (rest.isStamp && stamped.has(keyOf(rest.name)))) return null
  return { name: rest.name, makers: reading.makers, isDotted: rest.isPackaged }
}

/** Looks up the id, then the id without prefixes, then both without more and more endings. */
const search = (names: Names, id: string): ModelCard | undefined => {
  const readings = readingsOf(id, names.makers)
  for (const reading of readings) {
    const card = cardOf(names, reading)
    if (card !== undefined) return card
  }
  // Endings are removed even from an id with prefixes, because a card's id may have a prefix.
  let left: ReadonlyArray<NameReading> = [...readings.slice(0, 1), ...readings.slice(1).slice(-3)]
  for (let taken = 0; taken < endingsMax && left.length > 0; taken++) {
    left = left.flatMap((reading) => next(names, reading) ?? [])
    for (const reading of left) {
      const card = cardOf(names, reading)
      if (card !== undefined) return card
    }
  }
  return undefined
}

export const nameIndexOf = (cards: ReadonlyArray<ModelCard>): NameIndex => {
  const names = namesOf(cards)
  const index = indexesMade++
  return (id) => {
    const exact = names.exact.get(id)
    if (exact !== undefined || id.length > identifierLengthMax) return exact
    const known = remembered.get(id)
    if (known?.index === index) return known.card
    const card = search(names, id)
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(id, { index, card })
    return card
  }
}
