import { instantOf, parseWallTime } from "../../../../kernel/moment.ts";
import type { FiscalOperation } from "../../../sandbox/caller/fiscal-operation.ts";
import { CannotRun, type CheckResult, held, inTurn, notApplicable } from "../../exchanges/check-result.ts";
import { broken } from "../../exchanges/judged.ts";
import { objectOf, type Sent, statusOf } from "../../exchanges/sent.ts";
import type { DayDocument } from "../../play/day.ts";
import { notDeclared } from "../../play/declared.ts";
import type { Scene } from "../../play/scene.ts";
import type { Group, Rule } from "../rule.ts";
import { expectFields, fieldsOf, readReceipt } from "./answer-fields.ts";
import { bytesOf } from "./answers.ts";
import { problemOfPdf } from "./pdf.ts";

const OPERATIONS: readonly FiscalOperation[] = [
  "openshift",
  "retaildemand",
  "retaisalesreturn",
  "retaildrawercashin",
  "retaildrawercashout",
  "closeshift",
];
const CASH: readonly FiscalOperation[] = ["retaildrawercashin", "retaildrawercashout"];
const RECEIPTS: readonly FiscalOperation[] = ["retaildemand", "retaisalesreturn"];
const NO_SHIFTS = notApplicable("the descriptor does not declare openShift and closeShift, so the server's own shifts are not seen");
const MAX_ANSWER_BYTES = 300 * 1024;
/**
 * The largest accepted difference between an answered time and the opening of the shift. A clock may be a few minutes wrong, but a wrong
 * zone makes a difference of at least an hour.
 */
const CLOCK_TOLERANCE_MS = 30 * 60_000;

