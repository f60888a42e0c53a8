import type { Checkpoint, Entry, EntryContent, Twin } from "../journal/entry.ts";
import { isDriveInUse, isMoved, isRivalled } from "../journal/failures.ts";
import { nextTurn } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import type { FiscalFacts } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import { notUsable, unreachable } from "../model/unreachable.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { closeShiftAutomatically, openShiftAutomatically } from "./automatic-shift.ts";
import { correctionOf, correctionProblem } from "./corrections.ts";
import { driveProblem } from "./found-in-drive/corrected-document.ts";
import {
  checkpointBefore,
  findEarlierAttempt,
  LOST,
  standsElsewhere,
  TWINS_A_STEP,
  takeEarlierAttempt,
  twinInDrive,
} from "./found-in-drive/earlier-attempt.ts";
import { findLostReport, fitsMoment } from "./found-in-drive/lost-reports.ts";
import { lookUpIn } from "./found-in-drive/read-document.ts";
import { openPlace } from "./found-in-drive/reading-place.ts";
import { findLostAttempt, readUnknown } from "./found-in-drive/unknown-documents.ts";
import { notReady, type TurnRules, wentBack } from "./readiness.ts";
import { beginOrSend, register, type StateBefore } from "./registering.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "./services.ts";
import { clearDoubts, clearDoubtsElsewhere } from "./settle-by-register.ts";
import { nextShiftStep, type ShiftStep } from "./shift-rules.ts";
import { shiftSituation } from "./shift-situation.ts";

export type TurnResult =
  | { kind: "entry"; entry: Entry }
  /** The operation's document was not sent. The refusal is in the journal, unless the account has too many refusals there. */
  | { kind: "refused"; refusal: Refusal };

/** The parts of a turn. `known`: the journal's entry, if any. */
interface TurnParts {
  services: TurnServices;
  device: Register;
  rules: TurnRules;
  content: EntryContent;
  known?: Entry | undefined;
  /** The account's bound already counts the refusal of `known`. */
  reserved?: boolean;
  /** The checkpoint before an earlier attempt that counts as refused. */
  earlier?: Checkpoint | undefined;
}

/** The largest number of reports that one turn makes before its document: a closing of the device's shift and the next opening. */
const MAX_REPORTS_FIRST = 2;

/** The end of the turn, if a step has found it. Undefined: the next step follows. */
type Ended = TurnResult | undefined;

/**
 * One operation's turn at its register. Take it in the register's lane, so that the register does nothing else meanwhile. Until the
 * operation's document is sent, every failure of the register ends as a refusal.
 */
export class Turn {
  readonly #services: TurnServices;
  readonly #device: Register;
  readonly #rules: TurnRules;
  readonly #content: EntryContent;
  readonly #known: Entry | undefined;
  readonly #reserved: boolean;
  readonly #earlier: Checkpoint | undefined;
  /** The refused entries of the same document under the other id type, as the journal had them when this turn looked for obstacles. */
  #refusedTwins: readonly Twin[] = [];
  /** The number of the last document read in the drive, in this turn or before. */
  #readTo = 0;

  constructor({ services, device, rules, content, known, reserved = false, earlier }: TurnParts) {
    this.#services = services;
    this.#device = device;
    this.#rules = rules;
    this.#content = content;
    this.#known = known;
    this.#reserved = reserved;
    this.#earlier = earlier;
  }

