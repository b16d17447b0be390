import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { AppConfig, isExposed, keysIn, MemoryConfig, servingConfig, storageName } from "../../src/cli/Config.ts"
import { configErrorLines } from "../../src/cli/doctor/ErrorLine.ts"
import { temporaryDirectory } from "../support/Databases.ts"

it("keys are exposed by plain http to another machine, and not by https or on this machine", () => {
  const exposed = (address: string): boolean => isExposed(new URL(address))
  for (const host of ["memory", "10.0.0.7:8081", "127.0.0.1.example.com", "localhost.example.com", "[::2]", "0.0.0.0"]) {
    assert.isTrue(exposed(`http://${host}`), host)
    assert.isFalse(exposed(`https://${host}`), host)
  }
  for (const host of ["localhost:8081", "LOCALHOST", "memory.localhost", "127.0.0.1", "127.8.9.10:1", "[::1]:8081"]) {
    assert.isFalse(exposed(`http://${host}/base`), host)
  }
})

const given = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: environment })))

const read = (environment: Readonly<Record<string, string>>) => AppConfig.pipe(given(environment))

it.effect("a reasoner is configured by its URL, and then needs a model; the rest has defaults", () =>
  Effect.gen(function*() {
    assert.isTrue(Option.isNone((yield* read({ SEXTANT_REASONER_MODEL: "small" })).reasoner))
    const SEXTANT_REASONER_URL = "https://reasoner.example/v1"
    assert.include(String(yield* Effect.flip(read({ SEXTANT_REASONER_URL }))), "SEXTANT_REASONER_MODEL")
    const least = yield* read({ SEXTANT_REASONER_URL, SEXTANT_REASONER_MODEL: "small", SEXTANT_REASONER_API_KEY: "" })
    assert.deepStrictEqual(Option.getOrThrow(least.reasoner), {
      provider: "openai", model: "small", apiKey: Option.none(), url: new URL(SEXTANT_REASONER_URL)
    })
    assert.strictEqual(least.reasonerTimeoutMs, 8_000)
    const most = yield* read({
      SEXTANT_REASONER_URL, SEXTANT_REASONER_MODEL: "small", SEXTANT_REASONER_API_KEY: "canary",
      SEXTANT_REASONER_PROVIDER: "anthropic", SEXTANT_REASONER_TIMEOUT_MS: "1500"
    })
    const { apiKey, provider } = Option.getOrThrow(most.reasoner)
    assert.deepStrictEqual([provider, most.reasonerTimeoutMs], ["anthropic", 1_500])
    assert.strictEqual(Redacted.value(Option.getOrThrow(apiKey)), "canary")
    assert.notInclude(JSON.stringify(most) + String(most.reasoner), "canary")
  }))

it.effect("a reasoner's URL with a key in it, an unknown provider and a timeout of 0 are refused", () =>
  Effect.gen(function*() {
    const good = { SEXTANT_REASONER_URL: "https://reasoner.example/v1", SEXTANT_REASONER_MODEL: "small" }
    for (const bad of [
      { SEXTANT_REASONER_URL: "https://user:pass@reasoner.example/v1" },
      { SEXTANT_REASONER_URL: "https://reasoner.example/v1?key=1" },
      { SEXTANT_REASONER_URL: "file:///etc/passwd" },
      { SEXTANT_REASONER_MODEL: "" },
      { SEXTANT_REASONER_PROVIDER: "elsewhere" },
      { SEXTANT_REASONER_TIMEOUT_MS: "0" }
    ]) assert.strictEqual((yield* Effect.flip(read({ ...good, ...bad })))._tag, "ConfigError")
  }))

