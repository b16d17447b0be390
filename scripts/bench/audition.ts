/**
 * Simulates auditions with known truth: 1,000 worlds of 3 to 5 models, 300 prompts, and a budget in USD that pays for
 * 300 calls spread evenly over the models; a race that prefers cheap models makes more of it. How often is the best
 * model under a value of a success named, or one within 2 % of that value of it, and how often do the intervals of
 * success and cost hold? No network.
 *
 *     bench:audition [--worlds 1000] [--calls 300] [--seed 1]
 *
 * A world draws each model's success from 0.35 to 0.97: with classes apart one model in each equal part of that
 * range; else evenly, where two are often too near to tell. It draws each model's cost from $0.0003 to $0.03 a call,
 * spread by a factor of about 2, and the value of a success from $0.01 to $1, both evenly by their logarithms.
 * Prompts have difficulties that all models share, so that outcomes on one prompt go together.
 *
 * Two rows say what can be had. The oracle knows the truth when it spreads the whole budget over the models, so that
 * they are told apart best, and names by what it then saw. And "all asked" gives every prompt to every model, whatever
 * that costs.
 */
import { parseArgs } from "node:util"
import { auditionSettings } from "../../packages/audition/src/AuditionSettings.ts"
import {
  type Contender, costInterval, nextContender, standing, successInterval
} from "../../packages/audition/src/Race.ts"
import { generator, normal } from "../../src/stats/Generator.ts"
import { normalBelow } from "../../src/stats/Normal.ts"
import { mean } from "../training/regression.ts"
import { table } from "./harness/figures.ts"

const { values: options } = parseArgs({
  options: {
    worlds: { type: "string", default: "1000" }, calls: { type: "string", default: "300" },
    seed: { type: "string", default: "1" }
  }
})

const { firstPrompts, sureFrom } = auditionSettings
/** Prompts, which each model takes at most once, count. */
const prompts = 300
/** How much of a model's ability a prompt's difficulty moves, in standard deviations of a probit. */
const difficultySpread = 1
const costSpread = 0.6
const near = 0.02

/** The standard normal quantile, by bisection. */
const quantileOf = (share: number): number => {
  let [low, high] = [-6, 6]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (normalBelow(middle) < share) low = middle
    else high = middle
  }
  return low
}

const between = (low: number, high: number, uniform: () => number): number => low + (high - low) * uniform()
const betweenLogs = (low: number, high: number, uniform: () => number): number =>
  Math.exp(between(Math.log(low), Math.log(high), uniform))

interface Model {
  readonly success: number
  readonly costUsd: number
}

const kinds = ["classes apart", "any"] as const
type Kind = typeof kinds[number]

const worldOf = (kind: Kind, uniform: () => number) => {
  const count = 3 + Math.floor(uniform() * 3)
  const width = (0.97 - 0.35) / count
  return {
    models: Array.from({ length: count }, (_, place): Model => ({
      success: kind === "any" ? between(0.35, 0.97, uniform) : 0.35 + width * (place + uniform()),
      costUsd: betweenLogs(0.0003, 0.03, uniform)
    })),
    valueUsd: betweenLogs(0.01, 1, uniform)
  }
}

type Models = ReadonlyArray<Model>

/** A world as it is asked: the outcome of a call follows from its seed, its model and its prompt alone. */
const auditionOf = (kind: Kind, seed: number, budgetCalls: number) => {
  const uniform = generator(seed)
  const { models, valueUsd } = worldOf(kind, uniform)
  const budgetUsd = budgetCalls * mean(models.map(({ costUsd }) => costUsd))
  const difficulties = Array.from({ length: prompts }, () => normal(uniform) * difficultySpread)
  const calls = models.map(({ costUsd, success }) => {
    const ability = quantileOf(success) * Math.sqrt(1 + difficultySpread ** 2)
    return difficulties.map((difficulty) => ({
      isRight: normal(uniform) + difficulty < ability,
      costUsd: costUsd * Math.exp(costSpread * normal(uniform) - costSpread ** 2 / 2)
    }))
  })
  const begun = models.map(() => 0)
  const sums = models.map(() => ({ successes: 0, failures: 0, costUsd: 0, costSquares: 0 }))
  let spentUsd = 0
  const ask = (place: number): void => {
    const { costUsd, isRight } = calls[place]![begun[place]!++]!
    const own = sums[place]!
    own.successes += isRight ? 1 : 0
    own.failures += isRight ? 0 : 1
    own.costUsd += costUsd
    own.costSquares += costUsd ** 2
    spentUsd += costUsd
  }
  const contenders = (): ReadonlyArray<Contender> =>
    models.map(({ costUsd }, place) => {
      const asked = begun[place]!
      const nextUsd = asked === 0 ? costUsd : sums[place]!.costUsd / asked
      return {
        ...sums[place]!, nextUsd, begun: asked, underWay: 0, isOpen: asked < prompts && spentUsd + nextUsd <= budgetUsd
      }
    })
  return { models, valueUsd, budgetUsd, ask, contenders, spent: () => spentUsd }
}
type World = ReturnType<typeof auditionOf>

