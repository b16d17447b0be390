/** Gives the effects of a pipeline (such as a recommendation) the services that its layer was built with. */
import { Context, Effect } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { LaneCalibrations } from "../ledger/LaneCalibration.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Memory } from "../memory/Memory.ts"
import { RecentTasks } from "../memory/RecentTasks.ts"
import { Reasoner } from "../reasoner/Reasoner.ts"
import { CheckHistory } from "./CheckHistory.ts"
import { Settings } from "./Settings.ts"

type PortKeys = ReadonlyArray<Context.Key<unknown, unknown>>
type ServicesOf<K extends PortKeys> = Context.Service.Identifier<K[number]>

/**
 * Provides the services of `keys` to an effect. `Effect.provide` copies all services of the process, so it is
 * called only if the fiber lacks a service of `ports` or has a different one.
 */
export const withPorts = <const K extends PortKeys>(ports: Context.Context<ServicesOf<K>>, keys: K) => {
  const held = keys.map((key) => Context.getUnsafe(ports, key))
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, ServicesOf<K>>> =>
    Effect.withFiber((fiber) =>
      keys.every((key, at) => Context.getOrUndefined(fiber.context, key) === held[at])
        // The cast is safe, because the fiber has the services that the type requires.
        ? self as Effect.Effect<A, E, Exclude<R, ServicesOf<K>>>
        : Effect.provide(self, ports))
}

export const advicePorts = [
  Catalog, CheckHistory, LaneCalibrations, Ledger, Memory, RecentTasks, Reasoner, Settings
] as const
export type AdviceServices = Context.Service.Identifier<typeof advicePorts[number]>