it.effect("an embeddings endpoint is configured by its URL, and then needs a model and a length", () =>
  Effect.gen(function*() {
    const url = "https://embeddings.example/v1"
    const good = {
      SEXTANT_EMBEDDER_URL: url, SEXTANT_EMBEDDER_MODEL: "small", SEXTANT_EMBEDDER_DIMENSIONS: "1536"
    }
    const { SEXTANT_EMBEDDER_URL: _url, ...without } = good
    assert.isTrue(Option.isNone((yield* read(without)).embedder))
    assert.deepStrictEqual(Option.getOrThrow((yield* read(good)).embedder), {
      url: new URL(url), model: "small", dimensions: 1536, apiKey: Option.none()
    })
    const keyed = yield* read({ ...good, SEXTANT_EMBEDDER_API_KEY: "canary" })
    assert.strictEqual(Redacted.value(Option.getOrThrow(Option.getOrThrow(keyed.embedder).apiKey)), "canary")
    assert.notInclude(JSON.stringify(keyed) + String(keyed.embedder), "canary")
    for (const bad of [
      { SEXTANT_EMBEDDER_URL: "https://user:pass@embeddings.example/v1" },
      { SEXTANT_EMBEDDER_MODEL: "" },
      { SEXTANT_EMBEDDER_DIMENSIONS: "" },
      { SEXTANT_EMBEDDER_DIMENSIONS: "4" },
      { SEXTANT_EMBEDDER_DIMENSIONS: "4097" },
      { SEXTANT_EMBEDDER_DIMENSIONS: "many" }
    ]) assert.strictEqual((yield* Effect.flip(read({ ...good, ...bad })))._tag, "ConfigError")
  }))

it.effect("a limit of 0 and an invalid timeout are refused", () =>
  Effect.gen(function*() {
    const { rateLimitPerMinute, recallTimeoutMs } = yield* read({
      SEXTANT_RATE_LIMIT: "1", SEXTANT_RECALL_TIMEOUT_MS: "1"
    })
    assert.deepStrictEqual([rateLimitPerMinute, recallTimeoutMs], [1, 1])
    assert.isNull((yield* read({})).rateLimitPerMinute)
    for (const name of ["SEXTANT_RATE_LIMIT", "SEXTANT_RECALL_TIMEOUT_MS"]) {
      for (const value of ["0", "-5"]) {
        assert.include((yield* Effect.flip(read({ [name]: value }))).message, name, value)
      }
    }
  }))

it.effect("secrets are read from files, and a variable that is set as well takes precedence", () =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const file = (text: string) => {
      const path = join(directory, String(text.length))
      writeFileSync(path, text)
      return path
    }
    const files = {
      DATABASE_URL_FILE: file("postgres://canary@primary/x\n"),
      DATABASE_REPLICA_URL_FILE: file("  postgres://canary@replica/x"),
      SEXTANT_BOOTSTRAP_KEYS_FILE: file("first\r\nsecond,third\n\n")
    }
    const texts = ({ bootstrapKeys, databaseUrl, replicaUrl }: AppConfig) =>
      [databaseUrl, replicaUrl, bootstrapKeys].map((secret) => Redacted.value(Option.getOrThrow(secret)))
    const filed = yield* read(files)
    const [primary, replica, keys] = texts(filed)
    assert.deepStrictEqual([primary, replica], ["postgres://canary@primary/x", "postgres://canary@replica/x"])
    assert.deepStrictEqual(keysIn(keys ?? ""), ["first", "second", "third"])
    assert.notInclude(JSON.stringify(filed), "canary")

    const both = yield* read({ ...files, DATABASE_URL: "postgres://owner@primary/x", DATABASE_REPLICA_URL: "" })
    assert.deepStrictEqual(texts(both).slice(0, 2), ["postgres://owner@primary/x", replica])
    const memory = yield* MemoryConfig.pipe(given(files))
    assert.strictEqual(Redacted.value(Option.getOrThrow(memory.databaseUrl)), primary)
    assert.isTrue(Option.isNone((yield* read({ DATABASE_URL_FILE: "" })).databaseUrl))
  }))

it.effect("a secret's file that is missing or empty is an error that names the variable and the path", () =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const empty = join(directory, "empty")
    writeFileSync(empty, " \n")
    for (const name of ["DATABASE_URL_FILE", "DATABASE_REPLICA_URL_FILE", "SEXTANT_BOOTSTRAP_KEYS_FILE"]) {
      for (const [path, says] of [[join(directory, "none"), "cannot be read"], [empty, "is empty"]] as const) {
        const error = yield* Effect.flip(read({ [name]: path }))
        assert.include(error.message, `${name}: ${path} ${says}`)
      }
    }
  }))

