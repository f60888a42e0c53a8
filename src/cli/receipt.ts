import { writeFile } from "node:fs/promises";
import { Failure } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { makePrivate } from "../kernel/private-file.ts";
import { isPaper, type Paper } from "../model/paper.ts";
import { createReceiptPrinter } from "../receipts/draw.ts";
import { parseStoredReceipt, type StoredReceipt } from "../receipts/schema.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";
import { isSystemError, readInput } from "./input-file.ts";
import { atMost, given } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- receipt FILE.json -o OUT.pdf [--copy] [--paper 58|80|a4]

Draws the receipt of a finished operation again, from what was stored of it. The file is what
"journal show KEY --json" writes: {"document": …, "facts": …, "paper": "80"}.

  -o, --output OUT.pdf   where the PDF goes
  --copy                 marks it КОПИЯ
  --paper 58|80|a4       other paper than the one in the file (80 when it names none)
`;

export const receiptCommand: Command = {
  name: "receipt",
  summary: "draw a receipt again from stored facts",
  usage: USAGE,
  run: async (args, io) => draw(optionsOf(args), io),
};

interface Options {
  file: string;
  output: string;
  copy: boolean;
  paper?: Paper;
}

async function draw({ file, output, copy, paper }: Options, io: CommandIo): Promise<number> {
  const stored = await readStored(file);
  if (stored.kind === "wrong") {
    io.err(`${file}: ${stored.problem}`);
    return 1;
  }
  const { document, facts } = stored.receipt;
  try {
    const order = { document, facts, paper: paper ?? stored.receipt.paper ?? "80", copy };
    const { pdf } = await createReceiptPrinter().drawReceipt(order);
    makePrivate(output);
    await writeFile(output, pdf);
    io.out(`${output}: ${pdf.length} bytes`);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure) && !isSystemError(error)) throw error;
    io.err(error instanceof Failure ? `${file}: ${error.message}` : `${output}: ${error.message}`);
    return 1;
  }
}

async function readStored(file: string): Promise<{ kind: "stored"; receipt: StoredReceipt } | { kind: "wrong"; problem: string }> {
  try {
    return parseStoredReceipt(JSON.parse(await readInput(file)));
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "wrong", problem: `not JSON: ${error.message}` };
    if (error instanceof UsageError || isSystemError(error)) return { kind: "wrong", problem: error.message };
    throw error;
  }
}

function optionsOf(args: string[]): Options {
  const { values, positionals } = parsed(args);
  const [file] = positionals;
  atMost(positionals, 1, "one file with the stored facts");
  if (file === undefined) throw new UsageError("one file with the stored facts is needed");
  if (values.output === undefined) throw new UsageError("-o OUT.pdf is missing");
  if (values.paper !== undefined && !isPaper(values.paper)) throw new UsageError(`unknown paper ${values.paper}: 58, 80 or a4`);
  return {
    file,
    output: given("-o", values.output, "a file"),
    copy: values.copy,
    ...present({ paper: values.paper }),
  };
}

function parsed(args: string[]) {
  return readArguments({
    args,
    allowPositionals: true,
    options: { output: { type: "string", short: "o" }, copy: { type: "boolean", default: false }, paper: { type: "string" } },
  });
}
