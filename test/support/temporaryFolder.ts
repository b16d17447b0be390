import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Names the folder that goes when the tests have ended; made by globalSetup.ts. */
export const folderVariable = "SEXTANT_TEST_FOLDER"

/** A new folder that nobody has to remove: it goes when the tests have ended. */
export const temporaryFolder = (): string => mkdtempSync(join(process.env[folderVariable] ?? tmpdir(), "test-"))
