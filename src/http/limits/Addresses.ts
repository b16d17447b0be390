/*
 * The address that a request comes from, as far as headers can be trusted: IP addresses, networks in CIDR
 * notation, and `X-Forwarded-For`. Pure.
 */
import { isIPv4, isIPv6 } from "node:net"

/** An IP address as a number of 32 or 128 bits. */
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

/** The eight groups of a valid IPv6 address, with `::` and a dotted end expanded. */
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

/** The networks of IPv6 that contain IPv4: `::ffff:0:0/96` on sockets, `64:ff9b::/96` behind translators. */
const holdingIpv4: ReadonlyArray<bigint> = [0xffffn, 0x64ff9b0000000000000000n]

const ipv6 = (text: string): Address => {
  const value = numberOf(groupsOf(text), 16n, 16)
  return holdingIpv4.includes(value >> 32n)
    ? { bits: 32, value: value & 0xffff_ffffn }
    : { bits: 128, value }
}

/** Parses an IP address, without its zone (`%eth0`); null for anything else. */
const parseAddress = (text: string): Address | null => {
  const [bare = ""] = text.split("%", 1)
  if (isIPv4(bare)) return ipv4(bare)
  return isIPv6(bare) ? ipv6(bare) : null
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export const parseNetwork = (text: string): Network | null => {
  const [host = "", length, ...rest] = text.split("/")
  const address = host.includes("%") ? null : parseAddress(host)
  if (address === null || rest.length > 0) return null
  if (length === undefined) return { address, prefix: address.bits }
  if (!/^\d{1,3}$/.test(length)) return null
  // An IPv4 network may be written as a network of IPv6.
  const prefix = Number(length) - (host.includes(":") && address.bits === 32 ? 96 : 0)
  return prefix >= 0 && prefix <= address.bits ? { address, prefix } : null
}

const isIn = ({ bits, value }: Address) => ({ address, prefix }: Network): boolean => {
  const rest = BigInt(bits - prefix)
  return bits === address.bits && value >> rest === address.value >> rest
}

/**
 * A place, by which failed keys are counted: an IPv4 address, or the /64 that a provider gives a customer.
 */
const placeOf = ({ bits, value }: Address): string => {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String(value >> shift & 0xffn)).join(".")
  const groups = [112n, 96n, 80n, 64n].map((shift) => (value >> shift & 0xffffn).toString(16))
  return `${groups.join(":")}::/64`
}

/** An address without the port that a proxy may append: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const withoutPort = (text: string): string => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return bracketed
  const [, dotted] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  return dotted ?? text
}

const unknownPlace = "unknown"

/**
 * The place that a request comes from: the nearest address that is not a trusted proxy's. Each trusted proxy
 * is trusted for the address of its own caller only, so what other callers write into the header is ignored.
 * A part that is not an address counts as the proxy that forwarded it.
 *
 * @param peer the address of the connection; absent once it is closed
 * @param forwardedFor `X-Forwarded-For`, to which every proxy appends its own caller
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
