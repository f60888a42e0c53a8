import type { Account } from "../account/account.ts";
import { keySetOf, makeQrKey, type QrKey, qrKeyText, readQrKey } from "../caller/qr-key.ts";
import { makeQrToken, type QrTokenChanges, type QrTokenMaker } from "../caller/qr-token.ts";
import type { Stored } from "../values/stored.ts";

/** The stored type and id for the QR keys. The JSON API does not show them. */
const QR_KEYS = "qrkeys";
const KEY_PAIR_ID = "pair";

/** Which key signs: the key in the set, its predecessor, or a key that was never in the set. */
export const KEY_CHOICES = ["current", "previous", "unknown"] as const;
type KeyChoice = (typeof KEY_CHOICES)[number];

/** The platform's QR token keys. They are made at first use and stored in the account. */
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

  /** Returns the key document. Undefined: the address must fail. */
  async document(): Promise<ReturnType<typeof keySetOf> | undefined> {
    return this.#failing ? undefined : keySetOf([await this.#inSet()]);
  }

  /** Returns a token for one call. Undefined: there is no previous key yet. */
  async token(choice: KeyChoice = "current", changes: QrTokenChanges = {}): Promise<string | undefined> {
    const key = await this.#chosen(choice);
    return key === undefined ? undefined : makeQrToken(key, this.#maker, changes);
  }

  /** Replaces the key in the set. Resolves with the new `kid` when the key is stored. */
  async rotate(): Promise<string> {
    await this.#inSet();
    const made = await makeQrKey();
    await this.#keep(made, this.#stored()?.values.current);
    this.#current = Promise.resolve(made);
    return made.kid;
  }

  /** Sets whether the key address answers 500. A restart resets this. */
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
