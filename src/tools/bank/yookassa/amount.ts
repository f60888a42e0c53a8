import { formatKopecks } from "../../../kernel/money.ts";

/** Reads an amount such as `259.20` as whole kopecks. Undefined: another form. */
export function readAmount(value: string): number | undefined {
  const [, roubles, kopecks] = /^(\d{1,10})\.(\d{2})$/.exec(value) ?? [];
  return roubles === undefined ? undefined : Number(roubles) * 100 + Number(kopecks);
}

export function amountJson(kopecks: number): { value: string; currency: "RUB" } {
  return { value: formatKopecks(kopecks), currency: "RUB" };
}
