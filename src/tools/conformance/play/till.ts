import { gzipSync } from "node:zlib";
import { pause } from "../../../kernel/clock.ts";
import { wallTimeAt } from "../../../kernel/moment.ts";
import { type BasketLine, basketKopecks } from "../../sandbox/caller/basket.ts";
import { cashBody, returnBody, saleBody, shiftBody, type TillContext } from "../../sandbox/caller/bodies.ts";
import type { Call } from "../../sandbox/caller/call.ts";
import { RUNNING_RETRIES } from "../../sandbox/caller/fiscal-call.ts";
import type { FiscalOperation } from "../../sandbox/caller/fiscal-operation.ts";
import { CASHIER } from "../../sandbox/caller/shop.ts";
import { signBody } from "../../sandbox/caller/signing-key.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import { wordsOfAnswer } from "../exchanges/report-text.ts";
import { errorOf, objectOf, type Sent, statusOf } from "../exchanges/sent.ts";
import type { Account } from "./account.ts";
import { declaredOperations } from "./declared.ts";
import { DrawerRecord } from "./drawer-record.ts";
import type { Evidence } from "./evidence.ts";
import { type FiscalChange, LOAVES, ordinaryBody, requestLabel } from "./request-label.ts";

export type Body = Record<string, unknown>;

/** The platform's default zone (platform-contracts 4.5). */
const SHOP_ZONE = "Europe/Moscow";

/** A till of an account. Each till has a separate point of sale. */
export class Till {
  readonly account: Account;
  readonly #evidence: Evidence;
  readonly #context: Omit<TillContext, "shiftId">;
  #shiftId: string;
  #documents = 0;
  readonly #drawer = new DrawerRecord();
  /** The sent bodies. A repeated body gets the label of a repeat. */
  readonly #sent = new Set<string>();
  /** True while a shift is open, as far as the run can see. */
  #open = false;
  /** The body that closes this shift. A close with an error answer may have been registered, so a repeat must send the same body. */
  #closing: Body | undefined;

