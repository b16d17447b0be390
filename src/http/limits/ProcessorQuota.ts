/* Reads how much processor time the system grants the process. */
import { readFileSync } from "node:fs"

const contentOf = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8").trim()
  } catch {
    // The file does not exist: another operating system, or another version of control groups.
    return null
  }
}

/** Cores that a quota and a period grant, both in the same unit; null when there is no quota. */
const coresOf = (quota: number, period: number): number | null =>
  quota > 0 && period > 0 ? quota / period : null

/**
 * Cores that the control group of the process may use, > 0; null when it is not limited or the system has no
 * control groups. `/proc/self/cgroup` names the path of the group, in version 2 as `0::/path`.
 */
export const processorQuota = (): number | null => {
  for (const line of (contentOf("/proc/self/cgroup") ?? "").split("\n")) {
    const [, controllers = "", path = ""] = line.split(":")
    if (controllers === "") {
      const [quota = "", period = ""] = (contentOf(`/sys/fs/cgroup${path}/cpu.max`) ?? "").split(" ")
      const cores = coresOf(Number(quota), Number(period))
      if (cores !== null) return cores
    } else if (controllers.split(",").includes("cpu")) {
      const folder = `/sys/fs/cgroup/cpu${path}`
      const quota = Number(contentOf(`${folder}/cpu.cfs_quota_us`))
      const cores = coresOf(quota, Number(contentOf(`${folder}/cpu.cfs_period_us`)))
      if (cores !== null) return cores
    }
  }
  return null
}
