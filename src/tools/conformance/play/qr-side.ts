import type { Chance, Clock } from "../../../kernel/clock.ts";
import { makeQrKey, type QrKey } from "../../sandbox/caller/qr-key.ts";
import { QrKeyAddress } from "../../sandbox/caller/qr-key-address.ts";
import { makeQrToken, type QrTokenChanges } from "../../sandbox/caller/qr-token.ts";

/** The life of a token. The platform's value is not public. A short life keeps the server's list of used tokens short. */
const TOKEN_LIFE_S = 60;

/**
 * `current`: in the key set from the beginning. `next`: in the set after `rotate`, which is the platform's key change. `foreign`: never in
 * the set.
 */
export type KeyChoice = "current" | "next" | "foreign";

/** `amounts`: the server's bank acts by the last digits of the amount. `none`: nobody pays, so rules that need this bank do not apply. */
export type Paying = "amounts" | "none";

interface QrSideOptions {
  /** The port of the key address. */
  port: number;
  issuer: string;
  paying: Paying;
  clock: Clock;
  chance: Chance;
}

/** The platform's side of QR payment: signs tokens and serves their keys (platform-contracts 5.2). */
export class QrSide {
  readonly issuer: string;
  readonly paying: Paying;
  readonly #options: QrSideOptions;
  readonly #address = new QrKeyAddress();
  readonly #keys: Readonly<Record<KeyChoice, QrKey>>;

  private constructor(options: QrSideOptions, keys: Readonly<Record<KeyChoice, QrKey>>) {
    this.#options = options;
    this.#keys = keys;
    this.issuer = options.issuer;
    this.paying = options.paying;
  }

  /** Makes the keys and serves the current key. Rejects when the port is in use. */
  static async open(options: QrSideOptions): Promise<QrSide> {
    const [current, next, foreign] = await Promise.all([makeQrKey(), makeQrKey(), makeQrKey()]);
    const side = new QrSide(options, { current, next, foreign });
    side.#address.publish([current]);
    await side.#address.open(options.port);
    return side;
  }

  get url(): string {
    return this.#address.url;
  }

  get reads(): number {
    return this.#address.reads;
  }

  /** Adds the next key to the set. The current key stays, so its tokens remain valid. */
  rotate(): void {
    this.#address.publish([this.#keys.current, this.#keys.next]);
  }

  kidOf(choice: KeyChoice): string {
    return this.#keys[choice].kid;
  }

  token(changes: QrTokenChanges = {}, choice: KeyChoice = "current"): string {
    const { clock, chance } = this.#options;
    return makeQrToken(this.#keys[choice], { issuer: this.issuer, lifeS: TOKEN_LIFE_S, clock, chance }, changes);
  }

  close(): Promise<void> {
    return this.#address.close();
  }
}
