import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import type { Clock } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { ControlOrder } from "../../emulate/control-schema.ts";
import { controlAnswer, type DeviceState, type DriveDocument, deviceState, driveDocuments } from "./device-answer-schema.ts";

/** Far above the time of an answer: a device answers at once, or shortly after its running command. */
const ANSWER_LIMIT_MS = 10_000;

/** The control port of a device that the demo started. Its orders replace the acts of a person at the register. */
export class DeviceControl {
  readonly #place: { host: string; port: number };
  readonly #clock: Clock;

  /** `place`: `HOST:PORT`. */
  constructor(place: string, clock: Clock) {
    const [, host = "", port] = /^(.*):(\d+)$/.exec(place) ?? [];
    this.#place = { host, port: Number(port) };
    this.#clock = clock;
  }

  async state(): Promise<DeviceState> {
    return deviceState.parse((await this.order({ do: "state" })).state);
  }

  /** Returns all documents of the drive, the oldest first. */
  async documents(): Promise<DriveDocument[]> {
    return driveDocuments.parse((await this.order({ do: "documents" })).documents);
  }

  /** Sends one order. Throws a Failure when the device refuses or does not answer. */
  async order(order: ControlOrder): Promise<Record<string, unknown>> {
    const read = controlAnswer.parse(JSON.parse(await this.#exchange(JSON.stringify(order))));
    if (!read.ok) throw new Failure("device-control", "device", `the device refused ${JSON.stringify(order)}: ${read.why}`);
    return read;
  }

  #exchange(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(this.#place);
      const end = (problem?: string) => {
        cancel();
        socket.destroy();
        if (problem !== undefined) reject(new Failure("device-control", "device", `the device's control port: ${problem}`));
      };
      const cancel = this.#clock.after(ANSWER_LIMIT_MS, () => end(`no answer within ${ANSWER_LIMIT_MS} ms`));
      socket.once("error", (error) => end(error.message));
      socket.once("close", () => end("closed"));
      createInterface({ input: socket }).once("line", (answered) => {
        resolve(answered);
        end();
      });
      socket.write(`${line}\n`);
    });
  }
}
