import { codeOf } from "../protocol/bytes.ts";
import { ACK, ENQ, frameOf, lrcOf, NAK, STX } from "../protocol/frame.ts";
import type { ByteLine } from "./byte-line.ts";

/** What went wrong between the two ends, named by what may have become of the command (shtrih-protocol 1.6). */
export type Trouble = "no-link" | "not-accepted" | "unknown" | "answer-lost" | "other-answer";

export class ExchangeFailed extends Error {
  readonly trouble: Trouble;
  constructor(trouble: Trouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

export type Waits = { readonly acknowledgementMs: number; readonly byteMs: number };

// How often ENQ is sent, a frame after NAK, and NAK after a damaged answer (shtrih-protocol 1.6).
const attempts = { enquiry: 5, frame: 3, answer: 3 };
const drainMs = 100;

/** The host's half of protocol 1.0 on one connection. */
export class Exchange {
  readonly #line: ByteLine;
  readonly #waits: Waits;
  /** Answers of older commands that the device still held (shtrih-protocol 1.7, case 1). */
  readonly stale: Buffer[] = [];

  constructor(line: ByteLine, waits: Waits) {
    this.#line = line;
    this.#waits = waits;
  }

  async ask(data: Uint8Array, answerMs: number): Promise<Buffer> {
    await this.enquire(answerMs);
    await this.#send(data);
    const answer = await this.#answer(answerMs);
    const same = codeOf(answer) === codeOf(data) || (data[0] === 0xff && answer[0] === 0xff && answer.length === 2);
    if (!same) throw new ExchangeFailed("other-answer", `${codeOf(data)} was answered by ${codeOf(answer)}`);
    return answer;
  }

  /** Returns when the device is idle. Answers that the device still held are in `stale`. */
  async enquire(answerMs: number): Promise<void> {
    for (let attempt = 0; attempt < attempts.enquiry; attempt++) {
      this.#line.write(Buffer.of(ENQ));
      const reaction = await this.#control();
      if (reaction === NAK) return;
      if (reaction === ACK) this.stale.push(await this.#answer(answerMs));
      else await this.#line.drain(drainMs);
    }
    throw new ExchangeFailed("no-link", "no NAK to ENQ");
  }

  /** Returns when no byte has come for so long. */
  quiet(silenceMs: number): Promise<void> {
    return this.#line.drain(silenceMs);
  }

  async #send(data: Uint8Array): Promise<void> {
    for (let attempt = 0; attempt < attempts.frame; attempt++) {
      this.#line.write(frameOf(data));
      const reaction = await this.#control();
      if (reaction === ACK) return;
      if (reaction !== NAK) throw new ExchangeFailed("unknown", `${codeOf(data)} was not acknowledged`);
    }
    throw new ExchangeFailed("not-accepted", `${codeOf(data)} was answered by NAK each time`);
  }

  async #answer(answerMs: number): Promise<Buffer> {
    let waitMs = answerMs;
    for (let attempt = 0; attempt < attempts.answer; attempt++) {
      const data = await this.#frame(waitMs);
      if (data !== undefined) {
        this.#line.write(Buffer.of(ACK));
        return data;
      }
      this.#line.write(Buffer.of(NAK));
      this.#line.write(Buffer.of(ENQ));
      const reaction = await this.#control();
      if (reaction === NAK) throw new ExchangeFailed("answer-lost", "the device holds no answer");
      waitMs = this.#waits.acknowledgementMs;
    }
    throw new ExchangeFailed("answer-lost", "no whole answer came");
  }

  /** The data of one frame. Undefined: the frame is incomplete, or its check byte is wrong. */
  async #frame(waitMs: number): Promise<Buffer | undefined> {
    const until = performance.now() + waitMs;
    for (;;) {
      const byte = await this.#line.byte(Math.max(1, until - performance.now()));
      if (byte === STX) break;
      if (byte === undefined) throw new ExchangeFailed("answer-lost", `no answer in ${waitMs} ms`);
    }
    const length = await this.#line.byte(this.#waits.byteMs);
    if (length === undefined) return undefined;
    const bytes: number[] = [];
    while (bytes.length < length + 1) {
      const byte = await this.#line.byte(this.#waits.byteMs);
      if (byte === undefined) return undefined;
      bytes.push(byte);
    }
    const data = Buffer.from(bytes.slice(0, length));
    return lrcOf(data) === bytes[length] ? data : undefined;
  }

  /** The next control byte. FF is skipped, because it is noise after an acknowledgement (shtrih-protocol 1.3). */
  async #control(): Promise<number | undefined> {
    const until = performance.now() + this.#waits.acknowledgementMs;
    for (;;) {
      const byte = await this.#line.byte(Math.max(1, until - performance.now()));
      if (byte !== 0xff) return byte;
    }
  }
}
