/*
 * The address that a request comes from, as far as headers can be trusted: networks in CIDR notation, and
 * `X-Forwarded-For`. Pure.
 */
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

export type Network = IpNetwork.IpNetwork

/** The networks of IPv6 that contain IPv4, on sockets and behind translators. */
const holdingIpv4 = ["::ffff:0:0/96", "64:ff9b::/96"].map(IpNetwork.fromStringUnsafe)
const ipv4At = 96

/** Parses an IP address, without its zone (`%eth0`); null for anything else. */
const parseAddress = (text: string): NetAddress.IpAddress | null => {
  const [bare = ""] = text.split("%", 1)
  const address = Option.getOrNull(Result.getSuccess(NetAddress.ipFromString(bare)))
  if (address === null || NetAddress.isIpv4Address(address)) return address
  return holdingIpv4.some(IpNetwork.contains(address))
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(ipv4At / 8)))
    : address
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; null for anything else. */
export const parseNetwork = (text: string): Network | null => {
  const [host = "", length, ...rest] = text.split("/")
  const address = host.includes("%") ? null : parseAddress(host)
  if (address === null || rest.length > 0) return null
  const width = NetAddress.width(address)
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null
  // An IPv4 network may be written as a network of IPv6.
  const written = Number(length) - (host.includes(":") && width === 32 ? ipv4At : 0)
  const prefix = length === undefined ? width : written
  return Option.getOrNull(Result.getSuccess(IpNetwork.fromAddress(address, prefix)))
}

/**
 * A place, by which failed keys are counted: an IPv4 address, or the /64 that a provider gives a customer.
 */
const placeOf = (address: NetAddress.IpAddress): string => {
  if (NetAddress.isIpv4Address(address)) return NetAddress.formatIp(address)
  const groups = NetAddress.ipv6ToSegments(address).slice(0, 4).map((segment) => segment.toString(16))
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
  const isTrusted = (address: NetAddress.IpAddress) => trusted.some(IpNetwork.contains(address))
  const chain = trusted.length === 0 ? [] : (forwardedFor ?? "").split(",")
  while (chain.length > 0 && isTrusted(nearest)) {
    const next = parseAddress(withoutPort((chain.pop() ?? "").trim()))
    if (next === null) break
    nearest = next
  }
  return placeOf(nearest)
}