it.effect("a database's address that is none, or names a certificate, is refused without its text", () =>
  Effect.gen(function*() {
    for (const name of ["DATABASE_URL", "DATABASE_REPLICA_URL"]) {
      const refusal = (text: string) => Effect.map(Effect.flip(read({ [name]: text })), ({ message }) => message)
      for (const text of ["canary", "mysql://root:canary@localhost/x", "postgres://canary@host:port/x"]) {
        const said = yield* refusal(text)
        assert.include(said, `${name} must be a URL like postgres://`)
        assert.notInclude(said, "canary")
      }
      const said = yield* refusal("postgres://u:canary@localhost/x?sslmode=verify-full&sslrootcert=/ca.pem&sslkey=/k")
      assert.include(said, `${name} has sslrootcert, sslkey, which Sextant does not read`)
      assert.notInclude(said, "canary")
    }
    for (const text of ["postgres://ann@localhost/x?host=/run/postgresql", "postgres:///x?host=/run", "postgresql://%2Frun/x"]) {
      yield* read({ DATABASE_URL: text })
    }
  }))

it.effect("a database is named by its address, without user and password (case 23)", () =>
  Effect.gen(function*() {
    assert.strictEqual(storageName(yield* read({})), "embedded database in .sextant")
    const named = (DATABASE_URL: string) => Effect.map(read({ DATABASE_URL }), storageName)
    for (const [url, name] of [
      ["postgres://ann:canary@db.example:6000/x?password=canary", "PostgreSQL at db.example:6000/x"],
      ["postgresql://db.example/x", "PostgreSQL at db.example:5432/x"],
      ["postgresql://db.example/x?host=other.example&port=7000", "PostgreSQL at other.example:7000/x"],
      ["postgresql://[::1]/x", "PostgreSQL at [::1]:5432/x"],
      ["postgres://postgres@/imp?host=/tmp/pg&port=21450", "PostgreSQL at /tmp/pg/.s.PGSQL.21450/imp"]
    ] as const) assert.strictEqual(yield* named(url), name)
  }))

it.effect("all wrong variables are reported at once, each with its value and what was expected", () =>
  Effect.gen(function*() {
    const problems = (environment: Readonly<Record<string, string>>, reading = servingConfig(AppConfig)) =>
      Effect.map(Effect.flip(reading.pipe(given(environment))), configErrorLines)
    assert.sameMembers([...yield* problems({
      PORT: "abc", SEXTANT_RATE_LIMIT: "0", SEXTANT_MIGRATE: "maybe", SEXTANT_LOG_FORMAT: "xml",
      SEXTANT_TRUSTED_PROXIES: "10.0.0.0/8, ten", SEXTANT_FAILED_KEYS_PER_MINUTE: "none",
      SEXTANT_REASONER_URL: "ftp://reasoner", SEXTANT_REASONER_PROVIDER: "elsewhere",
      SEXTANT_EMBEDDER_URL: "https://embeddings.example/v1", SEXTANT_EMBEDDER_DIMENSIONS: "1.5",
      SEXTANT_RETENTION_DAYS: "1e9", SEXTANT_DRAIN_DELAY_MS: "NaN", SEXTANT_PROCESSES: "17"
    })], [
      `PORT: got "abc", wants a whole number from 0 to 65535`,
      `SEXTANT_RATE_LIMIT: got "0", wants a whole number from 1 on`,
      `SEXTANT_MIGRATE: got "maybe", wants on or off`,
      `SEXTANT_LOG_FORMAT: got "xml", wants logfmt or json`,
      `SEXTANT_TRUSTED_PROXIES: number 2, "ten", is not a network: give addresses or networks such as 10.0.0.0/8, fd00::/8`,
      `SEXTANT_FAILED_KEYS_PER_MINUTE: got "none", wants a whole number from 1 on, or off`,
      `SEXTANT_REASONER_URL: got a URL of the scheme ftp:, wants an http or https URL without credentials and query`,
      `SEXTANT_REASONER_PROVIDER: got "elsewhere", wants openai or anthropic`,
      `SEXTANT_REASONER_MODEL: not set, wants the name of the model at SEXTANT_REASONER_URL`,
      `SEXTANT_EMBEDDER_MODEL: not set, wants the name of the model at SEXTANT_EMBEDDER_URL`,
      `SEXTANT_EMBEDDER_DIMENSIONS: got "1.5", wants a whole number from 8 to 4096`,
      `SEXTANT_RETENTION_DAYS: got "1e9", wants a whole number from 30 to 3650`,
      `SEXTANT_DRAIN_DELAY_MS: got "NaN", wants a whole number from 0 to 20000`,
      `SEXTANT_PROCESSES: got "17", wants a whole number from 1 to 16, or auto`
    ])
    const memory = servingConfig(MemoryConfig)
    const told = yield* Effect.map(Effect.flip(memory.pipe(given({ PORT: "-1", SEXTANT_TASK_TEXT: "all" }))), configErrorLines)
    assert.strictEqual(told.length, 2)
  }))

