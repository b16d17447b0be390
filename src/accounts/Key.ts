/** The text of an account key: parser, format, and error messages. */
import { AccountId } from "../domain/Scope.ts"

export interface KeyName {
  readonly accountId: AccountId
  readonly keyId: string
}

/** `text` is the whole key, which is secret. */
export interface Key extends KeyName {
  readonly text: string
}

const prefix = "sxt"
const lengthMax = prefix.length + 3 + 64 + 64 + 256
const shape = /^sxt_([a-z0-9-]{1,64})_([a-z0-9-]{1,64})_[A-Za-z0-9_-]{32,256}$/

/**
 * Reads `sxt_<instance>_<keyid>_<secret>`; null for any other text. Instance and key id have 1 to 64
 * characters `a-z0-9-`, the secret has 32 to 256 characters `A-Za-z0-9_-` and may contain underscores.
 */
export const parse = (text: string): Key | null => {
  if (text.length > lengthMax) return null
  const [, instance, keyId] = shape.exec(text) ?? []
  return instance === undefined || keyId === undefined
    ? null
    : { accountId: AccountId.make(instance), keyId, text }
}

/** Why {@link parse} refuses a text, as the end of a sentence that quotes no part of the text. */
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

/** Lists malformed and contradictory keys by position. The messages quote no part of a key. */
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

/** Makes a key from its parts; null if a part has a wrong length or character. */
export const format = (instance: string, keyId: string, secret: string): Key | null => {
  const key = parse(`${prefix}_${instance}_${keyId}_${secret}`)
  // An instance or a key id with an underscore would parse as another key.
  return key !== null && key.accountId === instance && key.keyId === keyId ? key : null
}
