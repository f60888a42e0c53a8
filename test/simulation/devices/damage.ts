import { FrameParser } from "../../../src/registers/shtrih-m/wire/frame.ts";
import type { SeededChance } from "../seeded-chance.ts";

/**
 * What arrives of a message when the line is bad: a byte lost, doubled or turned into another, or nothing at all.
 * Damage that the check byte does not show is left out: whole protocol 1.0 stands on one exclusive or of all
 * bytes (reference 1.2), and no driver can tell what that cannot.
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
