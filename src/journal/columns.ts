import type { z } from "zod";
import { type RowPlace, unreadable } from "./failures.ts";

/** The value of a JSON column. The schema only checks it and changes nothing. Throws `journal-unreadable`. */
export function jsonIn<Value>(place: RowPlace, column: string, json: string, schema: z.ZodType<Value>): Value {
  const value: Value = parsed(place, column, json);
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw unreadable(place, column, `${error.issues[0]?.path.join(".") || "it"} is not what was written`);
  return value;
}

/** The value of a column that holds one of a few words. Throws `journal-unreadable`. */
export function wordIn<Word extends string>(place: RowPlace, column: string, text: string, words: readonly Word[]): Word {
  const word = words.find((each) => each === text);
  if (word === undefined) throw unreadable(place, column, `it is none of ${words.join(", ")}`);
  return word;
}

function parsed(place: RowPlace, column: string, json: string) {
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable(place, column, "it is no JSON");
  }
}
