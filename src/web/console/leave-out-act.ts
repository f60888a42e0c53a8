import { MAX_REASON } from "../fields.ts";
import type { Acted } from "./acts.ts";
import type { ConsoleContext } from "./layout.ts";
import { registersPage } from "./registers-page.ts";
import type { ConsoleServices } from "./services.ts";

/** Leaves a document out as the command `journal leave-out` does. A repeated click has no effect. */
export async function leaveOutAct(services: ConsoleServices, context: ConsoleContext, typed: ReadonlyMap<string, string>): Promise<Acted> {
  const { say, session } = context;
  const drive = typed.get("drive") ?? "";
  const reason = (typed.get("reason") ?? "").trim().slice(0, MAX_REASON);
  if (reason === "") {
    const problem = { field: "reason" as const, words: say("Напишите, откуда это известно.", "Write how you know.") };
    return { status: 422, view: await registersPage(services, context, { form: { drive, typed, problem } }) };
  }
  const documentNumber = Number(typed.get("number"));
  const place = { driveNumber: drive, documentNumber };
  const done = Number.isSafeInteger(documentNumber) ? await services.leaveOut(place, reason, session.login) : undefined;
  if (done?.kind !== "left-out") {
    const said = say(
      "Этого документа больше не ждут: пропускать нечего.",
      "Nothing waits for this document any more: it was not left out.",
    );
    return { status: 409, view: await registersPage(services, context, { said }) };
  }
  const said = say(`Документ № ${documentNumber} пропущен.`, `Document ${documentNumber} is left out.`);
  return { status: 200, view: await registersPage(services, context, { said }) };
}
