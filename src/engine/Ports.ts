/** Provides the pipelines with the services of their layer. */
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
 * Provides these services to an effect. Nothing is copied if the fiber already has the services; the fiber of
 * a request has them. `Effect.provide` alone would copy all 40 services of the process twice per request.
 */
export const withPorts = <const K extends PortKeys>(ports: Context.Context<ServicesOf<K>>, keys: K) => {
  const held = keys.map((key) => Context.getUnsafe(ports, key))
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, ServicesOf<K>>> =>
    Effect.withFiber((fiber) =>
      keys.every((key, at) => Context.getOrUndefined(fiber.context, key) === held[at])
        // The fiber already has the services that the type still requires.
        ? self as Effect.Effect<A, E, Exclude<R, ServicesOf<K>>>
        : Effect.provide(self, ports))
}

/** The services that the stages of a recommendation call. */
export const advicePorts = [
  Catalog, CheckHistory, LaneCalibrations, Ledger, Memory, RecentTasks, Reasoner, Settings
] as const
export type AdviceServices = Context.Service.Identifier<typeof advicePorts[number]>
