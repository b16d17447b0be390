/* Recognises outcomes of other versions of the tools that a task's tags name. */

/**
 * `lang:python@3.12` is the tool `lang:python` in version `3.12`. A version begins with a digit, or `v` and a
 * digit; any other tag names none, an address for example.
 */
const toolOf = (tag: string): { readonly tool: string; readonly version: string | null } => {
  const [, tool, version] = /^(.+)@(v?\d[^@]*)$/.exec(tag) ?? []
  return tool === undefined || version === undefined ? { tool: tag, version: null } : { tool, version }
}

/**
 * Whether past outcomes conflict with the request's environment: they name another version of a tool that it
 * names one of. The request's tags are read once.
 */
export const conflictsWith = (wanted: ReadonlyArray<string>): (tags: ReadonlyArray<string>) => boolean => {
  const versions = new Map<string, Set<string>>()
  for (const { tool, version } of wanted.map(toolOf)) {
    if (version !== null) versions.set(tool, (versions.get(tool) ?? new Set()).add(version))
  }
  return versions.size === 0 ? () => false : (tags) =>
    tags.some((tag) => {
      const { tool, version } = toolOf(tag)
      return version !== null && versions.get(tool)?.has(version) === false
    })
}
