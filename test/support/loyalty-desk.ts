import type { Installation } from "../../src/accounts/installation.ts";
import { loyaltyCommand } from "../../src/cli/loyalty.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { LoyaltyConnections } from "../../src/loyalty/connection/connections.ts";
import type { LoyaltyServices } from "../../src/loyalty/services.ts";
import type { VendorClient } from "../../src/platform/vendor/client.ts";
import { Leases } from "../../src/store/lease.ts";
import { LOYALTY_KEY, type LoyaltyBench } from "./loyalty-bench.ts";

type Vendor = Pick<VendorClient, "connectLoyalty" | "changeLoyalty">;

interface Said {
  code: number;
  out: string[];
  err: string[];
}

/** Runs the command `loyalty` with a bench, without starting a program. */
export class LoyaltyCommandDesk {
  readonly #bench: LoyaltyBench;
  /** The keys that the platform was told, the newest last. */
  readonly tokens: string[] = [];
  /** Whether the platform accepts what it is told. */
  platformTakes = true;
  /** The services of the command. A test may replace those of the bench. */
  services: LoyaltyServices;

  constructor(bench: LoyaltyBench) {
    this.#bench = bench;
    this.services = bench.services;
  }

  async run(...args: string[]): Promise<Said> {
    const said: Said = { code: -1, out: [], err: [] };
    const io = {
      out: (text: string) => void said.out.push(text),
      err: (text: string) => void said.err.push(text),
      signal: new AbortController().signal,
    };
    said.code = await loyaltyCommand(async () => this.#tools()).run(args, io);
    return said;
  }

  /** The JSON output of a command. */
  async json(...args: string[]): Promise<{ code: number; value: unknown }> {
    const { code, out } = await this.run(...args, "--json");
    return { code, value: JSON.parse(out.join("\n")) };
  }

  #tools() {
    const { members, programmes, giftCards, upkeep, store, clock, keys } = this.#bench;
    const vendor: Vendor = {
      connectLoyalty: async (_key, { token }) => {
        this.tokens.push(token.reveal());
        return this.platformTakes ? { kind: "connected" } : { kind: "unreachable", reason: "the line is cut" };
      },
      changeLoyalty: async () => ({ kind: "connected" }),
    };
    const connections = new LoyaltyConnections({
      ...this.#bench.services,
      keys,
      leases: new Leases({ store, clock, chance: systemChance, leaseMs: 30_000 }),
      vendor,
      url: () => "https://shop.example/loyalty",
      externalSearch: async () => false,
    });
    const installation: Installation = {
      ...LOYALTY_KEY,
      state: "active",
      accountName: "shop",
      hasAccessToken: false,
      installedAtMs: clock.nowMs(),
      updatedAtMs: clock.nowMs(),
    };
    const installations = { list: async () => ({ found: [installation], unreadable: [] }) };
    return { installations, services: this.services, members, programmes, giftCards, connections, upkeep, close: async () => {} };
  }
}
