import { parseAddress } from "../../src/registers/catalogue.ts";
import type { RegisterProtocol } from "../../src/registers/protocol.ts";
import type { Register } from "../../src/registers/register.ts";

/** The protocol of the agent's own device. All addresses lead to one register. */
export function leadingTo(address: string, open: () => Register): RegisterProtocol {
  return {
    schemes: [address.slice(0, address.indexOf(":"))],
    form: address,
    forms: [],
    parse(text) {
      const parsed = parseAddress(text);
      if (parsed.kind === "invalid") return parsed;
      // A claim of the device is a lock of this machine. It would keep other tests from the same device, and a simulated death does not
      // free it.
      const { ambiguous: _, ...rest } = parsed.address;
      return { kind: "address", address: { ...rest, open } };
    },
  };
}
