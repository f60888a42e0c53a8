import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setRoute } from "../http/access-log.ts";
import { answerBytes } from "../http/answer.ts";
import type { Handler } from "../http/route.ts";

/** A file that pages load from this server. Its name contains a hash of its content. */
interface Asset {
  /** For example `/settings/assets/page-3f2a….js`. */
  address: string;
  /** The address without the address of the pages: `/assets/page-3f2a….js`. */
  path: string;
  contentType: string;
  bytes: Buffer;
}

export interface Assets {
  style: Asset;
  htmx: Asset;
  typed: Asset;
  page: Asset;
}

const SCRIPT = "text/javascript; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
/** Changed content gets a new name, so a browser need not ask for a file again. */
const CACHE_FOREVER = "public, max-age=31536000, immutable";
const HASH_LENGTH = 16;

/** Reads the files into memory. Throws when a file cannot be read. `base`: the address of the pages, such as `/settings`. */
export function readAssets(base: string): Assets {
  const asset = (name: string, end: string, contentType: string, files: readonly (string | URL)[]): Asset => {
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, HASH_LENGTH);
    const path = `/assets/${name}-${hash}.${end}`;
    return { address: `${base}${path}`, path, contentType, bytes };
  };
  const htmx = createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js");
  return {
    style: asset(
      "style",
      "css",
      STYLE,
      STYLE_PARTS.map((part) => own(`style/${part}.css`)),
    ),
    htmx: asset("htmx", "js", SCRIPT, [htmx]),
    typed: asset("typed", "js", SCRIPT, [own("typed.js")]),
    page: asset("page", "js", SCRIPT, [own("page.js")]),
  };
}

const STYLE_PARTS = ["ground", "content", "forms", "console"] as const;

function own(path: string): URL {
  return new URL(`assets/${path}`, import.meta.url);
}

/** Makes the handler that sends a file. Browsers may cache the file for a year. */
export function answerAsset({ path, contentType, bytes }: Asset): Handler {
  return (_request, response) => {
    setRoute(response, `GET ${path}`);
    response.setHeader("Cache-Control", CACHE_FOREVER);
    answerBytes(response, 200, contentType, bytes);
  };
}
