import { present } from "../kernel/present.ts";
import type { PlatformApi } from "./api/api.ts";
import { PlatformFailure } from "./api/failure.ts";
import type { Image } from "./entities/shapes.ts";
import { arrayIn, pageIn } from "./page.ts";
import type { Bounds, Writing } from "./query/query.ts";
import { hrefOf, idOf, type Target } from "./reference.ts";

/** A new picture: at most 10 MB. */
interface ImageInput {
  readonly filename: string;
  readonly content: Uint8Array;
}

/** Pictures of one object (json-api 15), at most ten. The platform merges pictures with the same name and content. */
export class Images {
  readonly #api: PlatformApi;
  readonly #path: string;

  constructor(api: PlatformApi, path: string) {
    this.#api = api;
    this.#path = path;
  }

  async list(bounds: Bounds = {}): Promise<readonly Image[]> {
    return pageIn<Image>((await this.#api.call({ method: "GET", path: this.#path, ...bounds })).body, this.#path).rows;
  }

  async add(image: ImageInput, writing: Writing = {}): Promise<readonly Image[]> {
    return this.#post(sent(image), writing);
  }

  /** Replaces the whole list: a picture that the new list does not name is removed. */
  async replace(images: readonly (ImageInput | { readonly meta: Image["meta"] })[], writing: Writing = {}): Promise<readonly Image[]> {
    return this.#post(
      images.map((each) => ("meta" in each ? { meta: each.meta } : sent(each))),
      writing,
    );
  }

  async delete(image: Target, writing: Writing = {}): Promise<void> {
    await this.#api.call({ method: "DELETE", path: `${this.#path}/${idOf(image)}`, ...writing });
  }

  async deleteMany(images: readonly { readonly meta: Image["meta"] }[], writing: Writing = {}): Promise<void> {
    const body = images.map(({ meta }) => ({ meta: { href: hrefOf(meta), type: meta.type, mediaType: meta.mediaType } }));
    await this.#api.call({ method: "POST", path: `${this.#path}/delete`, body, ...writing });
  }

  /** The content. Undefined while a thumbnail is not ready. The platform's redirection to the content is followed without authorization. */
  async download({ meta }: { readonly meta: { readonly downloadHref?: string | null } }, bounds: Bounds = {}): Promise<Buffer | undefined> {
    const href = meta.downloadHref ?? undefined;
    if (href === undefined) return undefined;
    return (await this.#api.call({ method: "GET", path: href, form: "bytes", ...bounds })).bytes;
  }

  /**
   * A link to the content for a browser without authorization. It is valid for a minute, or for `seconds`, at most a day. Undefined while a
   * thumbnail is not ready.
   */
  async link(
    { meta }: { readonly meta: { readonly downloadHref?: string | null } },
    options: Bounds & { readonly seconds?: number } = {},
  ): Promise<string | undefined> {
    const { seconds, ...bounds } = options;
    const path = meta.downloadHref ?? undefined;
    if (path === undefined) return undefined;
    const redirects = { kind: "answer", ...present({ linkSeconds: seconds }) } as const;
    const { headers } = await this.#api.call({ method: "GET", path, redirects, ...bounds });
    if (headers.location === undefined) throw new PlatformFailure("unavailable", `${hrefOf(path)} did not lead to a file`);
    return headers.location;
  }

  async #post(body: unknown, writing: Writing): Promise<readonly Image[]> {
    return arrayIn((await this.#api.call({ method: "POST", path: this.#path, body, ...writing })).body, this.#path);
  }
}

function sent({ filename, content }: ImageInput) {
  return { filename, content: Buffer.from(content).toString("base64") };
}
