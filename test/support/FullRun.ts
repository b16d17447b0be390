/** Whether `npm run test:faults` runs: all faults, with the long form of those that have one. */
export const isFullRun = process.env["SEXTANT_FAULTS"] === "whole"
