import { bytesOf, type Host, hexOf } from "./shtrih-m-device.ts";

/** The frame of type I, which asks for the present number (shtrih-protocol 2.1). */
export const QUESTION = "8F 00 00 0F 1D";

/** A frame of protocol 2.0 (shtrih-protocol 2.1), made without the server's code. */
export function numbered(number: number, hex: string): string {
  const data = bytesOf(hex);
  const length = data.length + 2;
  const body = [length & 0xff, length >> 8, number & 0xff, number >> 8, ...data];
  const check = body.reduce(checkWith, 0xffff);
  const stuffed = [...body, check & 0xff, check >> 8].flatMap((byte) => STUFFED.get(byte) ?? [byte]);
  return hexOf(Uint8Array.of(0x8f, ...stuffed));
}

const STUFFED = new Map([
  [0x8f, [0x9f, 0x81]],
  [0x9f, [0x9f, 0x83]],
]);

/** Computes CRC-16/CCITT bit by bit. */
function checkWith(before: number, byte: number): number {
  let check = before ^ (byte << 8);
  for (let bit = 0; bit < 8; bit += 1) check = ((check & 0x8000) === 0 ? check << 1 : (check << 1) ^ 0x1021) & 0xffff;
  return check;
}

/** A host at the other end of the device's line that numbers its commands. */
export class NumberedHost {
  readonly host: Host;
  #last: number;

  constructor(host: Host, last = 0) {
    this.host = host;
    this.#last = last;
  }

  /** Sends the DATA of a command under the next number and returns the DATA of its answer. */
  async ask(hex: string): Promise<string> {
    this.#last += 1;
    const number = this.#last;
    const heard = (await this.host.say(numbered(number, hex))).join(" ");
    const data = bytesOf(heard.replaceAll("9F 81", "8F").replaceAll("9F 83", "9F")).subarray(5, -2);
    if (heard !== numbered(number, hexOf(data))) throw new Error(`no answer under ${number} to ${hex}: ${heard}`);
    return hexOf(data);
  }

  async all(...commands: string[]): Promise<string> {
    let answer = "";
    for (const command of commands) answer = await this.ask(command);
    return answer;
  }

  /** Returns the frame of the next command without sending it. */
  next(hex: string): string {
    this.#last += 1;
    return numbered(this.#last, hex);
  }
}
