/*
 * Packs both clients into `clients/archives`, where the server reads them: `npm run clients`, and `npm ci` through
 * `prepare`. Every machine makes the same bytes: times are fixed, and nothing is compressed, since what zlib makes
 * depends on the processor. Without dev dependencies there is no compiler; then the archives are left out.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crc32, gzipSync } from "node:zlib"
import { version } from "../src/domain/Version.ts"
import { endOfArchive, fileEntry } from "./Tar.ts"

const root = join(import.meta.dirname, "..")
const npmClient = join(root, "packages/client")
const pythonClient = join(root, "clients/python")
const compiler = join(root, "node_modules/typescript/bin/tsc")

/** The folder of the archives, which `dist` has at the same place. */
export const archivesDirectory = join(root, "clients/archives")

type Files = ReadonlyArray<readonly [path: string, bytes: Buffer]>

interface Archive {
  readonly name: string
  readonly bytes: Buffer
}

/** The files of a folder and of those below it that a name passes, by path, in the order of their paths. */
const filesIn = (folder: string, isPacked: (path: string) => boolean = () => true): Files =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1).replaceAll("\\", "/"))
    .filter(isPacked).sort()
    .map((path) => [path, readFileSync(join(folder, path))])

/** The time of every file in npm's own archives: 1985-10-26T08:15:00Z. */
const packedAtMs = 499_162_500_000

/** A tar archive of one folder, as npm and pip take it, behind gzip's header of no operating system. */
const tarball = (folder: string, files: Files): Buffer => {
  const entries = files.map(([path, bytes]) => fileEntry(`${folder}/${path}`, bytes, packedAtMs))
  const zipped = gzipSync(Buffer.concat([...entries, endOfArchive]), { level: 0 })
  zipped[9] = 255
  return zipped
}

/** The package `sextant-client`, compiled now. */
const npmArchive = (): Archive => {
  const manifest = readFileSync(join(npmClient, "package.json"))
  const { name, version: own } = JSON.parse(manifest.toString("utf8")) as { readonly name: string; readonly version: string }
  const built = mkdtempSync(join(tmpdir(), "sextant-clients-"))
  try {
    for (const project of ["tsconfig.json", "tsconfig.command.json"]) {
      execFileSync(process.execPath, [compiler, "-p", join(npmClient, project), "--outDir", built], { stdio: "inherit" })
    }
    const plain = ["README.md", "LICENSE"].map((path) => [path, readFileSync(join(npmClient, path))] as const)
    const compiled = filesIn(built).map(([path, bytes]) => [`dist/${path}`, bytes] as const)
    return { name: `${name}-${own}.tgz`, bytes: tarball("package", [["package.json", manifest], ...plain, ...compiled]) }
  } finally {
    rmSync(built, { recursive: true })
  }
}

/**
 * The fields that both headers of a file have in a zip: version, flags, stored, 1980-01-01, checksum, sizes, length of
 * the name.
 */
const zipFields = (path: string, bytes: Buffer): Buffer => {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(33, 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(bytes.length, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(Buffer.byteLength(path), 22)
  return fields
}

/** A zip of files with names in ASCII, as Python's `zipfile` writes it. */
const zip = (files: Files): Buffer => {
  const bodies: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const [path, bytes] of files) {
    const fields = zipFields(path, bytes)
    const body = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(path), bytes])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(0o100644 * 2 ** 16, 6)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), fields, rest, Buffer.from(path))
    bodies.push(body)
    offset += body.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...bodies, listed, Buffer.from("PK\u0005\u0006"), end])
}

/** The name, metadata and sources of the archives of `sextant_client`. */
const pythonPackage = () => {
  const project = readFileSync(join(pythonClient, "pyproject.toml"), "utf8").split("[project]")[1] ?? ""
  const given = Object.fromEntries([...project.matchAll(/^([\w-]+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]))
  const stem = `${String(given["name"]).replaceAll("-", "_")}-${given["version"]}`
  const metadata = [
    "Metadata-Version: 2.1", `Name: ${given["name"]}`, `Version: ${given["version"]}`, `Summary: ${given["description"]}`,
    "License: MIT", `Requires-Python: ${given["requires-python"]}`, "Classifier: Typing :: Typed",
    "Description-Content-Type: text/markdown", "", readFileSync(join(pythonClient, "README.md"), "utf8")
  ].join("\n")
  const sources = filesIn(join(pythonClient, "sextant_client"), (path) => /^[^/]+\.py$|^py\.typed$/.test(path))
    .map(([path, bytes]) => [`sextant_client/${path}`, bytes] as const)
  return { stem, metadata, sources }
}

/** The sources of `sextant_client` as pip builds them. */
export const sdist = (): Archive => {
  const { metadata, sources, stem } = pythonPackage()
  const plain = ["pyproject.toml", "README.md"].map((path) => [path, readFileSync(join(pythonClient, path))] as const)
  return {
    name: `${stem}.tar.gz`, bytes: tarball(stem, [["PKG-INFO", Buffer.from(metadata)], ...plain, ...sources])
  }
}

/** The wheel of `sextant_client`, of its sources and its `pyproject.toml`. */
export const wheel = (): Archive => {
  const { metadata, sources, stem } = pythonPackage()
  const info = `${stem}.dist-info`
  const files: Files = [
    ...sources,
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/WHEEL`,
      Buffer.from("Wheel-Version: 1.0\nGenerator: sextant\nRoot-Is-Purelib: true\nTag: py3-none-any\n")]
  ]
  const record = files.map(([path, bytes]) =>
    `${path},sha256=${createHash("sha256").update(bytes).digest("base64url")},${bytes.length}\n`).join("")
  return {
    name: `${stem}-py3-none-any.whl`,
    bytes: zip([...files, [`${info}/RECORD`, Buffer.from(`${record}${info}/RECORD,,\n`)]])
  }
}

/** Writes both archives into a folder, in place of those of other versions; yields their paths. */
export const buildClients = (directory: string = archivesDirectory): ReadonlyArray<string> => {
  const archives = [npmArchive(), wheel()]
  mkdirSync(directory, { recursive: true })
  for (const { name } of archives) {
    if (!name.includes(`-${version}`)) throw new Error(`${name} is not of the service's version, ${version}`)
  }
  for (const name of readdirSync(directory)) {
    if (!archives.some((archive) => archive.name === name)) rmSync(join(directory, name))
  }
  return archives.map(({ bytes, name }) => {
    const path = join(directory, name)
    // A server that starts meanwhile reads a whole file.
    writeFileSync(`${path}.${process.pid}`, bytes)
    renameSync(`${path}.${process.pid}`, path)
    return path
  })
}

if (import.meta.main) {
  if (existsSync(compiler)) buildClients()
  else console.log("The clients were not packed: there is no compiler without dev dependencies.")
}
