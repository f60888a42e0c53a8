import type { Json, JsonObject } from "../../values/json.ts";

/** Room for a short list; a long one doubles it a few times. */
const FIRST_BYTES = 64 * 1024;
/** Bytes of UTF-8 that one unit of a text can take. */
const MAX_BYTES_A_UNIT = 3;

/**
 * A list as JSON in bytes: `head` with `rows` as its last member. Rows are taken, written and forgotten one by one: to
 * make a thousand of them, then one text of megabytes, then its bytes takes twice the time.
 */
export function listBytes(head: JsonObject, rows: Iterable<Json>): Buffer {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let end = 0;
  const add = (text: string): void => {
    const needed = end + text.length * MAX_BYTES_A_UNIT;
    if (needed > bytes.length) bytes = Buffer.concat([bytes.subarray(0, end)], Math.max(needed, 2 * bytes.length));
    end += bytes.write(text, end);
  };
  const start = JSON.stringify(head);
  add(start === "{}" ? '{"rows":[' : `${start.slice(0, -1)},"rows":[`);
  let first = true;
  for (const row of rows) {
    add(first ? JSON.stringify(row) : `,${JSON.stringify(row)}`);
    first = false;
  }
  add("]}");
  return bytes.subarray(0, end);
}
