import { DRIVE_OPTION, quotable, readOptions } from "../options.ts";
import type { ParsedAddress, RegisterProtocol } from "../protocol.ts";
import { placeOf } from "./place.ts";
import { AgentRegister, examineThroughAgent } from "./register.ts";

const SCHEME = "agent";
const OPTIONS = { drive: DRIVE_OPTION };

/** `agent:NAME` or `agent:NAME/REGISTER`: a register in a shop. The shop's agent drives the register and connects to this server. */
export const agentProtocol: RegisterProtocol = {
  schemes: [SCHEME],
  form: `${SCHEME}:NAME[/REGISTER]`,
  forms: [{ scheme: SCHEME, place: { kind: "name" }, options: OPTIONS }],
  parse,
};

function parse(address: string): ParsedAddress {
  const read = readOptions(address, OPTIONS);
  if (read.kind === "invalid") return read;
  const place = placeOf(read.base.slice(SCHEME.length + 1));
  if (place === undefined) {
    return { kind: "invalid", problem: `${quotable(read.base)} is no ${SCHEME}:NAME[/REGISTER] with names of 1 to 40 of a-z, 0-9 and "-"` };
  }
  return {
    kind: "address",
    address: {
      canonical: `${SCHEME}:${place.text}`,
      emulated: false,
      anyDrive: read.options.get("drive") === "any",
      ambiguous: true,
      drivenElsewhere: true,
      settings: "",
      lineSums: "within-kopeck",
      // Only the agent knows the limits of its register. The agent applies them before it sends anything.
      limitOf: () => undefined,
      open: (services) => new AgentRegister(place, services),
      examine: (services, deadline) => examineThroughAgent(place, services, deadline),
    },
  };
}
