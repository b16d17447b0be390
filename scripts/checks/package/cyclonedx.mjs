// Whether a file is a list of CycloneDX, by its schema: `node cyclonedx.mjs <file>`, where the tools are installed.
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"
import { readFileSync } from "node:fs"

const text = readFileSync(process.argv[2], "utf8")
const wrong = await new Validation.JsonStrictValidator(JSON.parse(text).specVersion).validate(text)
if (wrong !== null) throw new Error(`no CycloneDX ${Spec.Version.v1dot5}: ${JSON.stringify(wrong, null, 2)}`)
console.log(`A list of CycloneDX ${JSON.parse(text).specVersion}: ${process.argv[2]}`)
