import type { CommandLoader } from "./run.ts";

/** All commands. Each opens what it needs when it runs. */
export const COMMANDS: readonly CommandLoader[] = [
  { name: "demo", watchesSignal: true, load: async () => (await import("./demo.ts")).demoCommand },
  { name: "emulate", watchesSignal: true, load: async () => (await import("./emulate.ts")).emulateCommand },
  { name: "sandbox", watchesSignal: true, load: async () => (await import("./sandbox.ts")).sandboxCommand },
  { name: "bank", watchesSignal: true, load: async () => (await import("./bank.ts")).bankCommand },
  { name: "agent", watchesSignal: true, load: async () => (await import("./agent.ts")).agentCommand },
  {
    name: "doctor",
    load: async () => {
      const { examinationPlace, examinePayments } = await import("./open.ts");
      return (await import("./doctor.ts")).doctorCommand({ environment: examinationPlace, payments: examinePayments });
    },
  },
  {
    name: "agents",
    watchesSignal: true,
    load: async () => (await import("./agents/command.ts")).agentsCommand((await import("./agents/open.ts")).openAgents),
  },
  {
    name: "settings",
    load: async () => (await import("./settings.ts")).settingsCommand((await import("./open.ts")).openSettings),
  },
  {
    name: "journal",
    load: async () => (await import("./journal.ts")).journalCommand({ open: (await import("./open.ts")).openJournal }),
  },
  {
    name: "payments",
    load: async () => (await import("./payments.ts")).paymentsCommand((await import("./open.ts")).openPayments),
  },
  {
    name: "loyalty",
    load: async () => (await import("./loyalty.ts")).loyaltyCommand((await import("./open.ts")).openLoyalty),
  },
  {
    name: "cluster",
    load: async () => (await import("./cluster.ts")).clusterCommand((await import("./open.ts")).openCluster),
  },
  { name: "console", load: async () => (await import("./console.ts")).consoleCommand() },
  { name: "receipt", load: async () => (await import("./receipt.ts")).receiptCommand },
  {
    name: "descriptor",
    load: async () => (await import("./descriptor.ts")).descriptorCommand((await import("./open.ts")).descriptorOptions),
  },
  { name: "conformance", watchesSignal: true, load: async () => (await import("./conformance.ts")).conformanceCommand },
  {
    name: "migrate",
    load: async () => (await import("./migrate.ts")).migrateCommand({ storePlace: (await import("./open.ts")).storePlace }),
  },
];
