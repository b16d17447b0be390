/* Runs a command and returns its exit code. Expected failures are printed as one line on standard error. */
import { oneLine, ServiceFailure, Stop } from "./Service.ts"

/** `parse` returns the options, `"help"`, or one line about a wrong argument. */
export const runCommand = async <Parsed>(
  name: string,
  usage: string,
  parse: () => Parsed,
  work: (options: Exclude<Parsed, string>) => Promise<number>
): Promise<number> => {
  const end = (code: number, line: string): number => {
    console.error(`sextant-client ${name}: ${oneLine(line)}`)
    return code
  }
  try {
    const options = parse()
    if (typeof options === "string" && options !== "help") return end(2, `${options}; --help lists the flags`)
    if (typeof options !== "string") return await work(options as Exclude<Parsed, string>)
    console.log(usage)
    return 0
  } catch (error) {
    if (error instanceof Stop) return end(error.code, error.message)
    if (error instanceof ServiceFailure) {
      return end(error.status === 401 || error.status === 403 ? 3 : 1, error.message)
    }
    const { code, message, syscall } = Object(error)
    // The first sentence of Node's message names the unknown flag.
    if (/^ERR_PARSE_ARGS/.test(code)) return end(2, `${message.split(". ")[0]}; --help lists the flags`)
    // The message of a file system error already names the path, so it is printed as it is.
    if (syscall !== undefined) return end(1, message)
    throw error
  }
}