/** The answers to the registered operations of a whole shift (platform-contracts 4.6). */
export const answersGroup: Group = {
  id: "fiscal/answer",
  needs: ["fiscal/signature/accepted"],
  rules: [
    ...OPERATIONS.map(fieldsRule),
    {
      id: "fiscal/answer/register-number",
      title: "the register's number has 16 digits",
      source: "decided",
      clause: "fiscal-receipts 3.3, tag 1037",
      expected: "kktRegNumber of 16 digits in every answer, leading zeros included",
      mend: "Answer the registration number as a string, as it stands in the register; do not pass it through a number.",
      check: (scene) =>
        overDay(scene, ({ sent }) =>
          /^\d{16}$/.test(String(objectOf(sent)?.kktRegNumber)) ? held : broken(sent, "kktRegNumber has not 16 digits"),
        ),
    },
    {
      id: "fiscal/answer/content-type",
      title: "answers are declared as JSON",
      source: "seed",
      clause: "seed, Endpoints; platform-contracts 7, Content type",
      expected: "Content-Type: application/json on every 200",
      mend: "Set the header on the answers of all six operations.",
      check: (scene) =>
        overDay(scene, ({ sent }) => {
          const { exchange } = sent;
          return exchange.kind === "answer" && /^application\/json\b/i.test(exchange.contentType)
            ? held
            : broken(sent, "the Content-Type is another");
        }),
    },
    {
      id: "fiscal/answer/receipt",
      title: "every answer brings the receipt",
      source: "seed",
      clause: "seed, Fiscalization 6 and Fiscal response fields; platform-contracts 4.6",
      expected:
        "receipt: standard Base64, on one line, of a zip archive that holds a PDF; also for cash in and out and for the shift's reports",
      mend: "Pack the PDF into a zip and encode the zip: the till refuses a bare PDF. Leave receipt out only where drawing it failed.",
      check: (scene) =>
        overDay(scene, ({ sent }) => {
          const receipt = readReceipt(sent);
          return receipt.kind === "pdf" ? held : broken(sent, receipt.problem);
        }),
    },
    {
      id: "fiscal/answer/receipt-entry",
      title: "the archive has one entry, receipt.pdf",
      source: "decided",
      clause: "interface 5; platform-contracts 4.6",
      expected: "receipt is the Base64 of a zip with one entry, which has the name receipt.pdf",
      mend: "Name the entry so, and put nothing else into the archive.",
      needs: ["fiscal/answer/receipt"],
      check: (scene) =>
        overDay(scene, ({ sent }) => {
          const receipt = readReceipt(sent);
          const names = receipt.kind === "pdf" ? receipt.names : [];
          return names.length === 1 && names[0] === "receipt.pdf" ? held : broken(sent, `the entries are ${names.join(", ")}`);
        }),
    },
    {
      id: "fiscal/answer/receipt-pdf",
      title: "the receipt is a file that a reader can open",
      source: "seed",
      clause: "seed, Fiscalization 6; platform-contracts 4.6",
      expected:
        "a whole PDF: %PDF- and a version first, %%EOF last, startxref before it that points at the cross-references, and at least one page",
      mend: "Pack the bytes as the PDF library wrote them, once its stream has ended; never by way of a string in another encoding.",
      needs: ["fiscal/answer/receipt"],
      check: (scene) =>
        overDay(scene, ({ sent }) => {
          const receipt = readReceipt(sent);
          const problem = receipt.kind === "pdf" ? problemOfPdf(receipt.pdf) : receipt.problem;
          return problem === undefined ? held : broken(sent, `the PDF cannot be opened: ${problem}`);
        }),
    },
    {
      id: "fiscal/answer/size",
      title: "an answer is below 300 KiB",
      source: "decided",
      clause: "platform-contracts 4.6",
      expected: "the whole answer, receipt included, below 300 KiB: the cashier waits for it over a shop's line",
      mend: "Embed a subset of the font, draw QR codes as vectors, and deflate the archive's entry.",
      check: (scene) =>
        overDay(scene, ({ sent }) => {
          const { length } = bytesOf(sent);
          return length < MAX_ANSWER_BYTES ? held : broken(sent, `the answer has ${length} bytes`);
        }),
    },
    {
      id: "fiscal/answer/time",
      title: "time is the moment of the document, on the shop's clock",
      source: "decided",
      clause: "platform-contracts 4.5, Times; seed, Fiscal response fields",
      expected: "time within half an hour of now, in Moscow time unless the point of sale is set to another zone",
      mend: "Answer the register's own time as it shows it; do not shift it to UTC.",
      check: async (scene) => {
        const { openedMs } = await scene.day();
        return overDay(scene, ({ sent }) => {
          const wall = parseWallTime(String(objectOf(sent)?.time ?? ""));
          const apartMs = wall === undefined ? Number.NaN : Math.abs(instantOf(wall, "Europe/Moscow") - openedMs);
          return apartMs <= CLOCK_TOLERANCE_MS
            ? held
            : broken(sent, `time is ${JSON.stringify(objectOf(sent)?.time)}, far from now in Moscow`);
        });
      },
    },
    {
      id: "fiscal/answer/cash-numbers",
      title: "cash in and out are no fiscal documents",
      source: "decided",
      clause: "interface 5; fiscal-receipts 0.1, 5",
      expected: 'fiscalDocNumber "0" and fiscalDocSign "0" for cash in and cash out: the drive registers neither',
      mend: 'Do not send them to the drive, and answer "0" for both.',
      check: (scene) =>
        overDay(scene, ({ operation, sent }) => {
          if (!CASH.includes(operation)) return held;
          const { fiscalDocNumber, fiscalDocSign } = objectOf(sent) ?? {};
          return fiscalDocNumber === "0" && fiscalDocSign === "0" ? held : broken(sent, "the number or the sign is not 0");
        }),
    },
    {
      id: "fiscal/answer/numbers",
      title: "the documents of a shift follow one another",
      source: "decided",
      clause: "fiscal-receipts 1.3, tag 1040; platform-contracts 4.6",
      expected:
        "fiscalDocNumber grows by exactly one from document to document (cash in and out apart): each operation registers one document",
      mend: "Answer the number that the drive gave to this document, and register once for each operation. Nobody else may use the register during the run.",
      check: async (scene) => {
        const fiscal = (await scene.day()).documents.filter(({ operation, sent }) => !CASH.includes(operation) && statusOf(sent) === 200);
        const numbers = fiscal.map(({ sent }) => Number(objectOf(sent)?.fiscalDocNumber));
        const odd = fiscal.find((_, index) => index > 0 && numbers[index] !== (numbers[index - 1] ?? 0) + 1);
        return odd === undefined ? held : broken(odd.sent, `the numbers in their order are ${numbers.join(", ")}`);
      },
    },
    {
      id: "fiscal/answer/one-drive",
      title: "a shift stays on one register and one drive",
      source: "decided",
      clause: "seed, Fiscal response fields",
      expected: "the same fnNumber and kktRegNumber in every answer of a shift of one point of sale",
      mend: "Bind a point of sale to one register, and answer its own numbers also for cash in and out.",
      check: async (scene) => {
        const [first] = (await scene.day()).documents;
        const of = (sent: Sent | undefined) => (sent === undefined ? "" : `${objectOf(sent)?.fnNumber} ${objectOf(sent)?.kktRegNumber}`);
        return overDay(scene, ({ sent }) =>
          of(sent) === of(first?.sent) ? held : broken(sent, `the shift was opened on ${of(first?.sent)}`),
        );
      },
    },
    {
      id: "fiscal/answer/shift-number",
      title: "a shift is closed under the number it was opened with",
      source: "seed",
      clause: "seed, Fiscal response fields",
      expected: "the same shiftNumber in the answers to openshift and closeshift",
      mend: "Answer the register's shift number in both.",
      needs: ["fiscal/answer/closeshift"],
      check: async (scene) => {
        const day = await scene.day();
        const [opened, closed] = [day.of("openshift"), day.of("closeshift")];
        if (opened === undefined || closed === undefined) return NO_SHIFTS;
        const number = objectOf(opened)?.shiftNumber;
        return objectOf(closed)?.shiftNumber === number ? held : broken(closed, `the shift was opened as ${JSON.stringify(number)}`);
      },
    },
    {
      id: "fiscal/answer/totals",
      title: "the totals of a shift count its documents",
      source: "seed",
      clause: "seed, Fiscal response fields; fiscal-receipts 1.6",
      expected:
        "after two sales, one return, cash in and cash out: chequesTotal 3 (receipts, returns included) and fiscalDocsTotal 5 (with both shift reports)",
      mend: "Take both from the close report (tags 1118 and 1111); cash in and out count in neither.",
      needs: ["fiscal/answer/closeshift"],
      check: async (scene) => {
        const day = await scene.day();
        const closed = day.of("closeshift");
        if (closed === undefined) return NO_SHIFTS;
        const receipts = day.documents.filter(({ operation, sent }) => RECEIPTS.includes(operation) && statusOf(sent) === 200).length;
        const { chequesTotal, fiscalDocsTotal } = objectOf(closed) ?? {};
        return chequesTotal === receipts && fiscalDocsTotal === receipts + 2 ? held : broken(closed, `${receipts} receipts were made`);
      },
    },
  ],
};