  constructor(account: Account, evidence: Evidence) {
    const { chance, platform } = account.services;
    this.account = account;
    this.#evidence = evidence;
    this.#shiftId = chance.uuid();
    this.#context = {
      api: `${platform.base}/api/remap/1.2`,
      storeId: chance.uuid(),
      shiftName: "00001",
      cashierId: chance.uuid(),
      cashier: CASHIER,
    };
  }

  get context(): TillContext {
    return { ...this.#context, shiftId: this.#shiftId };
  }

  /** The present time in the shop, such as `2026-11-28 12:00:00`. */
  get moment(): string {
    return this.momentAt(this.account.services.clock.nowMs());
  }

  momentAt(instantMs: number): string {
    return wallTimeAt(instantMs, SHOP_ZONE);
  }

  newId(): string {
    return this.account.services.chance.uuid();
  }

  /** Later documents belong to the new shift of the platform. */
  takeNewShift(): void {
    this.#shiftId = this.newId();
    this.#closing = undefined;
  }

  /** Opens the shift if the server declares openshift. Otherwise returns undefined: the server opens its shifts by itself. */
  async begin(): Promise<Sent | undefined> {
    return this.#declares("openshift") ? this.openShift() : undefined;
  }

  openShift(): Promise<Sent> {
    return this.send("openshift", this.shiftBody("open"));
  }

  /** Closes the shift. A second call for the same shift sends the same body. */
  async closeShift(): Promise<Sent> {
    const wasOpen = this.#open;
    this.#closing ??= this.shiftBody("close");
    const sent = await this.send("closeshift", this.#closing);
    if (wasOpen) this.account.services.exchanges.noteClose(sent);
    return sent;
  }

  shiftBody(kind: "open" | "close"): Body {
    return { ...shiftBody(this.context, kind, this.moment) };
  }

  saleBody(over: Body = {}, lines: BasketLine[] = LOAVES): Body {
    return { ...saleBody(this.context, { ...this.#head(), lines, payments: { cashKopecks: basketKopecks(lines) } }), ...over };
  }

  returnBody(demandId: string, over: Body = {}): Body {
    const payments = { cashKopecks: basketKopecks(LOAVES) };
    return { ...returnBody(this.context, { ...this.#head(), demandId, lines: LOAVES, payments }), ...over };
  }

  cashBody(kind: "in" | "out", sumKopecks: number, over: Body = {}): Body {
    return { ...cashBody(this.context, kind, { ...this.#head(), sumKopecks }), ...over };
  }

  /**
   * Returns the document that does the least harm if the server wrongly registers it: cash in, which is no fiscal document. If the server
   * does not declare cash in: a sale.
   */
  smallest(): { operation: FiscalOperation; body: Body } {
    return this.#declares("retaildrawercashin")
      ? { operation: "retaildrawercashin", body: this.cashBody("in", 100_00) }
      : { operation: "retaildemand", body: this.saleBody() };
  }

  /** Makes a sale that the rule needs. Throws CannotRun when it fails. */
  async sell(body: Body = this.saleBody()): Promise<Sent> {
    return this.#succeed("retaildemand", body);
  }

  /**
   * Sends a signed request. Throws CannotRun without the address of the fiscal contract, or without evidence that documents may be
   * registered. An object is sent as JSON. While the answer is "still being processed", repeats the same request for a limited time, as the
   * contract requires. Checks the drive in every 200: a real drive ends the run (see `Evidence`).
   */
  async send(operation: FiscalOperation, body: object | Buffer, change: FiscalChange = {}): Promise<Sent> {
    const { fiscal } = this.account.services.target;
    if (fiscal === undefined)
      throw new CannotRun("the address of the fiscal contract is not known: give --base, or a descriptor with fiscalApi");
    await this.#evidence.demand();
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const call = this.#callOf(operation, bytes, fiscal.path, change);
    const label = this.#labelOf(operation, bytes, change);
    const { exchanges, clock } = this.account.services;
    const endMs = clock.monotonicMs() + RUNNING_RETRIES.windowMs;
    for (;;) {
      const sent = await exchanges.send("fiscal", fiscal.origin, call, label);
      this.#note(operation, bytes, sent);
      if (!isStillRunning(sent) || clock.monotonicMs() > endMs) return sent;
      await pause(clock, RUNNING_RETRIES.intervalMs);
    }
  }

  /**
   * Balances the till's cash in and cash out, and closes the shift that this till opened. Returns words about leftovers. Does nothing when
   * the server declares openshift and no shift is open. Leaves a shift open that the server opened by itself.
   */
  async leave(): Promise<string[]> {
    if (!this.#open && this.#declares("openshift")) return [];
    return [await this.#evenOut(), await this.#closeOpen()].filter((words) => words !== undefined);
  }

  sign(bytes: Buffer): string {
    return signBody(bytes, this.account.installation.key);
  }

  #declares(operation: FiscalOperation): boolean {
    return declaredOperations(this.account.services.target).includes(operation);
  }

  #note(operation: FiscalOperation, bytes: Buffer, sent: Sent): void {
    if (statusOf(sent) !== 200) return;
    this.#drawer.note(operation, bytes);
    if (operation === "openshift") this.#open = true;
    if (operation === "closeshift") this.#open = false;
    const drive = objectOf(sent)?.fnNumber;
    if (typeof drive !== "string") return;
    try {
      this.#evidence.see(drive);
    } catch (error) {
      // The run must not close this shift: the closing would register another document on a real drive.
      this.#open = false;
      this.#drawer.forget();
      throw error;
    }
  }

  #callOf(operation: FiscalOperation, bytes: Buffer, base: string, change: FiscalChange): Call {
    const { installation, services } = this.account;
    const names = change.names ?? services.target.solution.names;
    const shift = operation === "openshift" || operation === "closeshift";
    const { signature = this.sign(bytes), accountId = installation.registrationId, gzip = false } = change;
    return {
      method: change.method ?? (shift ? "PUT" : "POST"),
      path: `${base}${change.path ?? `/1/${operation}`}`,
      headers: {
        "content-type": change.contentType ?? "application/json",
        ...(gzip ? { "content-encoding": "gzip" } : {}),
        ...(accountId === null ? {} : { [names.accountHeader]: accountId }),
        ...(signature === null ? {} : { [names.signatureHeader]: signature }),
      },
      ...(change.method === "GET" ? {} : { body: gzip ? gzipSync(bytes) : bytes }),
    };
  }

  #labelOf(operation: FiscalOperation, bytes: Buffer, change: FiscalChange): string {
    const { names } = this.account.services.target.solution;
    const content = `${operation} ${bytes.toString("latin1")}`;
    const repeated = this.#sent.has(content);
    this.#sent.add(content);
    return requestLabel(bytes, ordinaryBody(this.context, operation, this.moment), { change, names, repeated });
  }

  async #closeOpen(): Promise<string | undefined> {
    if (!this.#open || !this.#declares("closeshift")) return undefined;
    const sent = await this.closeShift();
    if (statusOf(sent) === 200) return undefined;
    return `a shift of account ${this.account.installation.accountId} may still be open: closeshift was answered ${wordsOfAnswer(sent)}`;
  }

  /** Balances the till's sums with one more cash in or cash out. Returns words about a remaining difference. */
  async #evenOut(): Promise<string | undefined> {
    const { netKopecks } = this.#drawer;
    const kind = netKopecks > 0 ? "out" : "in";
    const operation: FiscalOperation = `retaildrawercash${kind}`;
    if (netKopecks === 0 || !this.#declares(operation)) return undefined;
    const sent = await this.send(operation, this.cashBody(kind, Math.abs(netKopecks)));
    this.#drawer.forget();
    if (statusOf(sent) === 200) return undefined;
    const { accountId } = this.account.installation;
    return `the drawer of account ${accountId} has ${netKopecks / 100} more than before: ${operation} was answered ${wordsOfAnswer(sent)}`;
  }

  async #succeed(operation: FiscalOperation, body: Body): Promise<Sent> {
    const sent = await this.send(operation, body);
    if (statusOf(sent) === 200) return sent;
    throw new CannotRun(`${operation} of an ordinary document was answered ${wordsOfAnswer(sent)}; mend fiscal/answer/${operation} first`);
  }

  #head(): { id: string; name: string; moment: string } {
    this.#documents += 1;
    return { id: this.newId(), name: String(this.#documents).padStart(5, "0"), moment: this.moment };
  }
}

/** Whether the answer means "still being processed; repeat the same request" (platform-contracts 4.7). */
function isStillRunning(sent: Sent): boolean {
  return statusOf(sent) === 409 && errorOf(sent)?.code === 50003;
}
