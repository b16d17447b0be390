/* Finds the address from which a request comes, by `X-Forwarded-For` and the networks of trusted proxies. */
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

export type Network = IpNetwork.IpNetwork

/** IPv6 networks that contain all IPv4 addresses: the form that sockets use, and the form of NAT64. */
const holdingIpv4 = ["::ffff:0:0/96", "64:ff9b::/96"].map(IpNetwork.fromStringUnsafe)
const ipv4At = 96

/** Parses an IP address, without its zone (`%eth0`). Returns null for a text that is no address. */
const parseAddress = (text: string): NetAddress.IpAddress | null => {
  const [bare = ""] = text.split("%", 1)
  const address = Option.getOrNull(Result.getSuccess(NetAddress.ipFromString(bare)))
  if (address === null || NetAddress.isIpv4Address(address)) return address
  return holdingIpv4.some(IpNetwork.contains(address))
    ? NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(ipv4At / 8)))
    : address
}

/** Parses a network (`10.0.0.0/8`, `fd00::/8`) or a single address; null for any other text. */
export const parseNetwork = (text: string): Network | null => {
  const [host = "", length, ...rest] = text.split("/")
  const address = host.includes("%") ? null : parseAddress(host)
  if (address === null || rest.length > 0) return null
  const width = NetAddress.width(address)
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null
  // If an IPv4 network is written in IPv6 form, its prefix is 96 bits longer.
  const written = Number(length) - (host.includes(":") && width === 32 ? ipv4At : 0)
  const prefix = length === undefined ? width : written
  return Option.getOrNull(Result.getSuccess(IpNetwork.fromAddress(address, prefix)))
}

/** Failed keys are counted by IPv4 address, or by the /64 network of an IPv6 address. */
const placeOf = (address: NetAddress.IpAddress): string => {
  if (NetAddress.isIpv4Address(address)) return NetAddress.formatIp(address)
  const groups = NetAddress.ipv6ToSegments(address).slice(0, 4).map((segment) => segment.toString(16))
  return `${groups.join(":")}::/64`
}

/** Removes the port that a proxy may append to an address, as in `192.0.2.1:80` or `[2001:db8::1]:80`. */
const withoutPort = (text: string): string => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return bracketed
  const [, dotted] = /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  return dotted ?? text
}

const unknownPlace = "unknown"

/**
 * Finds the nearest address that is not a trusted proxy's, or else the farthest known. A trusted proxy is
 * believed only about the address that called it, so no caller can forge `X-Forwarded-For`.
 * @param peer address of the connection; undefined if the connection is closed
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
