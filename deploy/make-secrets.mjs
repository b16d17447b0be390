// Makes the secrets of a composition once: a password for the database and the URL with it in it, the first
// account's key, Grafana's admin.
// Runs before everything else, as root of a container without network; what is there already is left alone.
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [root = "/secrets"] = process.argv.slice(2)

const make = (path, text) => {
  const file = join(root, path)
  if (existsSync(file)) return
  // Readable in every container that has the volume, each of which runs as a user of its own. Whole or not at all.
  writeFileSync(`${file}.new`, text, { mode: 0o444 })
  renameSync(`${file}.new`, file)
  console.log(`made ${path}`)
}

make("database/password", randomBytes(32).toString("hex"))
// PostgreSQL is told the one, the service the other. By the password that is there: volumes made before hold no URL.
const password = readFileSync(join(root, "database/password"), "utf8")
make("database/url", `postgres://sextant:${password}@postgres:5432/sextant`)
make("key/first", `sxt_local_first_${randomBytes(32).toString("base64url")}`)
make("grafana/password", randomBytes(24).toString("base64url"))
