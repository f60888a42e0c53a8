import { BlockList, isIP } from "node:net";

/** The addresses of these networks: `10.0.0.0/8`, or one address. */
export function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const isSix = isIP(address) === 6;
    list.addSubnet(address, bits === undefined ? (isSix ? 128 : 32) : Number(bits), isSix ? "ipv6" : "ipv4");
  }
  return list;
}
