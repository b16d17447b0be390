/* The key of this tab, in its session storage: never in a cookie or a URL, and removed with the tab. */

const name = "sextant.key"

/** The key of this tab; null when none was entered. */
export const key = (): string | null => sessionStorage.getItem(name)
export const setKey = (value: string): void => sessionStorage.setItem(name, value)
export const removeKey = (): void => sessionStorage.removeItem(name)
