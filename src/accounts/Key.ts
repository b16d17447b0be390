/** The text of an account key: its parser, its form, and the messages about a wrong one. */
import { AccountId } from "../domain/Scope.ts"

/** Which key it is: the parts of an account key that are no secret. */
export interface KeyName {
  /** The instance segment, which names the account. */
  readonly accountId: AccountId
  readonly keyId: string
}

/** The parts of an account key. `text` is the whole key, a secret. */
export interface Key extends KeyName {
  readonly text: string
}

const prefix = "sxt"
const lengthMax = prefix.length + 3 + 64 + 64 + 256
const shape = /^sxt_([a-z0-9-]{1,64})_([a-z0-9-]{1,64})_[A-Za-z0-9_-]{32,256}$/

/**
 * Reads `sxt_<instance>_<keyid>_<secret>`: instance and key id of 1 to 64 characters `a-z0-9-`, secret of 32
 * to 256 characters `A-Za-z0-9_-`. Null for anything else. The first three underscores separate; the secret
 * may hold more.
 */
export const parse = (text: string): Key | null => {
  if (text.length > lengthMax) return null
  const [, instance, keyId] = shape.exec(text) ?? []
  return instance === undefined || keyId === undefined
    ? null
    : { accountId: AccountId.make(instance), keyId, text }
}

/** Why {@link parse} refuses a text, as the end of a sentence about the key; it quotes none of the text. */
const shapeProblem = (text: string): string => {
  if (!text.startsWith(`${prefix}_`)) return `does not begin with ${prefix}_`
  const [, instance = "", keyId, ...rest] = text.split("_")
  const secret = rest.join("_")
  const part = /^[a-z0-9-]{1,64}$/
  if (!part.test(instance)) return "has an instance that is not 1 to 64 characters of a-z, 0-9 and -"
  if (keyId === undefined) return `ends after its instance; a key is ${prefix}_<instance>_<keyid>_<secret>`
  if (!part.test(keyId)) return "has a key id that is not 1 to 64 characters of a-z, 0-9 and -"
  if (secret.length < 32 || secret.length > 256) {
    return `has a secret of ${secret.length} characters, which must have 32 to 256`
  }
  return "has a secret with a character other than A-Z, a-z, 0-9, - and _"
}

/** What is wrong with the form of configured keys, by their position; it quotes none of them. */
export const givenKeyProblems = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
  const named = new Map<string, number>()
  return keys.flatMap((text, index) => {
    const says = (problem: string) => [`number ${index + 1} of ${keys.length} ${problem}`]
    const key = parse(text)
    if (key === null) return says(shapeProblem(text))
    const name = `${key.accountId}_${key.keyId}`
    const first = named.get(name)
    if (first === undefined) named.set(name, index)
    return first === undefined || keys[first] === text
      ? []
      : says(`has the instance and key id of number ${first + 1}, and another secret`)
  })
}

/** The key of the parts; null when a part has a wrong length or character. */
export const format = (instance: string, keyId: string, secret: string): Key | null => {
  const key = parse(`${prefix}_${instance}_${keyId}_${secret}`)
  // A part with an underscore in it would be read as another key.
  return key !== null && key.accountId === instance && key.keyId === keyId ? key : null
}
