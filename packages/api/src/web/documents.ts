import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageAnswer, ShownPage } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import {
  type Build,
  buildFiles,
  contentHash,
  type PageFile,
  readFiles,
  typeOf,
} from './page-files.ts';
import { fileAnswer } from './web-page.ts';

/** The folder that contains the API descriptions. */
const REFERENCE = new URL('../../../../docs/reference/', import.meta.url);
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json'] as const;

const NOT_FOUND = '/docs/404.html';
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};
/** How often browsers reload until the site is built, in seconds. */
const RELOAD_SECONDS = 1;

type Documents = ShownPage & { start(): void; stop(): void };

type Options = {
  readonly log: Logger;
  /** Builds the site; by default, from the sources next to the venue. */
  readonly build?: () => Build;
};

/** Loads the API descriptions. The documentation site is built later or on first use. */
export async function openDocuments(options: Options): Promise<Documents> {
  const descriptions = new Map<string, PageFile>();
  for (const name of DESCRIPTIONS) {
    const text = await readFile(new URL(name, REFERENCE), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    // The files in the repository are formatted for reading, so their whitespace is removed here.
    descriptions.set(`/${name}`, await jsonFile(JSON.stringify(JSON.parse(text))));
  }
  return new SiteDocuments(options, descriptions);
}

async function jsonFile(text: string): Promise<PageFile> {
  const plain = Buffer.from(text);
  const packed = await promisify(gzip)(plain);
  const hash = contentHash(text);
  return { type: typeOf('.json'), isHashed: false, hash, plain, br: undefined, gzip: packed };
}

/**
 * The documentation: the site at `/docs`, its index for language models (`/llms.txt`), and the API
 * descriptions (`/openapi.json` and `/asyncapi.json`).
 */
class SiteDocuments implements Documents {
  readonly #options: Options;
  readonly #descriptions: ReadonlyMap<string, PageFile>;
  #build: Build | undefined;
  #files: ReadonlyMap<string, PageFile> | undefined;
  #hasFailed = false;

  constructor(options: Options, descriptions: ReadonlyMap<string, PageFile>) {
    this.#options = options;
    this.#descriptions = descriptions;
  }

  /** Builds the site in a separate process if its sources have changed. */
  start(): void {
    if (this.#build !== undefined) return;
    const { build = () => buildFiles('site'), log } = this.#options;
    this.#build = build();
    this.#take(this.#build).catch((error: unknown) => {
      this.#hasFailed = true;
      log.warn({ err: error }, 'documentation could not be built');
    });
  }

  async #take({ done }: Build): Promise<void> {
    this.#files = await readFiles(await done);
    this.#options.log.info({ files: this.#files.size }, 'documentation ready');
  }

  stop(): void {
    this.#build?.stop();
  }

  /** Returns the response for a document, or undefined for other paths. */
  answer(request: IncomingMessage, path: string): PageAnswer | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const description = this.#descriptions.get(path);
    if (description !== undefined) return publicAnswer(request, description);
    if (!/^\/docs(?:\/|$)|^\/llms(?:-full)?\.txt$/.test(path)) return undefined;
    if (this.#files === undefined) return this.#notBuilt();
    const { accept = '*/*' } = request.headers;
    const wantsPage = accept.includes('text/html') || accept.includes('*/*');
    const place = path.replace(/(?<=.)\/$/, '');
    const [page, text] = [`${place}.html`, `${place}.md`].map((each) => this.#files?.get(each));
    const file = (wantsPage ? page : (text ?? page)) ?? this.#files.get(place);
    if (file !== undefined) return publicAnswer(request, file);
    const missing = accept.includes('text/html') ? this.#files.get(NOT_FOUND) : undefined;
    if (missing === undefined) return undefined;
    const { body, headers } = publicAnswer(request, missing);
    return { status: 404, headers, body };
  }

  #notBuilt(): PageAnswer {
    this.start();
    const text = this.#hasFailed
      ? 'The documentation could not be built. See the log of the venue.'
      : 'The documentation is being built. It takes a few seconds.';
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...PAGE_HEADERS,
      'access-control-allow-origin': '*',
      ...(this.#hasFailed
        ? {}
        : { refresh: String(RELOAD_SECONDS), 'retry-after': String(RELOAD_SECONDS) }),
    };
    return { status: 503, headers, body: `<!doctype html><title>Oddlot</title><p>${text}</p>\n` };
  }
}

/**
 * Pages of any origin can read the documents. Pages of the site also get its content security
 * policy.
 */
function publicAnswer(request: IncomingMessage, file: PageFile): PageAnswer {
  const answer = fileAnswer(request, file);
  const isPage = file.type.startsWith('text/html');
  const headers = {
    ...answer.headers,
    ...(isPage ? PAGE_HEADERS : {}),
    'access-control-allow-origin': '*',
    // The same address serves a page as HTML and as Markdown.
    vary: 'accept, accept-encoding',
  };
  return { ...answer, headers };
}
