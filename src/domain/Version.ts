/* The running version. It has a file of its own, because help and `--version` load no schema. */

/** The version: `api_version` of capabilities and `version` of health. */
export const version = "0.1.0"
