import type { Entry } from "../../journal/entry.ts";
import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { statementIn, type Typed, wrongFigure } from "../settle-statement.ts";
import { obstacleWords } from "../words/obstacle-words.ts";
import type { Acted } from "./acts.ts";
import type { ConsoleContext } from "./layout.ts";
import { operationPage } from "./operation-page.ts";
import type { ConsoleServices } from "./services.ts";

/** Settles a doubt as the command `journal settle` does. */
export async function settleAct(
  services: ConsoleServices,
  context: ConsoleContext,
  entry: Entry,
  form: ReadonlyMap<string, string>,
): Promise<Acted> {
  const { session, say } = context;
  const again = async (status: 409 | 422, problem: Typed["problem"]): Promise<Acted> => {
    const now = (await services.journal.get(entry.id)) ?? entry;
    return { status, view: await operationPage(services, context, now, { typed: { form, problem } }) };
  };
  const statement = statementIn(say, entry, form);
  if ("words" in statement) return again(422, statement);
  try {
    const settled = await services.settle(entry, statement, session.login);
    if (settled.kind === "refused")
      return again(409, { ...present({ field: wrongFigure(settled.because) }), words: obstacleWords(say, settled.because) });
    const said = say("Решено. Касса свободна.", "It is settled. The register is free.");
    return { status: 200, view: await operationPage(services, context, settled.entry, { said }) };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "journal-moved") throw error;
    return again(409, { words: say("Её только что решил кто-то другой.", "Somebody else has just settled it.") });
  }
}
