/* The running version. A file of its own, because `help` and `--version` must load no schema. */

/** Shown as `api_version` of capabilities and `version` of health. */
export const version = "0.1.0"
