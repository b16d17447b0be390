/* Finds shell commands that check an agent's work, such as `npm test`. */

/** Default regular expressions for commands that check work, which the setting `gates` replaces. */
export const defaultGates: ReadonlyArray<string> = [
  "(npm|pnpm|yarn|bun)( run)? (test|check|typecheck|lint)\\b", "\\bpytest\\b",
  "\\bcargo (test|check|clippy)\\b",
  "\\bgo (test|vet)\\b", "\\bmake (test|check)\\b", "\\b(vitest|jest|mocha|rspec|phpunit|ctest)\\b",
  "\\btsc\\b", "\\bdotnet test\\b", "\\b(mvn|gradle|gradlew)\\b.*\\b(test|verify|check)\\b"
]

/** Programs such as `echo` and `grep`, which do not run a check even if their arguments name a check. */
const speaks = /^\s*(echo|printf|cat|grep|rg|git|sed|awk|ls|which|head|tail|find|man|rm|cp|mv)\b/

/** Matches what hides the exit code of a check before it: `||`, a pipe, `;`, a line break or `&`. */
const hides = /\|\||\||;|\n|(?<![>&\d])&(?![&>\d])/

/**
 * Whether a failed check makes the whole command fail, as in `cd a && npm test`. The commands
 * `npm test | tail -5` and `npm test || true` hide the check's exit code.
 */
export const isGate = (command: string, gates: ReadonlyArray<RegExp>): boolean => {
  const steps = command.trim().replace(/[;\s]+$/, "").split("&&")
  return steps.some((step, at) => {
    const [gate] = gates.flatMap((pattern) => pattern.exec(step) ?? [])
    if (gate === undefined) return false
    const from = step.indexOf(gate)
    const own = step.slice(0, from).split(/[;\n|]/).at(-1) ?? ""
    return !speaks.test(own + gate) && !hides.test([step.slice(from), ...steps.slice(at + 1)].join("&&"))
  })
}
