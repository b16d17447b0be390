/** Set by `npm run test:faults`: all rows, and the long form of those that have one. */
export const isWhole = process.env["SEXTANT_FAULTS"] === "whole"
