import { assert, describe, it } from "@effect/vitest"
import { type Network, parseNetwork, placeOfCaller } from "../../../src/http/limits/Addresses.ts"

const networks = (...texts: ReadonlyArray<string>): ReadonlyArray<Network> =>
  texts.map((text) => parseNetwork(text) ?? assert.fail(`${text} is a network`))

describe("the place of a caller", () => {
  it("is an IPv4 address, however the socket spells it, and the /64 of an IPv6 address", () => {
    for (const [peer, place] of [
      ["192.0.2.1", "192.0.2.1"], ["::ffff:192.0.2.1", "192.0.2.1"], ["::FFFF:c000:201", "192.0.2.1"],
      ["64:ff9b::192.0.2.1", "192.0.2.1"], ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"], ["0.0.0.0", "0.0.0.0"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"], ["2001:db8:1:2::", "2001:db8:1:2::/64"],
      ["2001:DB8:1:2::9", "2001:db8:1:2::/64"], ["::1", "0:0:0:0::/64"], ["1::", "1:0:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"], ["", "unknown"], ["nonsense", "unknown"], ["1.2.3.4.5", "unknown"]
    ] as const) assert.strictEqual(placeOfCaller(peer, undefined, []), place, peer)
    assert.strictEqual(placeOfCaller(undefined, "192.0.2.1", networks("0.0.0.0/0")), "unknown")
  })

  it("is the connection's address, whatever the header contains, unless a trusted proxy's", () => {
    assert.strictEqual(placeOfCaller("192.0.2.1", "198.51.100.7", []), "192.0.2.1")
    assert.strictEqual(placeOfCaller("192.0.2.1", "198.51.100.7", networks("10.0.0.0/8")), "192.0.2.1")
    assert.strictEqual(placeOfCaller("10.1.2.3", undefined, networks("10.0.0.0/8")), "10.1.2.3")
    assert.strictEqual(placeOfCaller("10.1.2.3", "198.51.100.7", networks("10.0.0.0/8")), "198.51.100.7")
  })

  it("is the last address in a trusted proxy's header that is not itself a trusted proxy's", () => {
    const trusted = networks("10.0.0.0/8", "fd00::/8", "::1")
    for (const [header, place] of [
      ["203.0.113.9, 198.51.100.7", "198.51.100.7"],
      ["203.0.113.9, 198.51.100.7, 10.9.9.9", "198.51.100.7"],
      ["203.0.113.9,198.51.100.7 ,fd00::1,\t10.9.9.9", "198.51.100.7"],
      ["10.0.0.1, 10.0.0.2", "10.0.0.1"],
      ["198.51.100.7:4711", "198.51.100.7"], ["[2001:db8::1]:4711", "2001:db8:0:0::/64"],
      ["[2001:db8::1]", "2001:db8:0:0::/64"], ["2001:db8::1", "2001:db8:0:0::/64"],
      ["::ffff:198.51.100.7", "198.51.100.7"], ["::ffff:10.0.0.9", "10.0.0.9"]
    ] as const) assert.strictEqual(placeOfCaller("::ffff:10.1.2.3", header, trusted), place, header)
  })

  it("is the proxy's that passed the header on, where the address before it is invalid", () => {
    const trusted = networks("10.0.0.0/8")
    for (const header of ["", ",", "unknown", "_hidden", "198.51.100.7,", "198.51.100.7, nonsense", "1.2.3.4.5", "300.1.1.1",
      "198.51.100.7 198.51.100.8", "\"198.51.100.7", "[198.51.100.7", "x".repeat(16_000), ",".repeat(16_000)]) {
      assert.strictEqual(placeOfCaller("10.1.2.3", header, trusted), "10.1.2.3", header.slice(0, 40))
    }
    assert.strictEqual(placeOfCaller("10.1.2.3", "nonsense, 10.4.4.4", trusted), "10.4.4.4")
  })
})

describe("a network", () => {
  it("is an address, alone or with a prefix length", () => {
    for (const text of ["10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "192.0.2.1", "192.0.2.1/32", "::1", "::/0", "fd00::/8",
      "2001:db8::1/128", "::ffff:10.0.0.0/104"]) assert.isNotNull(parseNetwork(text), text)
    for (const text of ["", "10", "10.0.0/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "::1/129",
      "fe80::1%eth0/64", "example.com", "10.0.0.0/8 ", "::ffff:10.0.0.0/64", "10.0.0.0/0x8"]) {
      assert.isNull(parseNetwork(text), text)
    }
  })

  it("contains the addresses with its prefix, and none of the other family", () => {
    const caller = (peer: string, network: string) => placeOfCaller(peer, "198.51.100.7", networks(network)) === "198.51.100.7"
    for (const [peer, network, isIn] of [
      ["10.255.0.1", "10.0.0.0/8", true], ["11.0.0.1", "10.0.0.0/8", false], ["192.0.2.127", "192.0.2.0/25", true],
      ["192.0.2.128", "192.0.2.0/25", false], ["192.0.2.1", "192.0.2.1", true], ["192.0.2.2", "192.0.2.1", false],
      ["203.0.113.1", "0.0.0.0/0", true], ["::1", "0.0.0.0/0", false], ["10.0.0.1", "::/0", false],
      ["fd12::1", "fd00::/8", true], ["fe00::1", "fd00::/8", false], ["10.0.0.1", "::ffff:10.0.0.0/104", true]
    ] as const) assert.strictEqual(caller(peer, network), isIn, `${peer} in ${network}`)
  })
})
