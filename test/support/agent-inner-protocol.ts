import { parseAddress } from "../../src/registers/catalogue.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import type { Register } from "../../src/registers/register.ts";

/** A protocol at an agent's own side, whose every address leads to one register. */
export function leadingTo(address: string, open: () => Register): RegisterProtocol {
  return {
    schemes: [address.slice(0, address.indexOf(":"))],
    form: address,
    forms: [],
    parse(text) {
      const parsed = parseAddress(text);
      if (parsed.kind === "invalid") return parsed;
      // A claim of the device is a lock of this machine. Other tests with the same device would meet it, and a simulated death does not free it.
      const { ambiguous: _, ...rest } = parsed.address;
      return { kind: "address", address: { ...rest, open } };
    },
  };
}
