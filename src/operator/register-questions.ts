import type { Entry } from "../journal/entry.ts";
import type { WallTime } from "../kernel/moment.ts";
import type { Lanes } from "../operations/lanes.ts";
import type { PointOfSale } from "../operations/plan.ts";
import type { OperationServices } from "../operations/services.ts";
import type { Submission } from "../operations/submission.ts";
import { type Sought, searchDrive } from "./corrections/drive-search.ts";
import { registerTime } from "./corrections/register-time.ts";
import { type Rehearsal, rehearse } from "./corrections/rehearsal.ts";
import { type Claim, type ClaimCheck, checkClaim } from "./settling/claim-check.ts";

/** What a person asks of a register, each in its own lane. Nothing here registers anything. */
export class RegisterQuestions {
  readonly #services: OperationServices;
  readonly #lanes: Lanes;

  constructor(services: OperationServices, lanes: Lanes) {
    this.#services = services;
    this.#lanes = lanes;
  }

  /** Whether corrections that belong together can all be registered. */
  rehearse(submissions: readonly Submission[]): Promise<Rehearsal> {
    return rehearse(this.#services, this.#lanes, submissions);
  }

  /** What the clock of that point of sale's register shows; undefined where it cannot be asked. */
  registerTime(point: PointOfSale): Promise<WallTime | undefined> {
    return registerTime(this.#services, this.#lanes, point);
  }

  /** Another document of a done entry, by its fiscal sign, where the drive has it. */
  searchDrive(entry: Entry, wanted: { fiscalSign: string; documentNumber?: number }): Promise<Sought> {
    return searchDrive(this.#services, this.#lanes, entry, wanted);
  }

  /** What the register says to a person's word about an entry that was sent. */
  checkClaim(entry: Entry, claim: Claim): Promise<ClaimCheck> {
    return checkClaim(this.#services, this.#lanes, entry, claim);
  }
}
