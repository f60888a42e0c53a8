import { join } from "node:path";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import { Account, type ChangeLog, type Commit, FORGETFUL } from "./account.ts";
import { lockFolder } from "./folder-lock.ts";
import { LOG_FORMAT, type LogEntry, LogFile, type LogHeader } from "./log-file.ts";
import { countChanges, KeptObjects } from "./snapshot.ts";

const LOG_FILE = "account.log";
/** A start rewrites the log only if the log has more changes than this, and more than twice as many changes as it would have afterwards. */
const MIN_CHANGES_TO_COMPACT = 1_000;

/** Fills an account. `addShop` adds the shop to a new account and is logged. `generate` adds the goods of the seed at every start. */
interface NewAccountContents {
  addShop(account: Account): Promise<unknown>;
  /** Must be synchronous. The same seed and number must give the same goods. */
  generate(account: Account, products: number): void;
}

interface AccountOptions extends NewAccountContents {
  readonly clock: Clock;
  readonly chance: Chance;
  /** Gets a warning if the log ends with an unfinished record. */
  readonly log: Log;
  /** The folder of the account. Undefined: the account lives in memory. */
  readonly data: string | undefined;
  /** An undefined `seed` or `products` comes from the folder. A new account gets the default. */
  readonly seed: number | undefined;
  readonly products: number | undefined;
}

const DEFAULT_SEED = 1;
const DEFAULT_PRODUCTS = 0;

/**
 * Opens the account of a folder, or makes a new account. Throws a `Failure` if the folder is in use or unusable, or if its log is damaged
 * or has another format. Also throws if the folder has another seed or number of products.
 */
export async function openAccount(options: AccountOptions): Promise<Account> {
  const wished: LogHeader = {
    format: LOG_FORMAT,
    seed: options.seed ?? DEFAULT_SEED,
    products: options.products ?? DEFAULT_PRODUCTS,
  };
  if (options.data === undefined) return begin(wished, FORGETFUL, options);
  const lock = lockFolder(options.data);
  try {
    const { log, entries, cut } = await LogFile.open(join(options.data, LOG_FILE));
    if (cut !== undefined) options.log.warn(cut, "the account's log ended with an unfinished record: it was taken out and is kept beside");
    const kept = closing(log, () => lock.release());
    try {
      return await (entries.length > 0 ? resume(entries, log, kept, options) : beginLog(wished, log, kept, options));
    } catch (error) {
      await log.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function closing(log: LogFile, after: () => void): ChangeLog {
  return {
    append: (commit) => log.append(commit),
    close: async () => {
      await log.close();
      after();
    },
  };
}

async function begin(header: LogHeader, log: ChangeLog, options: AccountOptions): Promise<Account> {
  const account = new Account({ clock: options.clock, seed: header.seed, log });
  await options.addShop(account);
  account.unlogged(() => options.generate(account, header.products));
  return account;
}

async function beginLog(header: LogHeader, log: LogFile, kept: ChangeLog, options: AccountOptions): Promise<Account> {
  const commits: Commit[] = [];
  const account = new Account({
    clock: options.clock,
    seed: header.seed,
    run: options.chance.uuid(),
    log: {
      // The log stays empty until the shop is complete, so it holds the whole shop or nothing.
      append: (commit) => (ready ? kept.append(commit) : Promise.resolve(void commits.push(commit))),
      close: () => kept.close(),
    },
  });
  let ready = false;
  await options.addShop(account);
  await log.rewrite([{ header }, { commits }, { generate: true }]);
  ready = true;
  account.unlogged(() => options.generate(account, header.products));
  return account;
}

async function resume(entries: readonly LogEntry[], log: LogFile, kept: ChangeLog, options: AccountOptions): Promise<Account> {
  const header = headerOf(entries, options);
  const account = new Account({ clock: options.clock, seed: header.seed, log: kept, run: options.chance.uuid() });
  const objects = new KeptObjects(account);
  for (const entry of entries) {
    if ("commits" in entry) for (const commit of entry.commits) account.restore(commit);
    if ("generate" in entry) objects.generate(() => account.unlogged(() => options.generate(account, header.products)));
  }
  const alive = objects.entries(header, entries);
  const changes = countChanges(entries);
  if (changes > MIN_CHANGES_TO_COMPACT && changes > 2 * countChanges(alive)) await log.rewrite(alive);
  return account;
}

function headerOf([first]: readonly LogEntry[], { data, seed, products }: AccountOptions): LogHeader {
  if (first === undefined || !("header" in first)) throw refused(`--data: the log in ${data} does not begin with its head`);
  const { header } = first;
  if (header.format !== LOG_FORMAT)
    throw refused(`--data: the log in ${data} has format ${header.format}, this program reads ${LOG_FORMAT}`);
  if (seed !== undefined && seed !== header.seed) throw refused(`--seed: the folder ${data} was begun with ${header.seed}, not ${seed}`);
  if (products !== undefined && products !== header.products) {
    throw refused(`--products: the folder ${data} was begun with ${header.products}, not ${products}`);
  }
  return header;
}

function refused(text: string): Failure {
  return new Failure("folder-differs", "caller", text);
}
