/**
 * Runs the Dockerfile's steps by hand, where there is no container engine: each stage's COPY and RUN in an overlay
 * of its own, then the image's command as its unprivileged user, without capabilities, on a root that cannot be
 * written, until its health check says that it is well. Needs Linux, root and overlayfs. The base image is not
 * fetched: this machine's root stands for it, with this Node in its place.
 */
import { type ChildProcess, execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative, resolve } from "node:path"
import { freePort } from "../../test/support/PostgresCluster.ts"
import { environmentOf, execForm, isSent, last, type Stage, stagesOf } from "./image/dockerfile.ts"
import { type Command, copy, ended, inside, type Layer, layerIn } from "./image/layers.ts"

const context = resolve(import.meta.dirname, "../..")
const checks: Array<string> = []

const check = (holds: boolean, claim: string): void => {
  if (!holds) throw new Error(`It is not true that ${claim}`)
  checks.push(claim)
  console.log(`  true: ${claim}`)
}

const build = async (stages: ReadonlyArray<Stage>, directory: string): Promise<Layer> => {
  const sent = isSent(readFileSync(join(context, ".dockerignore"), "utf8"))
  const layers = new Map<string | null, Layer>()
  for (const [i, stage] of stages.entries()) {
    check(stage.base.startsWith(`node:${process.version.slice(1)}-`), `stage ${i} is based on this Node`)
    const layer = layerIn(join(directory, `stage-${i}`))
    layers.set(stage.name, layer)
    let at = "/"
    for (const { name, text } of stage.instructions) {
      if (name === "WORKDIR") {
        at = text
        mkdirSync(join(layer.upper, at), { recursive: true })
      }
      if (name === "COPY") {
        const words = text.split(/\s+/)
        const from = /^--from=(.*)$/.exec(words[0] ?? "")?.[1]
        const [target = "", ...sources] = words.slice(from === undefined ? 0 : 1).reverse()
        const source = from === undefined ? null : layers.get(from)
        if (source === undefined) throw new Error(`There is no stage ${from}`)
        copy(
          sources.reverse().map((path) => join(source === null ? context : source.upper, path)),
          join(layer.upper, resolve(at, target)) + (target.endsWith("/") ? "/" : ""),
          source === null ? (path) => path === context || isKept(sent, relative(context, path)) : () => true
        )
      }
      if (name === "RUN") {
        const beganMs = Date.now()
        const { code, output } = await ended(
          inside(layer, { words: ["sh", "-c", text], directory: at, environment: environmentOf(stage) })
        )
        if (code !== 0) throw new Error(`RUN ${text} ended with ${code}:\n${output}`)
        console.log(`  ran in ${((Date.now() - beganMs) / 1_000).toFixed(1)} s: ${text}`)
      }
    }
  }
  const image = layers.get(null)
  if (image === undefined) throw new Error("The last stage must have no name")
  return image
}

/** A folder is looked into when something below it may be sent. */
const isKept = (sent: (path: string) => boolean, path: string): boolean =>
  sent(path) || statSync(join(context, path)).isDirectory()

interface Container {
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
}

/** `docker run --user`: root works on the volume as its owner, and an unknown user gets a line that says what is missing. */
const otherUsers = async (
  layer: Layer,
  { data, volume, ...container }: Container & { readonly data: string; readonly volume: string }
): Promise<void> => {
  const as = (user: number, at: string) =>
    ended(inside(layer, {
      ...container, unprivileged: { user, volumes: { [data]: at } }, words: ["sextant", "keys", "list"]
    }))
  const root = await as(0, volume)
  check(root.code === 0 && root.output.includes("first"), "root opens the same volume")
  const { uid } = statSync(join(volume, "postgresql/PG_VERSION"))
  check(uid === statSync(volume).uid, "what root opened still belongs to the image's user")
  const unknownUserDirectory = `${volume}-of-4242`
  mkdirSync(unknownUserDirectory)
  execFileSync("chown", ["4242:4242", unknownUserDirectory])
  const unknownUser = await as(4242, unknownUserDirectory)
  const line = /^The database: User 4242 has no line in \/etc\/passwd,.*DATABASE_URL/m
  check(unknownUser.code === 1 && line.test(unknownUser.output), "a user without a name gets a line that says what is missing")
  rmSync(unknownUserDirectory, { recursive: true, force: true })
}

