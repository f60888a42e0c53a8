import type { previewProgramme } from "../../operator/loyalty/preview-programme.ts";
import type { programmeFile, replaceProgramme } from "../../operator/loyalty/set-programme.ts";

type Rest<Call extends (desk: never, ...rest: never[]) => unknown> = Call extends (desk: never, ...rest: infer Parameters) => infer Result
  ? (...rest: Parameters) => Result
  : never;

export interface ProgrammePart {
  current: Rest<typeof programmeFile>;
  preview: Rest<typeof previewProgramme>;
  replace: Rest<typeof replaceProgramme>;
}
