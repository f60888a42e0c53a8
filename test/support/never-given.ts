import { pause } from "../../src/kernel/clock.ts";
import type { Deadline } from "../../src/kernel/deadline.ts";
import type { Register } from "../../src/registers/register.ts";
import { once, SCHEMES, Trial } from "./registers.ts";
import { copyOf, restore } from "./restored.ts";
import { journal } from "./settle-command.ts";
import { saleOperation, Till } from "./till.ts";

export const SALE = saleOperation("sale-1");

/** How long the register is silent after a request for a document that silences it. */
const SILENCE_MS = 30_000;

interface FailingDocument {
  how: "not returned" | "silencing";
  number: number;
  /** How many requests fail still. */
  times: number;
}

/** A line over which the requests for one document fail. All other requests pass, unless the register is silent. */
export function readFor(clock: Trial["clock"]) {
  let failing: FailingDocument | undefined;
  let silentUntilMs = 0;
  const isSilent = () => clock.monotonicMs() < silentUntilMs;
  const silence = async (deadline: Deadline) => {
    await pause(clock, deadline.remainingMs());
    return { kind: "unreachable", reason: "касса молчит" } as const;
  };
  return {
    /** The next `times` requests for the document fail. */
    fail(how: FailingDocument["how"], number: number, times = Number.POSITIVE_INFINITY): void {
      failing = { how, number, times };
    },
    wrap: (register: Register): Register => ({
      identity: async (deadline) => (isSilent() ? silence(deadline) : register.identity(deadline)),
      inspect: async (deadline) => (isSilent() ? silence(deadline) : register.inspect(deadline)),
      perform: async (document, deadline) =>
        isSilent()
          ? { kind: "refused", refusal: { code: "register-unreachable", details: { reason: "касса молчит" } } }
          : register.perform(document, deadline),
      async lookUp(number, deadline) {
        if (isSilent()) return silence(deadline);
        if (failing?.number !== number || failing.times === 0) return register.lookUp(number, deadline);
        failing.times -= 1;
        if (failing.how === "silencing") silentUntilMs = clock.monotonicMs() + SILENCE_MS;
        return { kind: "unreachable", reason: "касса не отдаёт документ" };
      },
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    }),
  };
}

export interface Bench {
  till: Till;
  line: ReturnType<typeof readFor>;
}

/** A till with a restored database that lacks the sale, document 3 of the drive. */
export async function restoredWithoutSale(more: Pick<Parameters<typeof Till.open>[0] & object, "log"> = {}): Promise<Bench> {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  const line = readFor(trial.clock);
  const till = await Till.open({ trial, line: line.wrap, ...more });
  await till.openShift();
  const copy = await copyOf(till.store);
  await till.submitAndWait(SALE);
  await restore(till.store, copy);
  await till.killAndRestart();
  return { till, line };
}

/** A till with a sale in doubt that a person has settled as not registered. The register's last document has number 3 if it was. */
export async function settledAsRefused(fate: "registered" | "not registered"): Promise<Bench> {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  const line = readFor(trial.clock);
  const till = await Till.open({ trial, line: line.wrap });
  await till.openShift();
  const cut = once("receipt", { kind: "power-cut" as const });
  trial.inject(fate === "registered" ? { after: cut } : { before: cut });
  await till.submitAndWait(SALE);
  await till.settled();
  trial.device.powerOn();
  const [entry] = (await till.journal.list({ limit: 50 })).filter(({ key }) => key.documentId === SALE.document.id);
  if (entry?.state === "in-doubt")
    await journal(till, "runs", "settle", `${entry.id}`, "--refused", "--why", "no receipt", "--unconfirmed");
  return { till, line };
}
