/* The running version. The version is a separate file, because `help` and `--version` must load no schema. */

/** The version is shown as `api_version` of capabilities and as `version` of health. */
export const version = "0.1.0"
