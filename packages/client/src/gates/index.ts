/* Gates: checks of an answer by a program, for the `verify` of `runVerified` and for `score`. Each gate
   says how often it errs, as far as this is known. */
import type { Verification } from "../Wire.ts"
import { answerText } from "../adapters/AnswerText.ts"
import { type CommandOptions, exitCodeOf } from "./Command.ts"
import { compiled, type JsonSchema } from "./JsonSchema.ts"

export type { CommandOptions } from "./Command.ts"
export type { JsonSchema } from "./JsonSchema.ts"

/** A gate's error rates, from 0 to 0.5, and its cost, as far as the caller knows them. */
export interface GateErrors {
  /** Share of wrong answers that pass the gate. */
  readonly passWrong?: number | undefined
  /** Share of right answers that fail the gate. */
  readonly failRight?: number | undefined
  /** US dollars >= 0 per check. */
  readonly costUsd?: number | undefined
}

/** A check's result: passed or failed, or null if the check gives no verdict. */
type Said = boolean | null

export interface Gate {
  /** Returns null if there is nothing to check, as in a tool call. Rejects if the check fails to run. */
  (answer: unknown): Promise<Said>
  readonly verification: Verification
}

/** A gate, or a function of the caller that checks an answer. */
export type Check = Gate | ((answer: unknown) => Said | PromiseLike<Said>)

/** A schema that follows the Standard Schema interface, such as a schema of zod, valibot or ArkType. */
export interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult | PromiseLike<StandardResult>
  }
}
interface StandardResult {
  readonly issues?: ReadonlyArray<unknown> | undefined
}

/** A function that returns whether a value is valid, such as a function compiled by ajv. */
export type Validator = (value: unknown) => boolean | PromiseLike<boolean>

/** Maximum error rate that a request may state. */
const errorsMax = 0.5

const share = (name: keyof GateErrors, value: number | undefined, max: number): number | undefined => {
  if (value === undefined || (value >= 0 && value <= max)) return value
  throw new TypeError(`gates: ${name} is no number from 0 to ${max}`)
}

const gateOf = (check: (answer: unknown) => Said | PromiseLike<Said>, errors: GateErrors): Gate => {
  const verification: Verification = {
    kind: "gate",
    pass_wrong: share("passWrong", errors.passWrong, errorsMax),
    fail_right: share("failRight", errors.failRight, errorsMax),
    cost_usd: share("costUsd", errors.costUsd, 1e6)
  }
  return Object.assign(async (answer: unknown) => check(answer), { verification })
}

/** `failRight` is 0 by default, because a text that fails a check of its form is not right. */
const ofText = (check: (text: string) => boolean | PromiseLike<boolean>, errors: GateErrors = {}): Gate =>
  gateOf((answer) => {
    const text = answerText(answer)
    return text === null ? null : check(text)
  }, { failRight: 0, ...errors })

const validatorOf = (schema: JsonSchema | StandardSchema | Validator): Validator => {
  const standard: Partial<StandardSchema["~standard"]> = Object(Object(schema)["~standard"])
  const { validate } = standard
  if (validate) return async (value) => (await validate.call(standard, value)).issues === undefined
  return typeof schema === "function" ? schema as Validator : compiled(schema)
}

const sumOf = (shares: ReadonlyArray<number>): number | undefined => {
  const sum = shares.reduce((total, one) => total + one, 0)
  return Number.isNaN(sum) ? undefined : Math.min(sum, errorsMax)
}
const leastOf = (shares: ReadonlyArray<number>): number | undefined => {
  const known = shares.filter((one) => !Number.isNaN(one))
  return known.length > 0 ? Math.min(...known) : undefined
}

const combined = (checks: ReadonlyArray<Check>, last: boolean): Gate => {
  if (checks.length === 0) throw new TypeError("gates: there is no gate")
  const known = checks.map((check) => (check as Partial<Gate>).verification)
  const passing = known.map((one) => one?.pass_wrong ?? NaN)
  const failing = known.map((one) => one?.fail_right ?? NaN)
  const costs = known.map((one) => one?.cost_usd ?? 0)
  const ask = async (answer: unknown): Promise<Said> => {
    let said: Said = !last
    for (const check of checks) {
      const one = await check(answer)
      if (one === last) return last
      if (one === null) said = null
    }
    return said
  }
  // Upper bounds on the error rates, capped at `errorsMax`, even if the checks' errors depend on each other.
  return gateOf(ask, {
    passWrong: last ? sumOf(passing) : leastOf(passing),
    failRight: last ? leastOf(failing) : sumOf(failing),
    costUsd: costs.reduce((total, one) => total + one, 0) || undefined
  })
}

/** A wrong error rate, cost or JSON schema throws a `TypeError` when the gate is made. */
export const gates = {
  /** Runs the checks in turn until one of them passes. */
  any: (...checks: ReadonlyArray<Check>): Gate => combined(checks, true),
  /** Passes if the answer is JSON that fits a JSON Schema or a validator. */
  json: (schema: JsonSchema | StandardSchema | Validator, errors?: GateErrors): Gate => {
    const validate = validatorOf(schema)
    return ofText((text) => {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return false
      }
      return validate(value)
    }, errors)
  },
  /**
   * Passes if the pattern matches in the answer's text. A pattern that backtracks, such as `(a+)+$`, may run
   * for ever on a long text. In `all`, put `maxLength` before `matches`, to keep long texts from the pattern.
   */
  matches: (pattern: RegExp, errors?: GateErrors): Gate =>
    ofText((text) => text.search(pattern) >= 0, errors),
  /** Passes if the answer's text has at most `max` UTF-16 units. */
  maxLength: (max: number, errors?: GateErrors): Gate => ofText((text) => text.length <= max, errors),
  /**
   * Passes if a command that the caller has run ended with the expected exit code; 0 by default. The checked
   * value is the exit code, or an object with the code in `exitCode`, `status` or `code`. An object with a
   * `signal` and without an exit code fails.
   */
  exitCode: (expected = 0, errors: GateErrors = {}): Gate =>
    gateOf((result) => {
      const { code, exitCode, signal, status } = Object(result)
      const came = typeof result === "number" ? result : exitCode ?? status ?? code
      return typeof came === "number" ? came === expected : typeof signal === "string" ? false : null
    }, errors),
  /**
   * Passes if a command ends with exit code 0. A text is run by the shell, and a list of words without a
   * shell. The command gets the answer's text on standard input. If the command runs code from the answer,
   * that code has the program's rights.
   */
  tests: (
    command: string | ReadonlyArray<string>,
    { cwd, env, timeoutMs, ...errors }: CommandOptions & GateErrors = {}
  ): Gate =>
    gateOf(async (answer) =>
      await exitCodeOf(command, answerText(answer) ?? "", { cwd, env, timeoutMs }) === 0, errors),
  /** Runs the checks in turn until one of them fails. */
  all: (...checks: ReadonlyArray<Check>): Gate => combined(checks, false)
}
