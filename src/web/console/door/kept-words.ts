import type { Say } from "../../language.ts";
import { settleWords } from "../payments/payment-forms.ts";
import { resultWords, settleTitle, unconfirmedWords } from "../settle-forms.ts";

type Row = readonly [label: string, words: string];
type Fields = ReadonlyMap<string, string>;

/** Returns what a form does when it is sent: the act, its object, and the choices and ticked boxes. Typed texts are left out. */
export function actRows(say: Say, { path, fields }: { path: string; fields: Fields }): readonly Row[] {
  const [, list, id = "", act] = /^\/console\/([a-z]+)(?:\/([^/?]+)(?:\/([a-z]+))?)?\/?(?:\?|$)/.exec(path) ?? [];
  return ACTS.get([list, act ?? id].join("/"))?.(say, id, fields) ?? [[say("Адрес", "Address"), path]];
}

/**
 * The acts by list and name, as in their addresses. An address may lack the name or the object: see `agents/` and `registers/leave-out`.
 */
const ACTS: ReadonlyMap<string, (say: Say, id: string, fields: Fields) => readonly Row[]> = new Map([
  ["operations/settle", operationRows],
  ["payments/settle", paymentRows],
  ["payments/refund", refundRows],
  ["members/grant", (say, id) => [act(say, say("Начислить или снять баллы", "Grant or deduct points")), member(say, id)]],
  [
    "members/erase",
    (say, id, fields) => [
      act(say, say("Стереть данные участника", "Erase the member's data")),
      member(say, id),
      ...ticked(say, fields, "sure", say("Стереть без возврата", "Erase it for good")),
    ],
  ],
  [
    "registers/leave-out",
    (say, _, fields) => [
      act(say, say("Пропустить документ", "Leave the document out")),
      [say("Накопитель", "Drive"), fields.get("drive") ?? ""],
    ],
  ],
  ["agents/", enrolRows],
  [
    "agents/accept",
    (say, id, fields) => [
      act(say, say("Подтвердить замену кассы или копию агента", "Accept another device or copy of the agent")),
      agent(say, id),
      [say("Касса", "Register"), fields.get("register") ?? ""],
    ],
  ],
  [
    "agents/revoke",
    (say, id, fields) => [
      act(say, say("Отозвать агента", "Revoke the agent")),
      agent(say, id),
      ...ticked(say, fields, "sure", say("Отозвать без возврата", "Revoke it for good")),
    ],
  ],
]);

function operationRows(say: Say, id: string, fields: Fields): Row[] {
  const result = (["refused", "done"] as const).find((one) => fields.has(one));
  return [
    act(say, settleTitle(say, fields.has("again"))),
    [say("Операция", "Operation"), id],
    decided(say, result && resultWords(say, result)),
    ...ticked(say, fields, "unconfirmed", unconfirmedWords(say)),
  ];
}

function paymentRows(say: Say, id: string, fields: Fields): Row[] {
  const part = fields.get("shown") === "payment" ? "payment" : Number(fields.get("shown"));
  const words = settleWords(say, part);
  const decision = (["paid", "not-paid"] as const).find((one) => one === fields.get("decision"));
  return [act(say, words.title), payment(say, id), decided(say, decision && words[decision])];
}

function refundRows(say: Say, id: string, fields: Fields): Row[] {
  const isWhole = (fields.get("amount")?.trim() ?? "") === "";
  return [
    act(say, say("Вернуть деньги покупателю", "Return money to the buyer")),
    payment(say, id),
    ...(isWhole ? [[say("Сумма", "Sum"), say("вся оставшаяся", "all that is left")] as const] : []),
  ];
}

function enrolRows(say: Say, _: string, fields: Fields): Row[] {
  return [
    act(say, say("Завести агента", "Enrol an agent")),
    agent(say, fields.get("name") ?? ""),
    [say("Аккаунт", "Account"), fields.get("account") ?? ""],
    ...ticked(say, fields, "replace", say("Заменить прежнего агента с этим названием", "Replace the earlier agent of this name")),
  ];
}

function act(say: Say, words: string): Row {
  return [say("Что сделать", "What is done"), words];
}

function payment(say: Say, id: string): Row {
  return [say("Оплата", "Payment"), id];
}

function member(say: Say, id: string): Row {
  return [say("Участник", "Member"), id];
}

function agent(say: Say, name: string): Row {
  return [say("Агент", "Agent"), name];
}

function decided(say: Say, words: string | undefined): Row {
  return [say("Решение", "Decision"), words ?? say("не выбрано", "not chosen")];
}

function ticked(say: Say, fields: Fields, name: string, words: string): Row[] {
  return fields.has(name) ? [[say("Отмечено", "Ticked"), words]] : [];
}
