/* Loads what only dev dependencies bring. */

/** The module; null where a package that it needs is not installed. */
export const devModule = async <Module>(load: () => Promise<Module>): Promise<Module | null> => {
  try {
    return await load()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return null
    throw cause
  }
}
