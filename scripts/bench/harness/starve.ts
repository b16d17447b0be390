/** Lets a process have only a part of a core. */
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs"

export interface Starved {
  /** By what means. */
  readonly how: string
  readonly end: () => void
}

const periodUs = 100_000

/** A control group of version 1 or 2 with that quota; null where none can be made. */
const byControlGroup = (pid: number, cores: number): Starved | null => {
  const quotaUs = Math.round(cores * periodUs)
  const groups = [
    { folder: `/sys/fs/cgroup/cpu/sextant-bench-${pid}`, limits: { "cpu.cfs_quota_us": `${quotaUs}` }, how: "v1" },
    { folder: `/sys/fs/cgroup/sextant-bench-${pid}`, limits: { "cpu.max": `${quotaUs} ${periodUs}` }, how: "v2" }
  ]
  for (const { folder, how, limits } of groups) {
    try {
      mkdirSync(folder)
      for (const [name, value] of Object.entries(limits)) writeFileSync(`${folder}/${name}`, value)
      writeFileSync(`${folder}/cgroup.procs`, String(pid))
      return {
        how: `a control group (${how})`,
        // The process has ended by then, and the group is empty.
        end: () => rmdirSync(folder)
      }
    } catch {
      // Not this version, or not writable: the next means.
      continue
    }
  }
  return null
}

/** Stops the process for the rest of every tenth of a second. */
const bySignals = (pid: number, cores: number): Starved => {
  const periodMs = periodUs / 1_000
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
      clearInterval(timer)
    }
  }
  const timer = setInterval(() => {
    signal("SIGCONT")
    setTimeout(() => signal("SIGSTOP"), periodMs * cores)
  }, periodMs)
  return {
    how: "SIGSTOP and SIGCONT",
    end: () => {
      clearInterval(timer)
      setTimeout(() => signal("SIGCONT"), periodMs)
    }
  }
}

/** From now on the process has so many cores, in (0, 1). */
export const starve = (pid: number, cores: number): Starved => byControlGroup(pid, cores) ?? bySignals(pid, cores)
