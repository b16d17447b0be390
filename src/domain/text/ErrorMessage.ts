/** The message of an unknown thrown value: an error's own, else the value as text. */
export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
