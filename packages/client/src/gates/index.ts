/*
 * Gates: checks of an answer by a program. `runVerified` takes a gate as its `verify`, and `score` takes its
 * result. Each gate states its error rates as far as they are known.
 */
import type { Verification } from "../Wire.ts"
import { answerText } from "../adapters/AnswerText.ts"
import { type CommandOptions, exitCodeOf } from "./Command.ts"
import { compiled, type JsonSchema } from "./JsonSchema.ts"

export type { CommandOptions } from "./Command.ts"
export type { JsonSchema } from "./JsonSchema.ts"

/** A gate's error rates, from 0 to 0.5, and its cost, if the caller knows them. */
export interface GateErrors {
  /** The share of wrong answers that pass. */
  readonly passWrong?: number | undefined
  /** The share of right answers that fail. */
  readonly failRight?: number | undefined
  /** Cost of one check, USD >= 0. */
  readonly costUsd?: number | undefined
}

/** A check's result. Null is no verdict. */
type Said = boolean | null

/** A check of an answer or of another result. */
export interface Gate {
  /**
   * Whether the answer passes; null if there is nothing to check, as in a tool call. Rejects if the check
   * cannot run.
   */
  (answer: unknown): Promise<Said>
  readonly verification: Verification
}

/** A gate, or another check of the caller. */
export type Check = Gate | ((answer: unknown) => Said | PromiseLike<Said>)

/** A validator by Standard Schema, such as one of zod, valibot or ArkType. */
export interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult | PromiseLike<StandardResult>
  }
}
interface StandardResult {
  readonly issues?: ReadonlyArray<unknown> | undefined
}

/** Returns whether a value is right, as a function compiled by ajv does. */
export type Validator = (value: unknown) => boolean | PromiseLike<boolean>

/** Highest error rate in a request. */
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

/** A gate of a text. The caller cannot use a text that fails, so no right answer fails. */
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

/** The sum, at most `errorsMax`; undefined if a share is unknown. `leastOf` is undefined if all are. */
const sumOf = (shares: ReadonlyArray<number>): number | undefined => {
  const sum = shares.reduce((total, one) => total + one, 0)
  return Number.isNaN(sum) ? undefined : Math.min(sum, errorsMax)
}
const leastOf = (shares: ReadonlyArray<number>): number | undefined => {
  const known = shares.filter((one) => !Number.isNaN(one))
  return known.length > 0 ? Math.min(...known) : undefined
}

/** Asks one check after another until one returns `last`, which is then the result. */
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
  // These bounds hold for dependent errors too: an answer that passes all checks passes each.
  return gateOf(ask, {
    passWrong: last ? sumOf(passing) : leastOf(passing),
    failRight: last ? leastOf(failing) : sumOf(failing),
    costUsd: costs.reduce((total, one) => total + one, 0) || undefined
  })
}

/** The gates. A wrong argument is a `TypeError` at once. */
export const gates = {
  /** Passes if one check passes; asks them in turn until then. */
  any: (...checks: ReadonlyArray<Check>): Gate => combined(checks, true),
  /**
   * Passes JSON that fits a schema: a JSON Schema of the common subset, or a validator. A schema checks only
   * the form. `passWrong` is how often a wrong answer fits it.
   */
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
   * Passes a text with a match. A pattern that backtracks, such as `(a+)+$`, may never end. Put `maxLength`
   * before it in `all`, or write another pattern.
   */
  matches: (pattern: RegExp, errors?: GateErrors): Gate =>
    ofText((text) => text.search(pattern) >= 0, errors),
  /** Passes a text of at most `max` UTF-16 units, count >= 0. */
  maxLength: (max: number, errors?: GateErrors): Gate => ofText((text) => text.length <= max, errors),
  /**
   * Passes a command that ended with this exit code, 0 by default. The result is the code, or has it as
   * `exitCode`, `status` or `code`. A command that a `signal` ended has failed.
   */
  exitCode: (expected = 0, errors: GateErrors = {}): Gate =>
    gateOf((result) => {
      const { code, exitCode, signal, status } = Object(result)
      const came = typeof result === "number" ? result : exitCode ?? status ?? code
      return typeof came === "number" ? came === expected : typeof signal === "string" ? false : null
    }, errors),
  /**
   * Passes if a command ends with exit code 0. The shell runs a text; a list runs without one. The command's
   * input is the answer's text. Code of the answer that it runs has the program's rights.
   */
  tests: (
    command: string | ReadonlyArray<string>,
    { cwd, env, timeoutMs, ...errors }: CommandOptions & GateErrors = {}
  ): Gate =>
    gateOf(async (answer) =>
      await exitCodeOf(command, answerText(answer) ?? "", { cwd, env, timeoutMs }) === 0, errors),
  /** Passes if all checks pass; asks them in turn until one fails. */
  all: (...checks: ReadonlyArray<Check>): Gate => combined(checks, false)
}