it.effect("a malformed bootstrap key is reported by its number and its fault, without its text", () =>
  Effect.gen(function*() {
    const secret = "canary0123456789abcdef0123456789"
    const told = (keys: string, more: Readonly<Record<string, string>> = {}) =>
      Effect.map(Effect.flip(servingConfig(AppConfig).pipe(given({ SEXTANT_BOOTSTRAP_KEYS: keys, ...more }))), configErrorLines)
    for (const [key, fault] of [
      [`sk_canary_${secret}`, "does not begin with sxt_"], ["canary", "does not begin with sxt_"],
      [`sxt_Canary_k1_${secret}`, "has an instance that is not 1 to 64 characters of a-z, 0-9 and -"],
      ["sxt_canary", "ends after its instance; a key is sxt_<instance>_<keyid>_<secret>"],
      [`sxt_canary_CANARY_${secret}`, "has a key id that is not 1 to 64 characters of a-z, 0-9 and -"],
      ["sxt_canary_k1_canary", "has a secret of 6 characters, which must have 32 to 256"],
      [`sxt_canary_k1_${secret}!`, "has a secret with a character other than A-Z, a-z, 0-9, - and _"],
      [`"sxt_canary_k1_${secret}"`, "does not begin with sxt_"],
      [`sxt_acme_k1_canary${secret}`, "has the instance and key id of number 1, and another secret"]
    ] as const) {
      const [line, ...others] = yield* told(`sxt_acme_k1_${secret}, ${key}`, { PORT: "abc" }).pipe(
        Effect.map((lines) => lines.filter((each) => !each.startsWith("PORT")))
      )
      assert.strictEqual(line, `SEXTANT_BOOTSTRAP_KEYS: number 2 of 2 ${fault}`)
      assert.deepStrictEqual(others, [])
      assert.notMatch(line, /canary/i)
    }
    // Given twice it is one key; an external memory has its own; commands need none.
    const good = { SEXTANT_BOOTSTRAP_KEYS: `sxt_acme_k1_${secret},sxt_acme_k1_${secret}` }
    yield* servingConfig(AppConfig).pipe(given(good))
    yield* servingConfig(AppConfig).pipe(given({ SEXTANT_BOOTSTRAP_KEYS: "mbt", SEXTANT_MEMORY_URL: "http://127.0.0.1:1" }))
    yield* AppConfig.pipe(given({ SEXTANT_BOOTSTRAP_KEYS: "canary" }))
  }))

it.effect("the value of a variable is not shown where it may be a secret", () =>
  Effect.gen(function*() {
    for (const [name, value] of [
      ["PORT", "sxt_acme_k1_canary0123456789abcdef0123456789abcdef"],
      ["SEXTANT_MEMORY_URL", "https://canary:canary@memory.example"], ["SEXTANT_MEMORY_URL", "https://m/?key=canary"],
      ["SEXTANT_MEMORY_URL", "canary"], ["SEXTANT_REASONER_URL", "canary://canary"]
    ] as const) {
      const { message } = yield* Effect.flip(read({ [name]: value }))
      assert.include(message, name)
      assert.notMatch(message.replace("scheme canary:", ""), /canary/)
    }
  }))

it.effect("one process serves unless SEXTANT_PROCESSES says how many, or auto", () =>
  Effect.gen(function*() {
    assert.strictEqual((yield* read({})).processes, 1)
    assert.strictEqual((yield* read({ SEXTANT_PROCESSES: "3" })).processes, 3)
    assert.isAtLeast((yield* read({ SEXTANT_PROCESSES: "auto" })).processes, 1)
  }))
