import { parseAddress, REGISTER_PROTOCOLS } from "./catalogue.ts";
import { DeviceClaims } from "./device-claims.ts";
import { registerFailure } from "./failures.ts";
import type { ParsedAddress, RegisterProtocol, RegisterServices } from "./protocol.ts";
import type { Register } from "./register.ts";
import { type Seen, WatchedRegister } from "./watched-register.ts";

type RackServices = Omit<RegisterServices, "zone">;

/**
 * The registers in use: one for each canonical address, made at its first use and closed with the rack. Of two
 * addresses that lead to one device the second is refused, in words that name both.
 */
export class Rack {
  readonly #services: RackServices;
  readonly #protocols: readonly RegisterProtocol[];
  readonly #registers = new Map<string, WatchedRegister>();
  readonly #claims: DeviceClaims;
  #closed = false;

  constructor(services: RackServices, protocols: readonly RegisterProtocol[] = REGISTER_PROTOCOLS) {
    this.#services = services;
    this.#protocols = protocols;
    this.#claims = new DeviceClaims(services);
  }

  /** Reads an address without touching a device. */
  parse(address: string): ParsedAddress {
    return parseAddress(address, this.#protocols);
  }

  /**
   * The register at an address. `zone` is that of the point of sale: its clock is compared there, and an emulator's shows
   * its time; `zoneKnown`: whether it is the register's for certain, and no default. Passwords, options and zone that have
   * changed since the last time count from the first call on what is returned: what was returned before may be in the
   * middle of its turn, and whoever takes turns makes that call in a turn of his own. The same object as long as nothing
   * has changed. Throws a Failure of kind `fault` for an address that `parse` refuses.
   */
  at(address: string, zone: string, zoneKnown = true): Register {
    if (this.#closed) throw registerFailure("rack-closed", "fault", "the rack is closed");
    const parsed = this.parse(address);
    if (parsed.kind === "invalid") throw registerFailure("register-address", "fault", parsed.problem);
    const { canonical, settings, open } = parsed.address;
    const watched = this.#registers.get(canonical) ?? this.#made(parsed.address);
    return watched.as({ settings, zone, zoneKnown, open: () => open({ ...this.#services, zone: () => watched.zone }) });
  }

  /** The register of a canonical address as it was asked for last, whoever has it now; without passwords and options where nobody has. */
  again(canonical: string, zone: string): Register {
    return this.#registers.get(canonical)?.newest ?? this.at(canonical, zone, false);
  }

  /** What every register in use last said, in the order of first use. */
  seen(): Seen[] {
    return [...this.#registers.values()].map((register) => register.seen);
  }

  /** Registers that did not answer when they were last asked; one that answers at another address is not one of them. */
  silent(): { address: string; register: Register }[] {
    return [...this.#registers].flatMap(([address, { seen, isElsewhere, newest }]) =>
      seen.unreachable === undefined || isElsewhere || newest === undefined ? [] : [{ address, register: newest }],
    );
  }

  /** Gives every device back; waits for what they are doing. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#registers.values()].map((register) => register.close()));
    this.#registers.clear();
    await this.#claims.close();
  }

  #made({ canonical, emulated, ambiguous }: { canonical: string; emulated: boolean; ambiguous?: true }): WatchedRegister {
    const { clock, note } = this.#services;
    const around = { clock, note, ...(ambiguous ? { claims: this.#claims } : {}) };
    const made = new WatchedRegister(around, { address: canonical, emulated });
    this.#registers.set(canonical, made);
    return made;
  }
}
