import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { moscowTime } from "../../src/tools/demo/ledger.ts";
import { type BasketLine, basketKopecks } from "../../src/tools/sandbox/caller/basket.ts";
import { saleBody, shiftBody, type TillContext } from "../../src/tools/sandbox/caller/bodies.ts";
import { type Call, send } from "../../src/tools/sandbox/caller/call.ts";
import { fiscalCall } from "../../src/tools/sandbox/caller/fiscal-call.ts";
import { activation, type Installation, type Solution } from "../../src/tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { CASHIER, GOODS } from "../../src/tools/sandbox/caller/shop.ts";
import { makeSigningKey } from "../../src/tools/sandbox/caller/signing-key.ts";

const SOLUTION: Solution = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
  names: PLATFORM_NAMES.canonical,
};
const API = "https://api.platform.example/api/remap/1.2";
const LINES: BasketLine[] = [
  { goods: GOODS.bread, quantityThousandths: 2000 },
  { goods: GOODS.tea, quantityThousandths: 1000 },
];

/** One till at one register that sells without a pause. */
export class BusyTill {
  readonly #base: string;
  readonly #installation: Installation = {
    accountId: systemChance.uuid(),
    accountName: "bench",
    registrationId: systemChance.uuid(),
    key: makeSigningKey(),
  };
  readonly #till: TillContext = {
    api: API,
    storeId: systemChance.uuid(),
    shiftId: systemChance.uuid(),
    shiftName: "00001",
    cashierId: systemChance.uuid(),
    cashier: CASHIER,
  };
  #over = false;

  constructor(base: string) {
    this.#base = base;
  }

  async open(): Promise<void> {
    await this.#done(activation(SOLUTION, this.#installation, "Install", { clock: systemClock, chance: systemChance, resource: API }));
    const body = shiftBody(this.#till, "open", moscowTime(systemClock.nowMs()));
    await this.#done(fiscalCall("openshift", body, SOLUTION, this.#installation));
  }

  /** Sells until `stop`. Returns the number of sales. */
  async sell(): Promise<number> {
    let sales = 0;
    for (; !this.#over; sales += 1) {
      const id = systemChance.uuid();
      const head = { id, name: id.slice(0, 8), moment: moscowTime(systemClock.nowMs()) };
      const body = saleBody(this.#till, { ...head, lines: LINES, payments: { cashKopecks: basketKopecks(LINES) } });
      await this.#done(fiscalCall("retaildemand", body, SOLUTION, this.#installation));
    }
    return sales;
  }

  stop(): void {
    this.#over = true;
  }

  async #done(call: Call): Promise<void> {
    const exchange = await send(this.#base, call, systemClock);
    if (exchange.kind === "answer" && exchange.status === 200) return;
    throw new Error(`${call.path}: ${exchange.kind === "answer" ? exchange.body.toString("utf8") : exchange.reason}`);
  }
}
