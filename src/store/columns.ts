import type { z } from "zod";
import { Failure } from "../kernel/failure.ts";
import type { Tables } from "./tables.ts";

/** The place of a value, for a person who examines the database. `row`: the row's key. `failure`: the code of the failure to throw. */
export interface RowPlace {
  failure: string;
  table: keyof Tables;
  row: string;
}

/** Returns the value of a JSON column. The schema checks the value without changing it. Throws `place.failure` for an unreadable value. */
export function jsonIn<Value>(place: RowPlace, column: string, json: string, schema: z.ZodType<Value>): Value {
  const value: Value = parsed(place, column, json);
  const { error } = schema.safeParse(value);
  if (error !== undefined) throw unreadable(place, column, `${error.issues[0]?.path.join(".") || "it"} is not what was written`);
  return value;
}

/** Returns the value of a column with a few possible words. Throws `place.failure` for any other value. */
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

/** `what`: what is wrong, without the value, because the value may contain a buyer's data. */
function unreadable({ failure, table, row }: RowPlace, column: string, what: string): Failure {
  return new Failure(failure, "fault", `Column ${column} of row ${row} in table ${table} cannot be read: ${what}`, { retrySafe: false });
}
