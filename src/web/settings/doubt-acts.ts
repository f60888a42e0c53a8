import { Failure } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import type { Obstacle } from "../../operator/settling/settle-by-hand.ts";
import { told } from "../fields.ts";
import type { Say } from "../language.ts";
import { statementIn, type Typed, wrongFigure } from "../settle-statement.ts";
import { obstacleWords } from "../words/obstacle-words.ts";
import type { Answered } from "./acts.ts";
import type { PageContext } from "./context.ts";
import { isOfPoint, type OperationsServices, operationsOf } from "./pages.ts";
import type { NamedPoint } from "./point.ts";
import type { SettingsPageServices } from "./services.ts";

/**
 * Settles an operation in doubt, or a refused operation whose document was found in a drive, by the statement of a person who has the
 * paper. The register must confirm the statement: only whoever runs the server may decide without the register. Returns undefined if the
 * point of sale has no such operation.
 */
export async function settleDoubt(
  services: OperationsServices & Pick<SettingsPageServices, "settle">,
  context: PageContext,
  point: Pick<NamedPoint, "id" | "place">,
  { number, form }: { number: string; form: ReadonlyMap<string, string> },
): Promise<Answered | undefined> {
  const { say, session } = context;
  const entryId = /^\d{1,15}$/.test(number) ? Number(number) : 0;
  const entry = await services.journal.get(entryId);
  if (entry === undefined || !isOfPoint({ key: entry.key, storeId: entry.operation.storeId }, point.place)) return undefined;
  const again = async (problem: Typed["problem"]): Promise<Answered> => {
    const typed: Typed = { form, problem };
    return { status: 422, markup: await operationsOf(services, context, point, { settling: { entryId, typed } }) };
  };
  // The form of this page has neither the field `unconfirmed` nor the field `again`. So both are dropped from any request: nobody can
  // decide here without the register, or replace an earlier decision.
  const asked = new Map([...form].filter(([name]) => name !== "unconfirmed" && name !== "again"));
  const statement = statementIn(say, entry, asked);
  if ("words" in statement) return again(statement);
  try {
    const settled = await services.settle(entry, statement, session.name);
    if (settled.kind === "refused")
      return again({ ...present({ field: wrongFigure(settled.because) }), words: refusedWords(say, settled.because) });
    const said = told("done", say("Решено. Касса свободна.", "It is settled. The register is free."));
    return { status: 200, markup: await operationsOf(services, context, point, { said }) };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "journal-moved") throw error;
    return again({ words: say("Её только что решил кто-то другой.", "Somebody else has just settled it.") });
  }
}

/** Returns why nothing was settled. This page accepts no unconfirmed statement, so its advice differs from the console's. */
function refusedWords(say: Say, because: Obstacle): string {
  if (because.code !== "register-silent" && because.code !== "identity-unknown") return obstacleWords(say, because);
  return say(
    "Касса не смогла ответить, сверить не с чем. Включите её и повторите. Если она не заработает, решает тот, кто ведёт сервер.",
    "The register could not answer. Switch it on and repeat. If it stays silent, whoever runs the server decides.",
  );
}
