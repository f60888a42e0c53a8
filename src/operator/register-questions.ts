import type { Entry } from "../journal/entry.ts";
import type { WallTime } from "../kernel/moment.ts";
import type { Lanes } from "../operations/lanes.ts";
import { type PointOfSale, registerNow } from "../operations/plan.ts";
import type { OperationServices } from "../operations/services.ts";
import type { Submission } from "../operations/submission.ts";
import { type SearchResult, searchDrive } from "./corrections/drive-search.ts";
import { registerTime } from "./corrections/register-time.ts";
import { type Rehearsal, rehearse } from "./corrections/rehearsal.ts";
import { type Claim, type ClaimCheck, checkClaim } from "./settling/claim-check.ts";

/** A person's questions to a register, each in the register's lane. They register nothing. */
export class RegisterQuestions {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;

  constructor(services: OperationServices, lanes: Lanes) {
    this.#services = services;
    this.#lanes = lanes;
  }

  /** Checks whether a group of corrections can be registered completely. */
  async rehearse(submissions: readonly Submission[]): Promise<Rehearsal> {
    const [first] = submissions;
    // All corrections of a group are for one point of sale.
    if (first !== undefined) await this.#pull({ ...first, storeId: first.operation.storeId });
    return rehearse(this.#services, this.#lanes, submissions);
  }

  /** Returns the register's clock at this point of sale. Undefined: no register answers, or its lane is full. */
  registerTime(point: PointOfSale): Promise<WallTime | undefined> {
    return registerTime(this.#services, this.#lanes, point);
  }

  /** Searches the drive for a further document of a done entry, by the document's fiscal sign. */
  searchDrive(entry: Entry, wanted: { fiscalSign: string; documentNumber?: number }): Promise<SearchResult> {
    return searchDrive(this.#services, this.#lanes, entry, wanted);
  }

  /** Checks a person's claim about a sent entry against the register. */
  checkClaim(entry: Entry, claim: Claim): Promise<ClaimCheck> {
    return checkClaim(this.#services, this.#lanes, entry, claim);
  }

  async #pull(point: PointOfSale): Promise<void> {
    const { held } = this.#services;
    const register = held === undefined ? undefined : await registerNow(this.#services, point);
    if (register !== undefined) await held?.pull(register);
  }
}
