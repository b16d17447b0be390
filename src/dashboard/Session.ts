const name = "sextant.key"

/** The key of this tab; null when none was entered. Gone with the tab, never in a cookie or an address. */
export const key = (): string | null => sessionStorage.getItem(name)
export const remember = (value: string): void => sessionStorage.setItem(name, value)
export const forget = (): void => sessionStorage.removeItem(name)
