import type { PlatformApi } from "./api/api.ts";
import { errorsIn, type PlatformError, PlatformFailure } from "./api/failure.ts";
import { arrayIn } from "./page.ts";

/** The platform would refuse more elements in one request: status 413, code 2007. */
const MAX_ELEMENTS = 1000;

/** The result of one element. Results have the order of the elements (json-api 7.4). */
export type MassResult<Done> =
  | { readonly kind: "done"; readonly value: Done }
  | { readonly kind: "refused"; readonly errors: readonly PlatformError[] };

interface MassRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly elements: readonly unknown[];
  readonly repeatable: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Writes many elements, each independently. With 200, 400 and 412 the good elements are stored and the bad elements refused. Throws when no
 * element's result is known, and `unsayable` for too many elements, of which none is sent.
 */
export async function mass<Done>(
  api: PlatformApi,
  { path, query = {}, elements, repeatable, ...bounds }: MassRequest,
): Promise<MassResult<Done>[]> {
  if (elements.length === 0) return [];
  if (elements.length > MAX_ELEMENTS)
    throw new PlatformFailure("unsayable", `${elements.length} elements: at most ${MAX_ELEMENTS} at once`);
  const { body } = await api.call({ method: "POST", path, query, body: elements, repeatable, alsoGood: [400, 412], ...bounds });
  const answered = arrayIn<unknown>(body, path);
  if (answered.length !== elements.length)
    throw new PlatformFailure("unavailable", `${path} answered ${answered.length} elements to ${elements.length}`);
  return answered.map((each): MassResult<Done> => {
    const errors = errorsIn(each);
    return errors === undefined ? { kind: "done", value: each as Done } : { kind: "refused", errors };
  });
}
