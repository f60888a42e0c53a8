import { longestTurnBelow } from "../support/hostile/longest-turn.ts";
import { HostileShop } from "../support/hostile/shop.ts";
import { hostileCases } from "../support/hostile/table.ts";
import { type Part, type Row, rounded } from "./row.ts";

/** The limit that `npm test` demands for a part of these requests. */
const BOUND_MS = 50;
const TRIES = 6;
const SHOWN = 5;

/**
 * How long one request keeps all others waiting: every field of every contract with every fill, about two thousand bodies of
 * a megabyte, each sent to the whole server in this process. The value is the thread's processor time in milliseconds.
 */
export const stopsBench: Part = {
  prefix: "stops.",
  async run(note): Promise<Row[]> {
    const shop = await HostileShop.open();
    try {
      const stops: { name: string; cpuMs: number }[] = [];
      for (const { name, call } of hostileCases(shop, "whole")) {
        const made = call();
        stops.push({ name, cpuMs: (await longestTurnBelow(BOUND_MS, TRIES, () => shop.send(made))).cpuMs });
      }
      stops.sort((a, b) => b.cpuMs - a.cpuMs);
      for (const { name, cpuMs } of stops.slice(0, SHOWN)) note(`${rounded(cpuMs)} ms: ${name}`);
      const over = stops.filter(({ cpuMs }) => cpuMs >= BOUND_MS).length;
      return [
        { name: "stops.longest", value: rounded(stops[0]?.cpuMs ?? Number.NaN), unit: "ms" },
        { name: `stops.of-${BOUND_MS}-ms`, value: over, unit: "requests" },
        { name: "stops.requests", value: stops.length, unit: "requests" },
      ];
    } finally {
      await shop.close();
    }
  },
};
