/* The list of the server's parts in CycloneDX, as npm prints it, and what would be wrong with it. */

interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
}

export interface Lock {
  readonly name: string
  readonly packages: Readonly<Record<string, Locked>>
}

export interface Sbom {
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: ReadonlyArray<{ readonly purl: string; readonly hashes?: ReadonlyArray<unknown> }>
}

/** The list under the package's name: npm takes that of the folder. */
export const named = (sbom: Sbom, { name }: Lock): Sbom =>
  ({ ...sbom, metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name } } })

/** The packages at run time that the list lacks, or has without a hash. */
export const sbomProblems = ({ components }: Sbom, { packages }: Lock): ReadonlyArray<string> => {
  const hashed = components.filter(({ hashes = [] }) => hashes.length > 0).map(({ purl }) => decodeURIComponent(purl))
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && dev !== true && link !== true)
    .map(([path, { version }]) => `pkg:npm/${path.split("node_modules/").at(-1)}@${version}`)
    .filter((purl) => !hashed.includes(purl))
    .map((purl) => `sbom: ${purl} is missing, or has no hash`)
}
