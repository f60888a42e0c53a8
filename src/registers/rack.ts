import type { ExchangeStep } from "../model/device/exchange.ts";
import { parseAddress, REGISTER_PROTOCOLS } from "./catalogue.ts";
import { DeviceClaims, type DeviceOwners } from "./device-claims.ts";
import { registerFailure } from "./failures.ts";
import type { ParsedAddress, RegisterAddress, RegisterProtocol, RegisterServices } from "./protocol.ts";
import type { Register } from "./register.ts";
import { type Seen, WatchedRegister } from "./watched-register.ts";

type RackServices = Omit<RegisterServices, "zone" | "exchanged" | "maySend"> & {
  /** The current right of this process to use a register. Absent: this process has all registers. */
  right?(address: string): { token: number; maySend(): boolean };
  /**
   * Returns a `Register` that forwards to the other process that holds the register. `zoneKnown` undefined: the other process keeps the
   * zone in which it uses the register. Returns undefined when no other process holds the register. Absent: this process has all registers.
   */
  elsewhere?(address: string, zone: string, zoneKnown?: boolean): Register | undefined;
  /** Claims devices across machines. Absent: locks on this machine are enough. */
  owners?: DeviceOwners;
  /** Called after each command that a register in use has exchanged. */
  exchanged?(address: string, step: ExchangeStep): void;
};

type MadeFor = Pick<RegisterAddress, "canonical" | "emulated" | "ambiguous" | "drivenElsewhere">;

/**
 * The registers in use: one per canonical address, made at its first use and closed by `release` or with the rack. When two addresses lead
 * to one device, the second is refused while the first is in use. The refusal names both addresses.
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

  parse(address: string): ParsedAddress {
    return parseAddress(address, this.#protocols);
  }

  /**
   * Returns the register at an address. `zone`: the zone of the point of sale. The register's clock is compared with the time in this zone,
   * and an emulator's clock shows that time. `zoneKnown` false: the zone is a default. Changed passwords, options or zone take effect with
   * the first call on the returned register. Make that call in a new turn of the lane, because a turn with the earlier settings may be
   * running. Returns the same object while nothing changes. Throws a Failure of kind `fault` for an invalid address, or when the rack is
   * closed.
   */
  at(address: string, zone: string, zoneKnown = true): Register {
    if (this.#closed) throw registerFailure("rack-closed", "fault", "the rack is closed");
    const parsed = this.parse(address);
    if (parsed.kind === "invalid") throw registerFailure("register-address", "fault", parsed.problem);
    const { canonical, settings, open } = parsed.address;
    const elsewhere = this.#services.elsewhere?.(canonical, zone, zoneKnown);
    if (elsewhere !== undefined) return elsewhere;
    const watched = this.#registers.get(canonical) ?? this.#made(parsed.address);
    const { right, owners: _, elsewhere: __, ...services } = this.#services;
    const exchanged = (step: ExchangeStep) => services.exchanged?.(canonical, step);
    const held = right?.(canonical);
    const own = held === undefined ? {} : { maySend: () => held.maySend() };
    // A link may be used under one right only. The next right has another token, so the settings differ and the register is opened again.
    const settingsOfRight = held === undefined ? settings : `${settings} ${held.token}`;
    const opened = () => open({ ...services, ...own, exchanged, zone: () => watched.zone });
    return watched.as({ settings: settingsOfRight, zone, zoneKnown, open: opened });
  }

  /** Releases the device, unless its address has used it shortly before (`DeviceClaims.letGo`). */
  letGo(device: string): Promise<void> {
    return this.#claims.letGo(device);
  }

  /** Closes a register and releases its device, because another process may use them from now on. */
  async release(canonical: string): Promise<void> {
    const watched = this.#registers.get(canonical);
    if (watched === undefined) return;
    this.#registers.delete(canonical);
    await watched.close();
    await this.#claims.release(watched);
  }

  /**
   * Asks a register at an address that is not saved yet, and perhaps never will be. A register in use gets the address's passwords and
   * options, as with `at`, but keeps its zone, because a point of sale in another zone may use it. Any other register is opened for the
   * question, then closed, and does not count as in use. Call `visit` in the address's lane. Throws as `at` does.
   */
  async visit<T>(address: string, zone: string, ask: (register: Register) => Promise<T>): Promise<T> {
    const parsed = this.parse(address);
    if (parsed.kind === "invalid") throw registerFailure("register-address", "fault", parsed.problem);
    const { canonical, open } = parsed.address;
    const elsewhere = this.#services.elsewhere?.(canonical, zone);
    if (elsewhere !== undefined) return ask(elsewhere);
    const used = this.#registers.get(canonical)?.newestZone;
    if (this.#closed || used !== undefined) return ask(this.at(address, used?.zone ?? zone, used?.zoneKnown));
    const { exchanged: _, right, owners: __, elsewhere: ___, ...services } = this.#services;
    const held = right?.(canonical);
    const own = held === undefined ? {} : { maySend: () => held.maySend() };
    const register = open({ ...services, ...own, zone: () => zone });
    try {
      return await ask(register);
    } finally {
      await register.close();
    }
  }

  /**
   * Returns the register of a canonical address with its newest passwords and options. A register that is not in use yet gets default
   * passwords and options, because a canonical address contains none. `zoneKnown` undefined: a register in use keeps its zone, because the
   * caller's zone may be that of another register.
   */
  again(canonical: string, zone: string, zoneKnown?: boolean): Register {
    const watched = this.#registers.get(canonical);
    const used = zoneKnown === undefined ? watched?.newest : watched?.inZone(zone, zoneKnown);
    return used ?? this.at(canonical, zone, zoneKnown ?? false);
  }

  /** Returns the last answers of all registers in use, in the order of first use. */
  seen(): Seen[] {
    return [...this.#registers.values()].map((register) => register.seen);
  }

  /** Returns the registers that did not answer the last question. Omits those that may not use their device (`isElsewhere`). */
  silent(): { address: string; register: Register }[] {
    return [...this.#registers].flatMap(([address, { seen, isElsewhere, newest }]) =>
      seen.unreachable === undefined || isElsewhere || newest === undefined ? [] : [{ address, register: newest }],
    );
  }

  /** Closes all registers. Waits for running calls. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#registers.values()].map((register) => register.close()));
    this.#registers.clear();
    await this.#claims.close();
  }

  #made({ canonical, emulated, ambiguous, drivenElsewhere = false }: MadeFor): WatchedRegister {
    const { clock, note } = this.#services;
    const around = { clock, note, drivenElsewhere, ...(ambiguous ? { claims: this.#claims } : {}) };
    const made = new WatchedRegister(around, { address: canonical, emulated });
    this.#registers.set(canonical, made);
    return made;
  }
}
