/* The running version, in its own file, because `help` and `--version` must load no schema. */

export const version = "0.1.0"
