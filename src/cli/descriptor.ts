import type { PlatformProfile } from "../kernel/platform-profile.ts";
import { descriptorXml } from "../platform/descriptor.ts";
import { readArguments } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";

const USAGE = `Usage: npm run cli -- descriptor

Prints the XML that is uploaded to the platform's catalogue: which contracts this server serves and at
which addresses. PUBLIC_URL and PLATFORM_PROFILE decide (see .env.example). The platform takes https
addresses only: any other is printed with a warning, and refused under the production profile.
`;

/** `configuration` reads the two values that the command needs. */
export function descriptorCommand(configuration: () => { publicUrl: string; profile: PlatformProfile }): Command {
  return {
    name: "descriptor",
    summary: "print the descriptor for the platform's catalogue",
    usage: USAGE,
    run: async (args, io) => {
      refuseArguments(args);
      return printDescriptor(configuration(), io);
    },
  };
}

function printDescriptor(options: { publicUrl: string; profile: PlatformProfile }, io: CommandIo): number {
  if (!/^https:/i.test(options.publicUrl)) {
    if (options.profile.name === "production") {
      io.err(`PUBLIC_URL is ${options.publicUrl}: the platform takes https addresses only`);
      return 1;
    }
    io.err(`warning: PUBLIC_URL is ${options.publicUrl}; the platform takes https addresses only`);
  }
  io.out(descriptorXml(options).trimEnd());
  return 0;
}

function refuseArguments(args: string[]): void {
  readArguments({ args, options: {}, strict: true });
}
