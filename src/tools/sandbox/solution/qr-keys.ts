import type { Account } from "../account/account.ts";
import { keySetOf, makeQrKey, type QrKey, qrKeyText, readQrKey } from "../caller/qr-key.ts";
import { makeQrToken, type QrTokenChanges, type QrTokenMaker } from "../caller/qr-token.ts";
import type { Stored } from "../values/stored.ts";

/** The type and the id under which the account keeps its QR keys. They have no address in the JSON API. */
const QR_KEYS = "qrkeys";
const KEY_PAIR_ID = "pair";

/** Which key signs: the key in the set, the key that was in the set before, or a key that was never in it. */
export const KEY_CHOICES = ["current", "previous", "unknown"] as const;
type KeyChoice = (typeof KEY_CHOICES)[number];

/** The platform's keys for QR tokens. They are stored in the account and made when they are first needed. */
export class QrKeys {
  readonly #account: Account;
  readonly #maker: QrTokenMaker;
  #current: Promise<QrKey> | undefined;
  #unknown: Promise<QrKey> | undefined;
  #failing = false;

  constructor(account: Account, maker: QrTokenMaker) {
    this.#account = account;
    this.#maker = maker;
  }

  /** Returns the document at the key address. Undefined: the address has to fail. */
  async document(): Promise<ReturnType<typeof keySetOf> | undefined> {
    return this.#failing ? undefined : keySetOf([await this.#inSet()]);
  }

  /** Returns a token for one call. Undefined: the previous key is asked for, and there is none. */
  async token(choice: KeyChoice = "current", changes: QrTokenChanges = {}): Promise<string | undefined> {
    const key = await this.#chosen(choice);
    return key === undefined ? undefined : makeQrToken(key, this.#maker, changes);
  }

  /** Replaces the key in the set by a new key. Resolves with the new key's `kid` after the key is stored. */
  async rotate(): Promise<string> {
    await this.#inSet();
    const made = await makeQrKey();
    await this.#keep(made, this.#stored()?.values.current);
    this.#current = Promise.resolve(made);
    return made.kid;
  }

  /** Sets whether the key address answers 500. After a restart it answers again. */
  fail(failing: boolean): void {
    this.#failing = failing;
  }

  #chosen(choice: KeyChoice): Promise<QrKey | undefined> {
    switch (choice) {
      case "current":
        return this.#inSet();
      case "previous":
        return Promise.resolve(this.#previous());
      case "unknown":
        this.#unknown ??= makeQrKey();
        return this.#unknown;
    }
  }

  #inSet(): Promise<QrKey> {
    this.#current ??= this.#firstKey();
    return this.#current;
  }

  async #firstKey(): Promise<QrKey> {
    const { current } = this.#stored()?.values ?? {};
    if (typeof current === "string") return readQrKey(current);
    const made = await makeQrKey();
    await this.#keep(made, undefined);
    return made;
  }

  #previous(): QrKey | undefined {
    const { previous } = this.#stored()?.values ?? {};
    return typeof previous === "string" ? readQrKey(previous) : undefined;
  }

  async #keep(current: QrKey, previous: unknown): Promise<void> {
    await this.#account.commit(() => {
      const values = { current: qrKeyText(current), ...(typeof previous === "string" ? { previous } : {}) };
      this.#account.put({ type: QR_KEYS, id: KEY_PAIR_ID, values });
    });
  }

  #stored(): Stored | undefined {
    return this.#account.objects.get(QR_KEYS, KEY_PAIR_ID);
  }
}