  /** Runs the turn. Throws when the journal fails before the document is sent. */
  async take(): Promise<TurnResult> {
    const obstacle = await this.#findObstacle();
    if (obstacle !== undefined) return obstacle;
    for (let reports = 0; ; reports += 1) {
      const readiness = await this.#makeReady();
      if (readiness.kind === "refused") return this.#refuse(readiness.refusal);
      const { state } = readiness;
      const doubt = await clearDoubtsElsewhere(this.#services, this.#device, this.#content.register, state);
      if (doubt !== undefined) return this.#refuse(doubt);
      const ended = await this.#findOrRegister(state, reports < MAX_REPORTS_FIRST);
      if (ended !== undefined) return ended;
    }
  }

  /**
   * Ends the operation with the document in the drive, or registers it. Undefined: the register must be checked again, because a report was
   * made first, or another address of the device was used meanwhile.
   */
  async #findOrRegister(state: StateBefore, mayLookAgain: boolean): Promise<Ended> {
    try {
      return (await this.#findInDrive(state)) ?? (await this.#register(state, mayLookAgain));
    } catch (error) {
      // Another address of the device came first, so `state` is old. Nothing was sent here.
      if (!isDriveInUse(error)) throw error;
      return mayLookAgain ? undefined : this.#refuse({ code: "lane-full" });
    }
  }

  /**
   * Looks for obstacles: a doubt in the lane, the same document under another id type, an outdated correction, or a correction that
   * registered this operation.
   */
  async #findObstacle(): Promise<Ended> {
    const { journal } = this.#services;
    const doubt = await clearDoubts(this.#services, this.#device, this.#content.register);
    if (doubt !== undefined) return this.#refuse(doubt);
    const twin = await this.#twinProblem();
    if (twin !== undefined) return this.#refuse(twin);
    const pointless = (await correctionProblem(journal, this.#content)) ?? (await correctionOf(journal, this.#content.key));
    return pointless === undefined ? undefined : this.#refuse(pointless);
  }

  /**
   * Looks whether the drive already has the document, from an earlier or a lost attempt. Refuses when the drive does not tell, or when it
   * contradicts the operation.
   */
  async #findInDrive(state: StateBefore): Promise<Ended> {
    const services = this.#services;
    const [device, content, earlier] = [this.#device, this.#content, this.#earlier];
    const newest = await services.journal.lastDocumentNumber(state.driveNumber);
    const lost = await wentBack(services, { device, register: content.register }, state, newest);
    if (lost !== undefined) return this.#refuse(lost);
    const place = await openPlace(services, device, content, state, newest);
    const before = await findEarlierAttempt(place, content, earlier);
    if (before.kind === "unreachable") return this.#refuse(before.refusal);
    if (before.kind === "found" && earlier !== undefined) {
      return done(await takeEarlierAttempt(services, content, this.#known, earlier, before.found));
    }
    const drive = await readUnknown(place, newest);
    this.#readTo = drive.reading.readTo ?? 0;
    const unknown = await findLostAttempt(drive, content);
    if (unknown.kind === "unreachable") return this.#refuse(unknown.refusal);
    if (unknown.kind === "found") {
      const { found } = unknown;
      return done(await takeEarlierAttempt(services, content, this.#known, checkpointBefore(found, state), found, LOST));
    }
    const otherwise =
      (await standsElsewhere(services, content, state)) ??
      (await twinInDrive(services, content, this.#refusedTwins)) ??
      (await driveProblem(place, content));
    if (otherwise !== undefined) return this.#refuse(otherwise);
    const report = await findLostReport(drive, content, this.#rules.automaticShift);
    if (report.kind === "refused") return this.#refuse(report.refusal);
    return report.kind === "found" ? this.#takeReport(state, report.facts) : undefined;
  }

  /**
   * Sends the document, adopts the device's shift or refuses, as the shift rules demand. If a report must come first, makes only the
   * report. Then the register is checked again: another drive, or an older copy of the drive, may be in it.
   */
  async #register(state: StateBefore, mayLookAgain: boolean): Promise<Ended> {
    const step = await this.#shiftStep(state);
    try {
      return await this.#carryOut(step, state, mayLookAgain);
    } catch (error) {
      // Another address of the device may have begun the same report. Nothing was sent here.
      const isReport = step.kind === "open-first" || step.kind === "close-first";
      if (!isReport || !isMoved(error)) throw error;
      return mayLookAgain ? undefined : this.#refuse({ code: "lane-full" });
    }
  }

  async #carryOut(step: ShiftStep, state: StateBefore, mayReportFirst: boolean): Promise<Ended> {
    const [services, device, content] = [this.#services, this.#device, this.#content];
    const sends = step.kind !== "refuse" && step.kind !== "adopt";
    if (sends && !services.refusals.maySend(content, this.#earlier !== undefined)) return this.#refuse({ code: "refused-too-often" });
    switch (step.kind) {
      case "refuse":
        return this.#refuse({ code: step.code });
      case "adopt":
        return this.#adopt(state, step);
      case "open-first":
      case "close-first": {
        if (!mayReportFirst) return this.#refuse({ code: "shift-conflict" });
        const makeReport = step.kind === "open-first" ? openShiftAutomatically : closeShiftAutomatically;
        const made = await makeReport(services, device, content, state);
        return made.kind === "refused" ? this.#refuse(made.refusal) : undefined;
      }
      case "proceed":
        return this.#send(state);
    }
  }

  async #send(state: StateBefore): Promise<TurnResult> {
    const lastDocumentNumber = await this.#lastInDrive(state);
    try {
      return done(await register(this.#services, this.#device, this.#content, this.#known, { ...state, lastDocumentNumber }));
    } catch (error) {
      // Another lane began to send an operation that makes the same registration, after this turn had looked for obstacles. Nothing was
      // sent here.
      const obstacle = isRivalled(error) ? await this.#findObstacle() : undefined;
      if (obstacle === undefined) throw error;
      return obstacle;
    }
  }

  /**
   * Returns the drive's last number. The status may have an older number. The checkpoint must not be below a document that was already
   * read: that document would look like this operation's document. The read document is requested once more, because an older copy of the
   * drive may be back.
   */
  async #lastInDrive({ driveNumber, lastDocumentNumber: reported }: RegisterState): Promise<number> {
    if (this.#readTo <= reported) return reported;
    const found = await lookUpIn(driveNumber, this.#device, this.#readTo, deadlineIn(this.#services.clock, INSPECT_LIMIT_MS));
    return found.kind === "found" || found.kind === "foreign" ? this.#readTo : reported;
  }

  /**
   * Returns the refusal when the same document was or may have been registered under another id type: by its own operation, or by a
   * correction.
   */
  async #twinProblem(): Promise<Refusal | undefined> {
    const { journal, log } = this.#services;
    const { key } = this.#content;
    const twins = await journal.twins(this.#content);
    const twin = twins.find(({ state }) => state !== "refused");
    if (twin !== undefined) {
      log.error({ entry: twin.id, document: key.documentId }, "the same document came under another id type; a person must look");
      return { code: "other-id-type" };
    }
    this.#refusedTwins = twins;
    for (const [at, refused] of twins.entries()) {
      if (at > 0 && at % TWINS_A_STEP === 0) await nextTurn();
      const corrected = await correctionOf(journal, refused.key);
      if (corrected !== undefined) return corrected;
    }
    return undefined;
  }

  async #makeReady(): Promise<{ kind: "ready"; state: StateBefore } | { kind: "refused"; refusal: Refusal }> {
    const lastMove = await this.#services.journal.heads.lastMove();
    const deadline = deadlineIn(this.#services.clock, INSPECT_LIMIT_MS);
    let seen = await this.#device.inspect(deadline);
    if (seen.kind === "reached" && seen.value.documentOpen) {
      const abandoned = await this.#device.abandon(deadline);
      seen = abandoned.kind === "reached" ? await this.#device.inspect(deadline) : abandoned;
    }
    if (seen.kind === "unreachable") return { kind: "refused", refusal: notUsable(seen) };
    const refusal = notReady(seen.value, this.#rules);
    return refusal === undefined ? { kind: "ready", state: { ...seen.value, lastMove } } : { kind: "refused", refusal };
  }

  async #shiftStep(state: RegisterState): Promise<ShiftStep> {
    const { journal } = this.#services;
    const situation = await shiftSituation(journal, this.#content, state, this.#rules.automaticShift);
    const { operation, named, device, owners } = situation;
    const step = nextShiftStep(situation);
    if (device.kind === "closed") return step;
    if (situation.unclear && step.kind === "refuse") {
      const next = "does its account not repeat a document of it? Then close the shift at the register";
      const { register } = this.#content;
      this.#services.log.error(
        { register, shift: device.number, next },
        "nobody knows whose the open shift is: accounts share the register",
      );
    }
    // A correction names the shift of the corrected operation, not necessarily the open shift. A report names no shift of the platform.
    const joins =
      !["correction", "x-report", "state-report"].includes(operation) &&
      step.kind === "proceed" &&
      owners.length > 0 &&
      owners.every(({ idType }) => idType !== named.idType);
    if (joins) await journal.linkShift(this.#content.register, state.driveNumber, device.number, named);
    return step;
  }

  /** Ends the platform's opening or closing with the drive's existing report. Nothing is sent. */
  async #takeReport(state: StateBefore, facts: FiscalFacts): Promise<TurnResult> {
    const { journal, log } = this.#services;
    const begun = await beginOrSend(journal, this.#content, this.#known, state);
    // Only a warning, because nobody has to act: an ordinary closing by hand at the register ends here too.
    log.warn({ entry: begun.id, document: facts.documentNumber }, "the report was made before: nothing is sent for this operation");
    return done(await journal.finish(begun, { kind: "done", facts }, "look-up", [{ code: "report-found", number: facts.documentNumber }]));
  }

  /** Adopts the open device shift as the platform's shift. The answer is the report that opened the device shift. */
  async #adopt(state: StateBefore, { openReportNumber, unlessFits }: Extract<ShiftStep, { kind: "adopt" }>): Promise<TurnResult> {
    const { journal, clock } = this.#services;
    const found = await lookUpIn(state.driveNumber, this.#device, openReportNumber, deadlineIn(clock, INSPECT_LIMIT_MS));
    if (found.kind === "unreachable") return this.#refuse(unreachable(found.reason));
    if (found.kind !== "found") return this.#refuse({ code: "shift-already-open" });
    const mayBeLost = unlessFits === undefined || fitsMoment(found.facts, this.#content.operation.moment);
    if (!mayBeLost) return this.#refuse({ code: unlessFits });
    const begun = await beginOrSend(journal, this.#content, this.#known, state);
    const outcome = { kind: "done", facts: found.facts } as const;
    return done(await journal.finish(begun, outcome, "look-up", [{ code: "shift-adopted", number: openReportNumber }]));
  }

  /**
   * Ends the turn as refused. Beyond the account's bound the refusal is answered but not written. Nothing is lost, because nothing was
   * sent.
   */
  async #refuse(refusal: Refusal): Promise<TurnResult> {
    const { journal, refusals } = this.#services;
    const waiting = this.#known?.state === "queued" ? this.#known : undefined;
    if (!this.#reserved && !refusals.mayWrite(this.#content, waiting !== undefined)) return { kind: "refused", refusal };
    const queued = waiting ?? (await journal.accept(this.#content));
    await journal.finish(queued, { kind: "refused", refusal }, "register");
    return { kind: "refused", refusal };
  }
}

function done(entry: Entry): TurnResult {
  return { kind: "entry", entry };
}
