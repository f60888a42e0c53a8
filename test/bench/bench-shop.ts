import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { moscowTime } from "../../src/tools/demo/ledger.ts";
import { type BasketLine, basketKopecks } from "../../src/tools/sandbox/caller/basket.ts";
import { saleBody, shiftBody, type TillContext } from "../../src/tools/sandbox/caller/bodies.ts";
import { type Call, send } from "../../src/tools/sandbox/caller/call.ts";
import { fiscalCall, signedCall } from "../../src/tools/sandbox/caller/fiscal-call.ts";
import { activation, type Installation, type Solution } from "../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { CASHIER, GOODS } from "../../src/tools/sandbox/caller/shop.ts";
import { makeSigningKey } from "../../src/tools/sandbox/caller/signing-key.ts";
import type { LoadCall } from "./load.ts";

/** The number of registers of a shop that is not told another one: as many as the largest measurement with such a shop needs. */
export const REGISTERS = 16;

const DEVELOPMENT: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};

/** Ten positions, as a receipt of weekly shopping has. */
const BASKET: BasketLine[] = [
  { goods: GOODS.bread, quantityThousandths: 2000 },
  { goods: GOODS.pasta, quantityThousandths: 3000, discountHundredths: 10_00 },
  { goods: GOODS.tea, quantityThousandths: 1000 },
  { goods: GOODS.soap, quantityThousandths: 1000 },
  { goods: GOODS.batteries, quantityThousandths: 2000 },
  { goods: GOODS.bag, quantityThousandths: 1000 },
  { goods: GOODS.cheese, quantityThousandths: 356 },
  { goods: GOODS.apples, quantityThousandths: 1248 },
  { goods: GOODS.delivery, quantityThousandths: 1000 },
  { goods: GOODS.bread, quantityThousandths: 1000 },
];

/** A basket of 300 positions. Its sale is a body of about 150 KiB. */
export const LONG_BASKET: BasketLine[] = Array.from({ length: 30 }, () => BASKET).flat();

/** A small basket of three positions. */
export const SMALL_BASKET: BasketLine[] = BASKET.slice(0, 3);

interface ShopOptions {
  tills: number;
  basket: readonly BasketLine[];
  /** The solution as the server knows it. */
  solution?: Solution;
}

/** One account with a till at each of its registers. Every sale is signed before it is needed. */
export class Shop {
  readonly #installation: Installation = {
    accountId: systemChance.uuid(),
    accountName: "bench",
    registrationId: systemChance.uuid(),
    key: makeSigningKey(),
  };
  readonly #tills: TillContext[];
  readonly #basket: readonly BasketLine[];
  readonly #solution: Solution;
  readonly #sent = new Map<string, { body: Buffer; signature: Buffer }>();

  constructor({ tills, basket, solution = DEVELOPMENT }: ShopOptions = { tills: REGISTERS, basket: BASKET }) {
    this.#basket = basket;
    this.#solution = solution;
    this.#tills = Array.from({ length: tills }, () => ({
      api: "https://api.platform.example/api/remap/1.2",
      storeId: systemChance.uuid(),
      shiftId: systemChance.uuid(),
      shiftName: "00001",
      cashierId: systemChance.uuid(),
      cashier: CASHIER,
    }));
  }

  get publicKey(): string {
    return this.#installation.key.publicKey;
  }

  /** The account id in the requests of the shop. */
  get registrationId(): string {
    return this.#installation.registrationId;
  }

  /** The account and its points of sale, in the order of the tills. */
  get places(): { appId: string; accountId: string; storeIds: string[] } {
    return { appId: this.#solution.appId, accountId: this.#installation.accountId, storeIds: this.#tills.map(({ storeId }) => storeId) };
  }

  /** Installs the solution, chooses each till's register where `chooseRegisters` does so, and opens the shifts. */
  async open(base: string, chooseRegisters: () => Promise<void> = async () => {}): Promise<void> {
    const options = { clock: systemClock, chance: systemChance, resource: "https://api.platform.example/api/remap/1.2" };
    await done(base, activation(this.#solution, this.#installation, "Install", options));
    await chooseRegisters();
    for (const till of this.#tills) {
      const body = shiftBody(till, "open", moscowTime(systemClock.nowMs()));
      await done(base, fiscalCall("openshift", body, this.#solution, this.#installation));
    }
  }

  /** New signed sales for each of the first tills. `basket`: another one than the shop's. */
  sales(registers: number, count: number, basket = this.#basket): { calls: LoadCall[] }[] {
    return this.#tills.slice(0, registers).map((till) => ({ calls: Array.from({ length: count }, () => this.#sale(till, basket)) }));
  }

  /** The request of a sale that this shop has signed. */
  callOf(documentId: string): { body: Buffer; signature: Buffer } | undefined {
    return this.#sent.get(documentId);
  }

  /** The request of a sale at the first till with a changed body. It is signed like any other. */
  spoiltSale(spoil: (body: object) => Buffer): LoadCall {
    const [till] = this.#tills;
    if (till === undefined) throw new Error("a shop without tills sells nothing");
    const { body } = this.#saleOf(till, this.#basket);
    return loadCall(signedCall("retaildemand", spoil(body), this.#solution, this.#installation));
  }

  #sale(till: TillContext, basket: readonly BasketLine[]): LoadCall {
    const { id, body } = this.#saleOf(till, basket);
    const call = fiscalCall("retaildemand", body, this.#solution, this.#installation);
    const signature = Buffer.from(call.headers[this.#solution.names.signatureHeader] ?? "", "base64");
    this.#sent.set(id, { body: call.body ?? Buffer.alloc(0), signature });
    return loadCall(call);
  }

  #saleOf(till: TillContext, basket: readonly BasketLine[]): { id: string; body: object } {
    const id = systemChance.uuid();
    const moment = moscowTime(systemClock.nowMs());
    const payments = { cashKopecks: basketKopecks(basket) };
    return { id, body: saleBody(till, { id, name: id.slice(0, 8), moment, lines: basket, payments }) };
  }
}

function loadCall({ method, path, headers, body = Buffer.alloc(0) }: Call): LoadCall {
  return { method, path, headers, bodyBase64: body.toString("base64") };
}

async function done(base: string, call: Call): Promise<void> {
  const exchange = await send(base, call, systemClock);
  if (exchange.kind === "answer" && exchange.status === 200) return;
  throw new Error(`${call.path}: ${exchange.kind === "answer" ? exchange.body.toString("utf8") : exchange.reason}`);
}
