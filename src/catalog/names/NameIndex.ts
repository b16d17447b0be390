/* Finds the model that an id names, in whatever of the known spellings; pure, over one list of cards. */
import type { ModelCard } from "../../domain/model/Model.ts"
import { identifierLengthMax } from "../../domain/text/Text.ts"
import { makerOf, type NameReading, readingsOf } from "./Routes.ts"
import { keyOf, releaseOf, shortened, stampedStem, withoutLatest, withoutStage } from "./Suffixes.ts"

/** Finds a model by what a caller wrote; undefined for an id that names none. */
export type NameIndex = (id: string) => ModelCard | undefined

/** Ids that are remembered of all indexes together, count: some megabytes, as an id has 256 characters. */
const rememberedMax = 8_192

/** What an index, by its number, found for an id. */
interface CachedLookup {
  readonly index: number
  readonly card: ModelCard | undefined
}

/** One memory for all indexes: accounts have catalogs of their own, and each may be asked for any id. */
const remembered = new Map<string, CachedLookup>()
let indexesMade = 0

/** Endings that are taken off one name, count: more than any real spelling has. */
const endingsMax = 6

/** Characters by which a name may be longer than each of the list, before its endings: those of real ones. */
const endingsLengthMax = 64

/** The names of a list of cards. */
interface Names {
  /** Ids and aliases as they are. */
  readonly exact: ReadonlyMap<string, ModelCard>
  /** By {@link keyOf}; null where two models share a key, so that neither is found by it. */
  readonly byKey: ReadonlyMap<string, ModelCard | null>
  /** Keys of the stems of names that the list distinguishes by a date or a revision. */
  readonly stamped: ReadonlySet<string>
  /** Providers of the list, in lower case. */
  readonly makers: ReadonlySet<string>
  /** Length of the longest name, characters: no longer one is looked up. */
  readonly lengthMax: number
}

/** How much shorter a key can be than its name, characters: the dashes of a date. */
const keyShorterMax = 2

/** The keys under which a card is found, each list after the one before it. */
interface CardKeys {
  readonly ids: ReadonlyArray<string>
  readonly aliases: ReadonlyArray<string>
  readonly derived: ReadonlyArray<string>
  readonly stamped: ReadonlyArray<string>
}

const noMakers: ReadonlySet<string> = new Set()

/** The names that are left of an alias when the maker before it, and Bedrock's packaging, are taken off. */
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
 * The newest of the models that share a name and differ by date, by the key that says `-latest`. A name that
 * stands for a model by itself, or that a version also follows, is left out: what is its latest is not known.
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

/** Ids before aliases before derived names; of two equal ids or aliases the first card's wins. */
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

/** The card of that name, unless the prefix names another maker. */
const cardOf = ({ byKey, exact, lengthMax }: Names, { makers, name }: NameReading): ModelCard | undefined => {
  if (name.length > lengthMax) return undefined
  const card = exact.get(name) ?? byKey.get(keyOf(name)) ?? undefined
  return card !== undefined && makers.every((maker) => maker === makerOf(card.provider)) ? card : undefined
}

/**
 * A reading without its outermost ending; null when none may go. A date stays where the list distinguishes
 * models by dates: another date is another model.
 */
const next = ({ lengthMax, stamped }: Names, reading: NameReading): NameReading | null => {
  if (reading.name.length > lengthMax + endingsLengthMax) return null
  const rest = shortened(reading.name, reading.isDotted)
  if (rest === null || (rest.isStamp && stamped.has(keyOf(rest.name)))) return null
  return { name: rest.name, makers: reading.makers, isDotted: rest.isPackaged }
}

/** Reads the id with every prefix and no ending taken off, then ending by ending; the first name wins. */
const search = (names: Names, id: string): ModelCard | undefined => {
  const readings = readingsOf(id, names.makers)
  for (const reading of readings) {
    const card = cardOf(names, reading)
    if (card !== undefined) return card
  }
  // The whole id, for a card whose own id has a prefix, and what is left without any.
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

/** An index of these cards; what it found for the last ids is remembered. */
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
