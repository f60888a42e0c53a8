/**
 * The test files of five seconds and more, and what else the long run has of a minute and more, longest first. Begun last, which a
 * machine that has not seen them before does, they leave one core idle.
 */
export const LONGEST: readonly string[] = [
  "simulation/simulation.test.ts",
  "end-to-end/demo-register.test.ts",
  "simulation/processes.test.ts",
  "contract/event-loop.test.ts",
  "conformance/register-cut-line.test.ts",
  "end-to-end/demo-kill.test.ts",
  "contract/doctor.test.ts",
  "independent/server-shift.test.ts",
  "end-to-end/sandbox.test.ts",
  "end-to-end/demo-folders.test.ts",
  "end-to-end/demo-qr.test.ts",
  "contract/conformance.test.ts",
  "independent/server-cut.test.ts",
  "independent/emulator-faults.test.ts",
  "end-to-end/correct.test.ts",
  "conformance/accounts-notifications.test.ts",
  "conformance/register-over-serial.test.ts",
  "end-to-end/demo.test.ts",
  "contract/conformance-qr.test.ts",
  "unit/receipts/drawing.test.ts",
  "conformance/lanes-return.test.ts",
  "conformance/lanes-return-process.test.ts",
  "end-to-end/sandbox-sale.test.ts",
  "contract/emulate.test.ts",
  "contract/http-flood.test.ts",
  "end-to-end/platform-shop.test.ts",
  "unit/tools/conformance/run.test.ts",
  "end-to-end/flood.test.ts",
];
