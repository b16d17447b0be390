import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Schema } from "effect"
import { parse } from "yaml"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AppConfig } from "../../src/cli/Config.ts"
import { temporaryFolder } from "../support/temporaryFolder.ts"

const root = new URL("../..", import.meta.url).pathname
const folder = join(root, "deploy/kubernetes")
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml")
const read = (name: string): unknown => parse(readFileSync(join(folder, name), "utf8"))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }

const Probe = Schema.Struct({ httpGet: Schema.Struct({ path: Schema.String, port: Schema.String }) })
const Container = Schema.Struct({
  image: Schema.String,
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  env: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(Schema.String) })),
  ports: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, containerPort: Schema.Int }))),
  livenessProbe: Schema.optionalKey(Probe),
  readinessProbe: Schema.optionalKey(Probe),
  securityContext: Schema.Struct({
    allowPrivilegeEscalation: Schema.Literal(false),
    readOnlyRootFilesystem: Schema.Literal(true),
    capabilities: Schema.Struct({ drop: Schema.Tuple([Schema.Literal("ALL")]) })
  })
})
const Workload = Schema.Struct({
  metadata: Schema.Struct({ name: Schema.String }),
  spec: Schema.Struct({
    template: Schema.Struct({
      spec: Schema.Struct({
        automountServiceAccountToken: Schema.Literal(false),
        securityContext: Schema.Struct({ runAsNonRoot: Schema.Literal(true), runAsUser: Schema.Literal(10_001) }),
        terminationGracePeriodSeconds: Schema.optionalKey(Schema.Int),
        containers: Schema.Tuple([Container])
      })
    })
  })
})
const deployment = Schema.decodeUnknownSync(Workload)(read("deployment.yaml"))
const migration = Schema.decodeUnknownSync(Workload)(read("migration.yaml"))

/** What the compiler says of these documents as values of Kubernetes' own types; empty without a fault. */
const faultsOf = (documents: ReadonlyArray<readonly [kind: string, module: string, document: unknown]>): string => {
  const at = temporaryFolder()
  symlinkSync(join(root, "node_modules"), join(at, "node_modules"))
  const lines = documents.map(([kind, module, document], n) =>
    `import type { ${kind} as Kind${n} } from "kubernetes-types/${module}"\n`
    + `export const document${n}: Kind${n} = ${JSON.stringify(document, null, 1)}\n`)
  writeFileSync(join(at, "documents.ts"), lines.join(""))
  try {
    execFileSync(join(root, "node_modules/.bin/tsc"), [
      "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", "documents.ts"
    ], { cwd: at, encoding: "utf8" })
    return ""
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

const modules: Readonly<Record<string, readonly [kind: string, module: string]>> = {
  "autoscaler.yaml": ["HorizontalPodAutoscaler", "autoscaling/v2"],
  "deployment.yaml": ["Deployment", "apps/v1"],
  "disruption-budget.yaml": ["PodDisruptionBudget", "policy/v1"],
  "migration.yaml": ["Job", "batch/v1"],
  "network-policy.yaml": ["NetworkPolicy", "networking/v1"],
  "service.yaml": ["Service", "core/v1"]
}

describe("the manifests for Kubernetes", () => {
  it("are values of Kubernetes' own types, in which a misspelt field is a fault", () => {
    assert.sameMembers(files, Object.keys(modules))
    const documents = Object.entries(modules).map(([name, [kind, module]]) => [kind, module, read(name)] as const)
    assert.strictEqual(faultsOf(documents), "")
    assert.include(faultsOf([["Service", "core/v1", { spec: { selectr: {} } }]]), "selectr")
  })

  it("are all in the kustomization", () => {
    const { resources } = read("kustomization.yaml") as { readonly resources: ReadonlyArray<string> }
    assert.sameMembers([...resources], files)
  })

  it("run this version of the image as a user that is not root, without a writable root", () => {
    for (const { spec: { template: { spec: { containers: [{ image }] } } } } of [deployment, migration]) {
      assert.strictEqual(image, `sextant:${version}`)
    }
    assert.strictEqual(migration.metadata.name, `sextant-migrate-${version.replaceAll(".", "-")}`)
    assert.deepStrictEqual(migration.spec.template.spec.containers[0].args, ["sextant", "migrate"])
  })

  it("scale between copies that a disruption leaves one of, with their number the autoscaler's", () => {
    const scaler = read("autoscaler.yaml") as Record<"spec", {
      readonly minReplicas: number
      readonly scaleTargetRef: { readonly kind: string; readonly name: string }
    }>
    const budget = read("disruption-budget.yaml") as Record<"spec", { readonly minAvailable: number }>
    assert.isAbove(scaler.spec.minReplicas, budget.spec.minAvailable)
    assert.strictEqual(scaler.spec.scaleTargetRef.name, deployment.metadata.name)
    const { spec } = read("deployment.yaml") as Record<"spec", object>
    assert.notProperty(spec, "replicas")
  })

  it("let callers reach the port of the copies alone", () => {
    interface Ports { readonly ports: ReadonlyArray<{ readonly port: number }> }
    const { spec } = read("network-policy.yaml") as Record<"spec", {
      readonly ingress: ReadonlyArray<Ports>
      readonly egress: ReadonlyArray<Ports>
      readonly podSelector: { readonly matchExpressions: ReadonlyArray<{ readonly values: ReadonlyArray<string> }> }
    }>
    const [{ ports }] = deployment.spec.template.spec.containers
    assert.deepStrictEqual(spec.ingress.flatMap((each) => each.ports.map(({ port }) => port)),
      ports?.map(({ containerPort }) => containerPort))
    assert.include(spec.egress.flatMap((each) => each.ports.map(({ port }) => port)), 5432)
    // The job has the version in its name, and another label.
    assert.deepStrictEqual(spec.podSelector.matchExpressions.flatMap(({ values }) => values), ["sextant", "sextant-migrate"])
  })

  it("probe the paths that the service answers, at the port that it listens on", () => {
    const [{ livenessProbe, ports, readinessProbe }] = deployment.spec.template.spec.containers
    assert.deepStrictEqual(livenessProbe?.httpGet, { path: "/livez", port: "http" })
    assert.deepStrictEqual(readinessProbe?.httpGet, { path: "/readyz", port: "http" })
    assert.deepStrictEqual(ports, [{ name: "http", containerPort: 8080 }])
  })

  it.effect("set variables that the service reads, and let a copy drain before it is killed", () =>
    Effect.gen(function*() {
      const { containers: [{ env }], terminationGracePeriodSeconds = 0 } = deployment.spec.template.spec
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? "postgres://db/sextant"]))
      const config = yield* AppConfig.pipe(Effect.provideService(
        ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: given })))
      assert.strictEqual(config.drainDelayMs, 12_000)
      // Requests under way have 10 s after the delay.
      assert.isAbove(terminationGracePeriodSeconds, config.drainDelayMs / 1000 + 10)
      assert.strictEqual(given["SEXTANT_MIGRATE"], "off")
    }))
})
