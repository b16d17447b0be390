import { isIPv4, isIPv6 } from "node:net"

/*
 * Where a request comes from, as far as it can be believed: IP addresses, networks in CIDR notation, and the
 * header that trusted proxies write. Pure.
 */

/** An IP address as a number of so many bits. */
interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** All addresses whose first `prefix` bits are those of `address`. */
export interface Network {
  readonly address: Address
  readonly prefix: number
}

const numberOf = (parts: ReadonlyArray<string>, bits: bigint, radix: 10 | 16): bigint =>
  parts.reduce((value, part) => value << bits | BigInt(parseInt(part, radix)), 0n)

const ipv4 = (text: string): Address => ({ bits: 32, value: numberOf(text.split("."), 8n, 10) })

/** The eight groups of an IPv6 address that is known to be one, `::` and a dotted end written out. */
const groupsOf = (text: string): ReadonlyArray<string> => {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (dotted !== null) {
    const [, head = "", tail = ""] = dotted
    const { value } = ipv4(tail)
    return groupsOf(`${head}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`)
  }
  const [left = "", right] = text.split("::")
  const before = left === "" ? [] : left.split(":")
  if (right === undefined) return before
  const after = right === "" ? [] : right.split(":")
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after]
}

/** `::ffff:0:0/96` are IPv4 addresses on an IPv6 socket, `64:ff9b::/96` those behind a translator. */
const holdingIpv4: ReadonlyArray<bigint> = [0xffffn, 0x64ff9b0000000000000000n]

const ipv6 = (text: string): Address => {
  const value = numberOf(groupsOf(text), 16n, 16)
  return holdingIpv4.includes(value >> 32n)
    ? { bits: 32, value: value & 0xffff_ffffn }
    : { bits: 128, value }
}

/** Reads an IP address; null for anything else. A zone (`%eth0`) is left out. */
const parseAddress = (text: string): Address | null => {
  const [bare = ""] = text.split("%", 1)
  if (isIPv4(bare)) return ipv4(bare)
  return isIPv6(bare) ? ipv6(bare) : null
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export const parseNetwork = (text: string): Network | null => {
  const [host = "", length, ...rest] = text.split("/")
  const address = host.includes("%") ? null : parseAddress(host)
  if (address === null || rest.length > 0) return null
  if (length === undefined) return { address, prefix: address.bits }
  if (!/^\d{1,3}$/.test(length)) return null
  // An IPv4 network that is written as one of IPv6.
  const prefix = Number(length) - (host.includes(":") && address.bits === 32 ? 96 : 0)
  return prefix >= 0 && prefix <= address.bits ? { address, prefix } : null
}

const isIn = ({ bits, value }: Address) => ({ address, prefix }: Network): boolean => {
  const rest = BigInt(bits - prefix)
  return bits === address.bits && value >> rest === address.value >> rest
}

/** What counts as one place: an IPv4 address, or the /64 that a provider gives to one customer. */
const placeOf = ({ bits, value }: Address): string => {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String(value >> shift & 0xffn)).join(".")
  const groups = [112n, 96n, 80n, 64n].map((shift) => (value >> shift & 0xffffn).toString(16))
  return `${groups.join(":")}::/64`
}

/** A proxy may write the port too: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const withoutPort = (text: string): string => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return bracketed
  const [, dotted] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  return dotted ?? text
}

const unknownPlace = "unknown"

/**
 * The place a request comes from: the first address, seen from here, that no trusted proxy has. Each trusted
 * proxy is believed as to who called it and no further; what a stranger writes into the header is not read.
 * A part of it that is no address is attributed to the proxy that passed it on.
 *
 * @param peer the other end of the connection; absent once that is gone
 * @param forwardedFor `X-Forwarded-For`, in which every proxy appends its own caller
 */
export const placeOfCaller = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: ReadonlyArray<Network>
): string => {
  let nearest = parseAddress(peer ?? "")
  if (nearest === null) return unknownPlace
  const chain = trusted.length === 0 ? [] : (forwardedFor ?? "").split(",")
  while (chain.length > 0 && trusted.some(isIn(nearest))) {
    const next = parseAddress(withoutPort((chain.pop() ?? "").trim()))
    if (next === null) break
    nearest = next
  }
  return placeOf(nearest)
}
