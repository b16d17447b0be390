/* Keeps the key in the session storage of the tab, never in a cookie or a URL. */

const name = "sextant.key"

/** The key of this tab; null if it has none. */
export const key = (): string | null => sessionStorage.getItem(name)
export const setKey = (value: string): void => sessionStorage.setItem(name, value)
export const removeKey = (): void => sessionStorage.removeItem(name)
