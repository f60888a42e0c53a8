import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Claimant, DeviceClaims, type DeviceOwners } from "../../src/registers/device-claims.ts";
import { IDENTITY } from "../support/journal-entries.ts";
import { MORNING_MS } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const REST_MS = 180_000;

function claimsOf(clock: VirtualClock): DeviceClaims {
  const claims = new DeviceClaims({ clock, note() {} });
  onTestFinished(() => claims.close());
  return claims;
}

/** An address, and a device that no other test claims. */
class Lane implements Claimant {
  readonly address: string;
  readonly drivenElsewhere: boolean;
  readonly device = { ...IDENTITY, serialNumber: randomUUID() };
  readonly #clock: VirtualClock;
  #usedAtMs = Number.NEGATIVE_INFINITY;

  constructor(address: string, clock: VirtualClock) {
    this.address = address;
    this.drivenElsewhere = address.startsWith("agent:");
    this.#clock = clock;
  }

  usedAtMs(): number {
    return this.#usedAtMs;
  }

  async reach(claims: DeviceClaims, { device }: Lane): Promise<string | undefined> {
    const reason = await claims.claim(this, device);
    if (reason === undefined) this.#usedAtMs = this.#clock.monotonicMs();
    return reason;
  }
}

describe("devices that addresses lead to", () => {
  it("belong to their new addresses after two devices have swapped their addresses at rest", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const [a, b, claims] = [new Lane("tcp://a", clock), new Lane("tcp://b", clock), claimsOf(clock)];
    expect([await a.reach(claims, a), await b.reach(claims, b)]).toEqual([undefined, undefined]);
    await clock.advance(REST_MS);
    expect([await a.reach(claims, b), await b.reach(claims, a)]).toEqual([undefined, undefined]);
    expect([await a.reach(claims, b), await b.reach(claims, a)]).toEqual([undefined, undefined]);
  });

  it("are free for other processes once their address has taken over another device", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const [a, b, claims] = [new Lane("tcp://a", clock), new Lane("tcp://b", clock), claimsOf(clock)];
    await a.reach(claims, a);
    await b.reach(claims, b);
    await clock.advance(REST_MS);
    await a.reach(claims, b);
    const elsewhere = claimsOf(clock);
    expect(await elsewhere.claim(a, a.device)).toBeUndefined();
    expect(await elsewhere.claim(b, b.device)).toBe("кассой управляет другая программа");
  });

  it("belong to the first address while that is in use", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const [a, b, claims] = [new Lane("tcp://a", clock), new Lane("tcp://b", clock), claimsOf(clock)];
    await a.reach(claims, a);
    await clock.advance(REST_MS - 1);
    expect(await b.reach(claims, a)).toContain("адрес tcp://b ведёт к кассе");
    await clock.advance(1);
    expect(await b.reach(claims, a)).toBeUndefined();
  });

  it("are locked on this machine only while an address drives them from here", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const [here, shop, claims] = [new Lane("tcp://a", clock), new Lane("agent:shop", clock), claimsOf(clock)];
    const elsewhere = claimsOf(clock);
    await shop.reach(claims, here);
    expect(await elsewhere.claim(here, here.device)).toBeUndefined();
    expect(await here.reach(claims, here)).toContain("сервер уже работает по адресу agent:shop");
    await elsewhere.close();
    await clock.advance(REST_MS);
    expect(await here.reach(claims, here)).toBeUndefined();
    expect(await elsewhere.claim(here, here.device)).toBe("кассой управляет другая программа");
    await clock.advance(REST_MS);
    expect(await shop.reach(claims, here)).toBeUndefined();
    expect(await elsewhere.claim(here, here.device)).toBeUndefined();
  });

  it("are claimed anew after the database failed during a claim", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const owners = new FailingOwners();
    const [a, claims] = [new Lane("tcp://a", clock), new DeviceClaims({ clock, note() {}, owners })];
    owners.failing.add(`claim ${keyOf(a)}`);
    await expect(a.reach(claims, a)).rejects.toThrow("the database is away");
    owners.failing.clear();
    expect(await a.reach(claims, a)).toBeUndefined();
    await claims.close();
    expect(owners.released).toEqual([keyOf(a)]);
  });

  it("are all released although the database fails at the release of one of them", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const owners = new FailingOwners();
    const [a, b, claims] = [new Lane("tcp://a", clock), new Lane("tcp://b", clock), new DeviceClaims({ clock, note() {}, owners })];
    expect([await a.reach(claims, a), await b.reach(claims, b)]).toEqual([undefined, undefined]);
    owners.failing.add(`release ${keyOf(a)}`);
    await expect(claims.close()).rejects.toThrow("the database is away");
    expect(owners.released).toEqual([keyOf(b)]);
  });

  it("are released when the claims end while the database fails a claim", async () => {
    const clock = new VirtualClock(MORNING_MS);
    const owners = new FailingOwners();
    const [a, b, claims] = [new Lane("tcp://a", clock), new Lane("tcp://b", clock), new DeviceClaims({ clock, note() {}, owners })];
    owners.failing.add(`claim ${keyOf(a)}`);
    const failed = expect(a.reach(claims, a)).rejects.toThrow("the database is away");
    const claimed = b.reach(claims, b);
    await claims.close();
    await failed;
    expect([await claimed, owners.released.includes(keyOf(b))]).toEqual([undefined, true]);
  });
});

function keyOf({ device }: Lane): string {
  return `${device.serialNumber}/${device.driveNumber}`;
}

/** Leases in a database that fails the named calls. */
class FailingOwners implements DeviceOwners {
  readonly failing = new Set<string>();
  readonly released: string[] = [];

  async claim(device: string): Promise<boolean> {
    this.#fail(`claim ${device}`);
    return true;
  }

  async release(device: string): Promise<void> {
    this.#fail(`release ${device}`);
    this.released.push(device);
  }

  #fail(what: string): void {
    if (this.failing.has(what)) throw new Error("the database is away");
  }
}
