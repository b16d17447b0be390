// Creates the secrets of docker-compose.yml: the database's password and its URL, the key of the first account, and
// the password of Grafana's admin. It runs first, as root in a container without network, and keeps existing secrets.
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [root = "/secrets"] = process.argv.slice(2)

const make = (path, text) => {
  const file = join(root, path)
  if (existsSync(file)) return
  // Readable by all users, because each container with the volume has its own user. Renamed, so that it is complete.
  writeFileSync(`${file}.new`, text, { mode: 0o444 })
  renameSync(`${file}.new`, file)
  console.log(`made ${path}`)
}

make("database/password", randomBytes(32).toString("hex"))
// PostgreSQL reads the password, the service the URL. Older volumes have a password and no URL.
const password = readFileSync(join(root, "database/password"), "utf8")
make("database/url", `postgres://sextant:${password}@postgres:5432/sextant`)
make("key/first", `sxt_local_first_${randomBytes(32).toString("base64url")}`)
make("grafana/password", randomBytes(24).toString("base64url"))
