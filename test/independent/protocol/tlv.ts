import { Fields, uint } from "./bytes.ts";
import { cp866, fromCp866 } from "./text.ts";

/** A tag: its number, length and value are little-endian on the line (shtrih-protocol 9.1). */
export type Tag = { readonly tag: number; readonly value: Buffer };

export const tlv = (tag: number, value: Uint8Array): Buffer => Buffer.concat([uint(tag, 2), uint(value.length, 2), value]);

export const textTag = (tag: number, text: string): Buffer => tlv(tag, cp866(text));

/** A VLN in its shortest form (shtrih-protocol 9.1). 0 is one zero byte. */
export const vln = (value: number): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return Buffer.from(bytes.length === 0 ? [0] : bytes);
};

export const numberOf = (bytes: Uint8Array): number => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);

/** An FVLN: its value is VLN / 10^scale (shtrih-protocol 9.1). */
export const fvln = (value: number, scale: number): Buffer => Buffer.concat([Buffer.of(scale), vln(value)]);

export const tagsOf = (bytes: Uint8Array): readonly Tag[] => {
  const fields = new Fields(bytes);
  const tags: Tag[] = [];
  while (fields.left > 0) {
    const tag = fields.uint(2);
    tags.push({ tag, value: fields.take(fields.uint(2)) });
  }
  return tags;
};

export const valueAt = (tags: readonly Tag[], tag: number): Buffer => {
  const found = tags.find((one) => one.tag === tag);
  if (found === undefined) throw new Error(`tag ${tag} is missing among ${tags.map((one) => one.tag).join(", ")}`);
  return found.value;
};

export const numberAt = (tags: readonly Tag[], tag: number): number => numberOf(valueAt(tags, tag));
export const textAt = (tags: readonly Tag[], tag: number): string => fromCp866(valueAt(tags, tag));