/** As process 1: what is left to it is reaped, a signal reaches the command, and its exit code comes back. */
const asFirstProcess = async (
  layer: Layer,
  { entry, ...container }: Container & Pick<Command, "unprivileged"> & { readonly entry: ReadonlyArray<string> }
): Promise<void> => {
  const orphan = `const { spawn } = require("node:child_process")
    spawn("sh", ["-c", "sleep 0.2 & exit"])
    process.on("SIGTERM", () => {
      const states = require("node:fs").readdirSync("/proc").filter((pid) => /^\\d+$/.test(pid)).map((pid) =>
        require("node:fs").readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1][0])
      console.log("zombies", states.filter((state) => state === "Z").length)
      process.exit(7)
    })
    setTimeout(() => process.kill(1, "SIGTERM"), 1000)
    setInterval(() => {}, 1000)`
  const { code, output } = await ended(
    inside(layer, { ...container, isFirst: true, words: [...entry, "node", "-e", orphan] })
  )
  check(output.includes("zombies 0"), "process 1 reaps what is left to it")
  check(code === 7, "a signal to process 1 reaches the command, and its exit code comes back")
}

const run = async (stage: Stage, layer: Layer, directory: string): Promise<void> => {
  const [user = "", group = ""] = (last(stage, "USER") ?? "").split(":")
  check(/^\d+$/.test(user) && Number(user) >= 1_000 && user === group, "the image's user is a number, and not root's")
  const volume = join(directory, "volume")
  const data = last(stage, "VOLUME") ?? ""
  mkdirSync(volume)
  const { uid } = statSync(join(layer.upper, data))
  execFileSync("chown", [`${uid}:${uid}`, volume])
  check(uid === Number(user), `${data} belongs to that user`)

  const port = await freePort()
  const key = `sxt_local_first_${"k".repeat(43)}`
  const common = {
    directory: last(stage, "WORKDIR") ?? "/",
    unprivileged: { user: Number(user), volumes: { [data]: volume } }
  }
  const environment = { ...environmentOf(stage), PORT: String(port), SEXTANT_CATALOG_REFRESH: "off" }
  const within = (words: ReadonlyArray<string>) => ended(inside(layer, { ...common, environment, words }))
  const entry = execForm(last(stage, "ENTRYPOINT") ?? "")
  // Else what cannot be written below might as well not be there.
  check((await within(["test", "-d", "/app/dist"])).code === 0, "that user can look into it")
  for (const path of ["/app", "/app/dist", "/etc", "/usr/local/bin"]) {
    check((await within(["touch", `${path}/x`])).code !== 0, `${path} cannot be written`)
  }
  /** Runs what the image has until its own health check is content, and stops it again. */
  const whileWell = async (
    words: ReadonlyArray<string>,
    look: (service: ChildProcess, base: string) => Promise<void>
  ): Promise<void> => {
    const name = words.join(" ")
    const service = inside(layer, {
      ...common,
      environment: { ...environment, SEXTANT_BOOTSTRAP_KEYS: key },
      words: [...entry, ...words]
    })
    const stopped = ended(service)
    try {
      const probe = execForm(last(stage, "HEALTHCHECK") ?? "")
      let isWell = false
      for (let tries = 0; tries < 60 && !isWell && service.exitCode === null; tries++) {
        isWell = (await within(probe)).code === 0
      }
      if (!isWell) throw new Error(`It never became well: ${JSON.stringify(service.exitCode)}\n${
        service.exitCode === null ? "" : (await stopped).output}`)
      check(isWell, `the health check says that \`${name}\` is well`)
      const base = `http://127.0.0.1:${port}`
      // Alive it is before its database is there; ready only with it.
      let isReady = false
      for (let tries = 0; tries < 150 && !isReady; tries++) {
        isReady = (await fetch(`${base}/readyz`)).status === 200
        if (!isReady) await new Promise((resolve) => setTimeout(resolve, 200))
      }
      check(isReady, `\`${name}\` becomes ready`)
      await look(service, base)
    } finally {
      service.kill("SIGTERM")
    }
    const beganMs = Date.now()
    const { code } = await stopped
    check(code === 0 && Date.now() - beganMs < 10_000, `\`${name}\` stops with 0 when it is asked to`)
  }
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  await whileWell(execForm(last(stage, "CMD") ?? ""), async (service, base) => {
    const status = readFileSync(`/proc/${service.pid}/status`, "utf8")
    check(new RegExp(`^Uid:\\s+${user}\\s`, "m").test(status), `it runs as ${user}`)
    check(/^CapEff:\s+0+$/m.test(status) && /^CapBnd:\s+0+$/m.test(status), "it has no capability, nor can it get one")
    check(/^NoNewPrivs:\s+1$/m.test(status), "it cannot gain privileges")
    const advise = async () => {
      const body = JSON.stringify({ task: { task: "Fix this failing unit test" } })
      const answer = await fetch(`${base}/v1/recommend`, { method: "POST", headers, body })
      return `${answer.status} ${await answer.text()}`
    }
    // On a busy machine the first one may not get its memory within its budget.
    let advice = await advise()
    for (let tries = 0; tries < 5 && /memory_unavailable|recall_timeout/.test(advice); tries++) advice = await advise()
    const isKept = advice.startsWith("200 ") && !advice.includes("memory_unavailable")
    if (!isKept) console.log(advice)
    check(isKept, "it recommends, and keeps the decision")
    const beside = await within(["sextant", "keys", "list"])
    check(beside.code === 0 && beside.output.includes("first"), "`sextant keys list` works while it serves")
    check((await within(["find", data, "-perm", "/077"])).output === "", `${data} holds nothing for other users`)
    for (const page of ["/docs", "/dashboard", "/openapi.json", "/livez", "/readyz"]) {
      check((await fetch(base + page)).status === 200, `it serves ${page}`)
    }
  })
  await otherUsers(layer, { data, directory: common.directory, environment, volume })
  await asFirstProcess(layer, { ...common, environment, entry })
  const listed = await within(["sextant", "keys", "list"])
  check(listed.code === 0 && /^local\tfirst\t.*live$/m.test(listed.output), "`sextant keys list` knows the service's key")
  await whileWell(["sextant", "memory"], async (service, base) => {
    check(readFileSync(`/proc/${service.pid}/cmdline`, "utf8").startsWith("node\0"), "it is Node, not its shell")
    check((await fetch(`${base}/memory/v1/account`, { headers })).status === 200, "it verifies the same key")
  })
}

const directory = mkdtempSync(join(tmpdir(), "sextant-image-"))
try {
  if (process.platform !== "linux" || process.getuid?.() !== 0) throw new Error("This needs Linux and root")
  const stages = stagesOf(readFileSync(join(context, "Dockerfile"), "utf8"))
  const layer = await build(stages, directory)
  const image = stages.at(-1)
  if (image === undefined) throw new Error("There is no stage")
  for (const name of ["vitest", "typescript", "rolldown", "playwright-core", "node/bin"]) {
    check(!existsSync(join(layer.upper, "app/node_modules", name)), `${name} is not in the image`)
  }
  check(!existsSync(join(layer.upper, "app/src")), "the image holds no sources")
  const size = execFileSync("du", ["-sm", join(layer.upper, "app")], { encoding: "utf8" }).split("\t")[0]
  console.log(`  /app has ${size} MB`)
  await run(image, layer, directory)
  console.log(`\n${checks.length} checks passed. Not run: the base image itself, docker build, docker compose up.`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
