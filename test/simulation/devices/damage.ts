import { FrameParser } from "../../../src/registers/shtrih-m/wire/frame.ts";
import type { SeededChance } from "../seeded-chance.ts";

/**
 * Returns what arrives of a message on a bad line: a byte is lost, doubled or changed, or nothing arrives. Damage that the check byte
 * cannot show is left out, because no driver can notice it: protocol 1.0 has only an exclusive or of all bytes as its check
 * (shtrih-protocol 1.2).
 */
export function damaged(message: Uint8Array, chance: SeededChance): Buffer {
  const bytes = Buffer.from(message);
  const at = chance.below(bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
  const [own] = bytes.subarray(at);
  const byte = Buffer.of(own ?? 0);
  const other = Buffer.of(((own ?? 0) + 1 + chance.below(255)) % 256);
  const arrived = chance.pick([
    Buffer.alloc(0),
    Buffer.concat([before, after]),
    Buffer.concat([before, byte, byte, after]),
    Buffer.concat([before, other, after]),
  ]);
  return showsDamage(bytes, arrived) ? arrived : bytes;
}

function showsDamage(sent: Buffer, arrived: Buffer): boolean {
  const [own] = framesOf(sent);
  return framesOf(arrived).every((frame) => own !== undefined && frame.equals(own));
}

function framesOf(bytes: Buffer): Buffer[] {
  return new FrameParser().push(bytes).flatMap((token) => (token.kind === "frame" ? [token.data] : []));
}