function fieldsRule(operation: FiscalOperation): Rule {
  const { texts, counts } = fieldsOf(operation);
  return {
    id: `fiscal/answer/${operation}`,
    title: `${operation} is answered with the fields of the contract`,
    source: "seed",
    clause: "seed, Fiscal response fields; platform-contracts 4.6",
    expected: `200 with ${Object.keys(texts).join(", ")} as strings${counts.length === 0 ? "" : `, ${counts.join(" and ")} as whole numbers`}: fnNumber of 16 digits, kktRegNumber of digits, time as YYYY-MM-DD HH:MM:SS`,
    mend: "Answer what the register's own facts say. Numbers of documents and drives are strings: their leading zeros count.",
    check: async (scene) => {
      const never = notDeclared(scene.target, operation);
      if (never !== undefined) return never;
      const day = await scene.day();
      return inTurn(
        day.documents.filter((document) => document.operation === operation),
        ({ operation: name }) => name,
        async ({ sent }) => expectFields(operation, sent),
      );
    },
  };
}

/** Checks only documents that were answered with 200. Other rules report the other documents. */
async function overDay(scene: Scene, check: (document: DayDocument) => CheckResult): Promise<CheckResult> {
  const done = (await scene.day()).documents.filter(({ sent }) => statusOf(sent) === 200);
  if (done.length === 0) throw new CannotRun("no document of the day was answered with 200; mend fiscal/answer/openshift first");
  return inTurn(
    done,
    ({ operation }) => operation,
    async (document) => check(document),
  );
}