const race = ({ ask, contenders, valueUsd }: World): boolean => {
  for (;;) {
    const all = contenders()
    const isClear = all.every(({ begun }) => begun >= firstPrompts)
      && (standing(all, valueUsd)?.chance ?? 0) >= sureFrom
    const place = isClear ? null : nextContender(all, { firstPrompts, valueUsd })
    if (place === null) return isClear
    ask(place)
  }
}

const worthsOf = (models: Models, valueUsd: number): ReadonlyArray<number> =>
  models.map(({ costUsd, success }) => success * valueUsd - costUsd)

/** Spreads the budget by the truth: each call goes where it most lowers the summed chances of a wrong order. */
const oracle = ({ ask, budgetUsd, models, valueUsd }: World): void => {
  const worths = worthsOf(models, valueUsd)
  const best = worths.indexOf(Math.max(...worths))
  const variances = models.map(({ costUsd, success }) =>
    valueUsd ** 2 * success * (1 - success) + costUsd ** 2 * (Math.exp(costSpread ** 2) - 1))
  const counts = models.map(() => 1)
  let spentUsd = models.reduce((sum, { costUsd }) => sum + costUsd, 0)
  for (;;) {
    const gains = models.map(() => 0)
    const narrowed = (place: number) => variances[place]! / (counts[place]! * (counts[place]! + 1))
    for (const [place, worth] of worths.entries()) {
      if (place === best) continue
      const variance = variances[best]! / counts[best]! + variances[place]! / counts[place]!
      const z = (worths[best]! - worth) / Math.sqrt(variance)
      const slope = Math.exp(-z * z / 2) * z / variance
      for (const each of [best, place]) gains[each]! += slope * narrowed(each) / models[each]!.costUsd
    }
    const open = models.flatMap(({ costUsd }, place) =>
      counts[place]! < prompts && spentUsd + costUsd <= budgetUsd ? [place] : [])
    const next = open.toSorted((one, other) => gains[other]! - gains[one]!)[0]
    if (next === undefined) break
    counts[next]!++
    spentUsd += models[next]!.costUsd
  }
  for (const [place, count] of counts.entries()) for (let call = 0; call < count; call++) ask(place)
}

const askAll = ({ ask, models }: World): void => {
  for (const place of models.keys()) for (let call = 0; call < prompts; call++) ask(place)
}

/** What is named, and whether the intervals hold. */
const seen = ({ budgetUsd, contenders, models, spent, valueUsd }: World, isClear: boolean) => {
  const all = contenders()
  const worths = worthsOf(models, valueUsd)
  const lost = (Math.max(...worths) - worths[standing(all, valueUsd)?.leader ?? 0]!) / valueUsd
  const held = all.map(({ begun, costSquares, costUsd, successes }, place) => {
    const { success, costUsd: truth } = models[place]!
    const ofSuccess = successInterval(successes, begun)
    const ofCost = costInterval(costUsd, costSquares, begun)
    return {
      success: ofSuccess.low <= success && success <= ofSuccess.high,
      cost: ofCost === null || (ofCost.low <= truth && truth <= ofCost.high)
    }
  })
  const calls = all.reduce((sum, { begun }) => sum + begun, 0)
  return { lost, calls, isClear, spentShare: spent() / budgetUsd, held }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const shareOf = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean): string =>
  percent(all.filter(is).length / all.length)

const rows = kinds.flatMap((kind) => {
  const played = (play: (world: World) => boolean | void) =>
    Array.from({ length: Number(options.worlds) }, (_, i) => {
      const world = auditionOf(kind, Number(options.seed) * 100_003 + i, Number(options.calls))
      return seen(world, play(world) === true)
    })
  const worlds = played(race)
  const parts = [
    ["all", worlds], ["clear", worlds.filter(({ isClear }) => isClear)],
    ["budget used up", worlds.filter(({ isClear }) => !isClear)], ["oracle", played(oracle)],
    ["all asked", played(askAll)]
  ] as const
  return parts.map(([name, some]) => {
    const held = some.flatMap((world) => world.held)
    return [
      `${kind}: ${name}`, String(some.length), shareOf(some, ({ lost }) => lost === 0),
      shareOf(some, ({ lost }) => lost <= near), mean(some.map(({ calls }) => calls)).toFixed(0),
      percent(mean(some.map(({ spentShare }) => spentShare))), shareOf(held, ({ success }) => success),
      shareOf(held, ({ cost }) => cost)
    ]
  })
})
console.log(table([
  "worlds", "count", "best", `best or within ${near}·V`, "calls", "of the budget", "success holds", "cost holds"
], rows))
