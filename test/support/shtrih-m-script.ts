import type { Clock } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import { MemoryPort } from "./memory-link.ts";

const ENQ = 0x05;
const ACK = 0x06;
const NAK = 0x15;
const STX = 0x02;
const LATE = "LATE";
/** Longer than the driver waits for the answer to a command. */
const LATE_MS = 70_000;

/**
 * Answers by the beginning of a request's data. Both are hexadecimal, and the answer is without its frame. Of several
 * answers each is given once, and the last one stays. Behind an answer that begins with `late`, the device
 * is silent for `LATE_MS`, and then sends the answer at the next ENQ (shtrih-protocol 1.3).
 */
export type Script = Record<string, string | string[]>;

/** A driver with a device that has only a script, and the requests to it. */
export interface Scripted {
  register: ShtrihRegister;
  /** The data of every request, in hexadecimal. */
  asked: string[];
  /** The driver's notes for people. */
  notes: string[];
  /** Adds answers to the script, or replaces some. */
  say(more: Script): void;
}

/** The answers to everything that a driver asks a new device. A shift is open, and the last document is 342. */
export const AT_REST: Script = {
  FC: "FC000000010EFC00D8D2D0C8D52DCBC0C9D22D3032D4",
  // captured from a desktop device (shtrih-protocol 14.3)
  F7: "F7005AA04007206C00000C18010C100000000000001E0000000006FF00404 0B603 1213",
  // tables: 17 is the regional one, 18 the drive's
  "1F1E000000110100 11": "1F0004",
  "1F1E000000110100 07": "1F0000",
  "1F1E000000010100 0E": "1F0000",
  "1F1E0000001201": "1F00",
  "1F1E000000120100 01": `1F00${asciiHex("00000000000000017")}`,
  "1F1E000000120100 02": `1F00${asciiHex("5752203694       ")}`,
  // shtrih-protocol 14.1
  "1F1E000000120100 03": "1F00303030303030303030303034303631330000000000",
  "1F1E000000120100 04": `1F00${asciiHex("9999078900001234")}00`,
  "1F1E000000120100 05": "1F0001",
  "2D1E00000006": `2D00${"00".repeat(40)}060002`,
  "2D1E00000011": `2D00${"00".repeat(40)}01001F`,
  "2E": "2E33",
  // an old program answers an unknown command in short form (shtrih-protocol 4.2)
  FF0E: "FF37",
  FF03: "FF03001B061E1C01",
  // likewise
  FF63: "FF37",
  // shift open, 01.03.2017 13:47:21 (shtrih-protocol 14.3)
  "11": "11001E43314A860D0111013700B2020200004E4100000101100103110D2F15008F1000000900000000 0000AEA9DB560100",
  "10": "10001E9202020000A0DD01C0001D0800",
  FF01: "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
  FF40: "FF40000139000C00",
  FF39: "FF390003000200540100001A030E0A01",
  FF3F: "FF3F000200",
  "1A1E000000F1": "1A001E40E201000000",
  // the report that opened shift 57 lies twelve receipts back
  FF0A: "FF0A0002001A030E08004A01000034 12CDAB3900",
};

function asciiHex(text: string): string {
  return Buffer.from(text, "latin1").toString("hex");
}

export function scripted(clock: Clock, script: Script): Scripted {
  const asked: string[] = [];
  const notes: string[] = [];
  const lines = new Map<string, string[]>();
  const say = (more: Script) => {
    for (const [begin, answers] of Object.entries(more)) lines.set(plain(begin), [answers].flat().map(plain));
  };
  say(script);
  const answerTo = (data: string): string => {
    const begin = [...lines.keys()].filter((known) => data.startsWith(known)).sort((a, b) => b.length - a.length)[0];
    const answers = lines.get(begin ?? "") ?? [];
    const [next = ""] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (begin === undefined) throw new Error(`the script has no answer to ${data}`);
    return next;
  };
  const port = new MemoryPort({ clock }, (far) => void serve(far, clock, asked, answerTo));
  const register = new ShtrihRegister(
    new Connection({
      link: port.link(),
      clock,
      passwords: { operator: 1, system: 30 },
      acknowledgeMs: 3_000,
      note: (level, text) => notes.push(`${level}: ${text}`),
    }),
    "paper",
  );
  return { register, asked, notes, say };
}

/** The device's side of protocol 1.0, written without the server's code. Here each frame comes in one piece. */
async function serve(far: Link, clock: Clock, asked: string[], answerTo: (data: string) => string): Promise<void> {
  let late: { answer: Buffer; atMs: number } | undefined;
  for (;;) {
    const received = await far.read(deadlineIn(clock, 3_600_000));
    if (received.kind === "lost") return;
    if (received.kind === "silence") continue;
    const { bytes } = received;
    if (bytes[0] === ENQ && late !== undefined) {
      if (clock.monotonicMs() < late.atMs) continue;
      await far.write(Buffer.concat([Uint8Array.of(ACK), framed(late.answer)]), deadlineIn(clock, 1_000));
      late = undefined;
    } else if (bytes[0] === ENQ) await far.write(Uint8Array.of(NAK), deadlineIn(clock, 1_000));
    if (bytes[0] !== STX) continue;
    const data = bytes.subarray(2, -1).toString("hex").toUpperCase();
    asked.push(data);
    await far.write(Uint8Array.of(ACK), deadlineIn(clock, 1_000));
    const said = answerTo(data);
    if (said.startsWith(LATE)) {
      late = { answer: Buffer.from(said.slice(LATE.length), "hex"), atMs: clock.monotonicMs() + LATE_MS };
      continue;
    }
    const answer = Buffer.from(said, "hex");
    // When the script has no answer, none is sent.
    if (answer.length > 0) await far.write(framed(answer), deadlineIn(clock, 1_000));
  }
}

function framed(data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.of(data.length), data]);
  return Buffer.concat([Buffer.of(STX), body, Buffer.of(body.reduce((check, byte) => check ^ byte, 0))]);
}

function plain(hex: string): string {
  return hex.replaceAll(" ", "").toUpperCase();
}
