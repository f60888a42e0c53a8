import { readAs, recalcSchema } from "../../contracts/loyalty/schema.ts";
import { exactJson, quoteAnswer, recalcCallOf } from "../../contracts/loyalty/translate.ts";
import { Numeral, parseJson } from "../../http/json-body.ts";
import type { TillAccount } from "../../loyalty/connection/keys.ts";
import { traceWords } from "../../loyalty/quote/trace-words.ts";
import type { RecalcCall } from "../../loyalty/till-call.ts";
import type { Tried } from "../../operator/loyalty/try-receipt.ts";

interface Receipt {
  sent: unknown;
  call: RecalcCall;
}

type Receipts = { kind: "receipts"; receipts: readonly Receipt[] } | { kind: "wrong"; line: number; problem: string };

/** Reads a file of receipts: one body of a till's `recalc` call, or one such body a line. */
export function readReceipts(account: TillAccount, text: string): Receipts {
  const whole = read(account, text);
  if (!("problem" in whole)) return { kind: "receipts", receipts: [whole] };
  const lines = text.split("\n").map((line, index) => ({ line: index + 1, content: line.trim() }));
  const filled = lines.filter(({ content }) => content !== "");
  if (filled.length < 2 || whole.isJson) return { kind: "wrong", line: 1, problem: whole.problem };
  const receipts: Receipt[] = [];
  for (const { line, content } of filled) {
    const one = read(account, content);
    if ("problem" in one) return { kind: "wrong", line, problem: one.problem };
    receipts.push(one);
  }
  return { kind: "receipts", receipts };
}

function read(account: TillAccount, text: string): Receipt | { problem: string; isJson: boolean } {
  const json = parseJson(Buffer.from(text), (number) => new Numeral(number));
  if (json.kind === "broken") return { problem: `is no JSON: ${json.problem}`, isJson: false };
  if (json.kind === "excess") return { problem: `${json.path[0]}: ${json.problem}`, isJson: true };
  const body = readAs(recalcSchema, json.value);
  if (body.kind === "wrong") return { problem: `is no body of recalc: ${body.parameter || "it"} is missing or wrong`, isJson: true };
  return { sent: json.value, call: recalcCallOf(account, body.value) };
}

/** Returns the answers of `recalc` as JSON, each with the trace of the rules. The numbers have the form for a till. */
export function triedJson(receipts: readonly Receipt[], tried: readonly Tried[], asList: boolean): string {
  const answers = receipts.map(({ sent }, index) => {
    const one = tried[index];
    if (one === undefined) return {};
    const trace = one.trace.map(({ rule, matched, why }) => ({ rule, matched, why: traceWords(why, "en") }));
    return { ...quoteAnswer(sent, one.quote), trace };
  });
  return exactJson(asList ? answers : (answers[0] ?? {})).toString();
}
