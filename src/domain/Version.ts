/* The running version. The version is a separate file, because `help` and `--version` must load no schema. */

export const version = "0.1.0"
