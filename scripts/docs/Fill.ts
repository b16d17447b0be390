/* Fills code of a page with the reader's address, key and command. */

export interface Reader {
  /** The address of the service that serves the page. */
  readonly url: string
  /** The reader's key; null until one is entered. */
  readonly key: string | null
  /** How the commands of this service are run. */
  readonly command: string
}

/** The address of a service that runs where its reader is. */
const usual = /(?:http:\/\/)?\blocalhost:8080\b/g

/** Code in a sentence: a command of the service, or its address. */
export const filledWords = (code: string, { command, url }: Reader): string =>
  code.replace(usual, () => url)
    .replace(/(^|\| |&& |\$\()sextant (?=[a-z])/gm, (_, before: string) => `${before}${command} `)

/** The account of the pages' commands. */
const example = /--instance acme(?![\w-])/g

/** The account that a key names in its second part; null for a text that is no key. */
const accountOf = (key: string | null): string | null => key?.match(/^sxt_([a-z0-9-]+)_/)?.[1] ?? null

/** Languages of blocks that a shell runs. */
const shells = new Set(["sh", "console"])

/** A block of code. Only a shell would replace variables; programs read them. */
export const filledBlock = (code: string, language: string, reader: Reader): string => {
  const { key, url } = reader
  const keyOr = (placeholder: string): string => key ?? placeholder
  const named = code.replace(/sxt_\w*(?:…|\.\.\.)/g, keyOr)
  return !shells.has(language) ? named.replace(usual, () => url) : filledWords(named, reader)
    .replace(/\$SEXTANT_URL\b|\$\{SEXTANT_URL\}/g, () => url)
    .replace(/\$(?:SEXTANT_)?KEY\b|\$\{SEXTANT_KEY\}/g, keyOr)
    .replace(example, `--instance ${accountOf(key) ?? "acme"}`)
}
