/** True in `npm run test:faults`, which runs all faults, in their long form. */
export const isFullRun = process.env["SEXTANT_FAULTS"] === "whole"
