/* Finds shell commands with the exit code of a check. */

/** Commands that check work, as regular expressions. A setting replaces them. */
export const defaultGates: ReadonlyArray<string> = [
  "(npm|pnpm|yarn|bun)( run)? (test|check|typecheck|lint)\\b", "\\bpytest\\b",
  "\\bcargo (test|check|clippy)\\b",
  "\\bgo (test|vet)\\b", "\\bmake (test|check)\\b", "\\b(vitest|jest|mocha|rspec|phpunit|ctest)\\b",
  "\\btsc\\b", "\\bdotnet test\\b", "\\b(mvn|gradle|gradlew)\\b.*\\b(test|verify|check)\\b"
]

/** Programs with arguments that may name a check without running it. */
const speaks = /^\s*(echo|printf|cat|grep|rg|git|sed|awk|ls|which|head|tail|find|man|rm|cp|mv)\b/

/** Shell syntax after a check that hides its exit code: another command that always runs, a pipe, or `&`. */
const hides = /\|\||\||;|\n|(?<![>&\d])&(?![&>\d])/

/**
 * Whether a command has the exit code of a check in it. `npm test 2>&1` and `cd a && npm test` do. `npm test
 * | tail -5` and `npm test || true` have another program's exit code.
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
