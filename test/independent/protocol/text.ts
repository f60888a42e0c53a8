/**
 * Commands have CP1251, and tags have CP866 (shtrih-protocol 15). Node can only decode both, so texts are encoded by the inverted table.
 */
const inverse = (label: string): ReadonlyMap<string, number> => {
  const decoder = new TextDecoder(label);
  return new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
};

const tables = { "windows-1251": inverse("windows-1251"), ibm866: inverse("ibm866") };

const encode = (table: ReadonlyMap<string, number>, text: string): Buffer =>
  Buffer.from(Array.from(text, (letter) => table.get(letter) ?? 0x3f));

export const cp1251 = (text: string): Buffer => encode(tables["windows-1251"], text);
export const cp866 = (text: string): Buffer => encode(tables.ibm866, text);

export const fromCp1251 = (bytes: Uint8Array): string => new TextDecoder("windows-1251").decode(bytes);
export const fromCp866 = (bytes: Uint8Array): string => new TextDecoder("ibm866").decode(bytes);

/** The text of a CHAR field of a table. It ends at a zero, and blanks at its end are padding (shtrih-protocol 5.5). */
export const trimmed = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0);
  return fromCp1251(end < 0 ? bytes : bytes.subarray(0, end)).trim();
};

export const padded = (bytes: Uint8Array, size: number): Buffer => {
  const out = Buffer.alloc(size);
  out.set(bytes.subarray(0, size));
  return out;
};
