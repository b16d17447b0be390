/** `lang:python@3.12` is the tool `lang:python` in version `3.12`; a tag without `@` names no version. */
const toolOf = (tag: string): { readonly tool: string; readonly version: string | null } => {
  const at = tag.lastIndexOf("@")
  return at <= 0 || at === tag.length - 1
    ? { tool: tag, version: null }
    : { tool: tag.slice(0, at), version: tag.slice(at + 1) }
}

/**
 * How near a past outcome's environment is to the request's, by their tags. Only tags of the request count: a
 * request without tags finds every outcome as near as any other.
 */
export type Environment = "same" | "other" | "conflict"

/** Compares outcomes with the request's tags, which are read once. */
export const environmentOf = (
  wanted: ReadonlyArray<string>
): (tags: ReadonlyArray<string>) => Environment => {
  if (wanted.length === 0) return () => "other"
  const exact = new Set(wanted)
  const versions = new Map<string, Set<string>>()
  for (const { tool, version } of wanted.map(toolOf)) {
    if (version !== null) versions.set(tool, (versions.get(tool) ?? new Set()).add(version))
  }
  return (tags) => {
    const isConflict = versions.size > 0 && tags.some((tag) => {
      const { tool, version } = toolOf(tag)
      return version !== null && versions.get(tool)?.has(version) === false
    })
    if (isConflict) return "conflict"
    return tags.some((tag) => exact.has(tag)) ? "same" : "other"
  }
}
