import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PageAnswer } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import {
  type Build,
  buildFiles,
  contentHash,
  type PageFile,
  type PageFiles,
  readPageFiles,
  type Screen,
} from './page-files.ts';

type WebPageOptions = {
  readonly log: Logger;
  /** Further origins that the page may connect to: those of the settlement chain. */
  readonly connectOrigins: readonly string[];
  /** Builds the files; by default, from the sources next to the venue. */
  readonly build?: () => Build;
};

const BUILDING = notice(
  'The page is being built',
  'It takes a few seconds. The API is already available.',
);
const FAILED = notice(
  'The page could not be built',
  'See the log of the venue. The API is available.',
);
/** The path prefixes of the page's screens. */
export const SCREENS: readonly string[] = [
  'account',
  'activity',
  'builder',
  'events',
  'explorer',
  'leaderboard',
  'operate',
  'portfolio',
  'series',
  'trade',
];
/** Matches names with an extension, hidden names, and encoded or unusual paths. */
const FILE = /(?:^|\/)\.|\.[a-z0-9]{1,12}$|%|\\|^\/assets(?:\/|$)/i;
const NONCE_BYTES = 16;
/** How often browsers reload until the page is built, in seconds. */
const RELOAD_SECONDS = 1;

/**
 * The trading page at `/`. It is built if its sources have changed, and then served from memory.
 */
export class WebPage {
  readonly #options: WebPageOptions;
  #build: Build | undefined;
  #files: PageFiles | undefined;
  #entryAt: (path: string) => Entry = () => ({ text: '', hash: '' });
  #hasFailed = false;

  constructor(options: WebPageOptions) {
    this.#options = options;
  }

  /** Builds the page in a separate process if necessary, while the venue already serves its API. */
  start(): void {
    if (this.#build !== undefined) return;
    const { build = () => buildFiles('page'), log } = this.#options;
    this.#build = build();
    this.#take(this.#build).catch((error: unknown) => {
      this.#hasFailed = true;
      log.warn({ err: error }, 'page could not be built; serving only the API');
    });
  }

  async #take({ done }: Build): Promise<void> {
    const files = await readPageFiles(await done);
    this.#entryAt = createEntries(files);
    this.#files = files;
    this.#options.log.info({ files: files.byPath.size }, 'page ready');
  }

  stop(): void {
    this.#build?.stop();
  }

  /** Returns the response for the page or one of its files, or undefined for other paths. */
  answer(request: IncomingMessage, path: string): PageAnswer | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const file = this.#files?.byPath.get(path);
    if (file !== undefined) return fileAnswer(request, file);
    if (!acceptsPage(request, path)) return undefined;
    if (this.#files !== undefined) return this.#entryAnswer(request, path);
    // If no port of the venue is open yet, this request may be the first to use the page.
    this.start();
    const headers = this.#pageHeaders(newNonce());
    if (!this.#hasFailed) headers['refresh'] = String(RELOAD_SECONDS);
    return { status: 503, headers, body: this.#hasFailed ? FAILED : BUILDING };
  }

  #entryAnswer(request: IncomingMessage, path: string): PageAnswer {
    const { hash, text } = this.#entryAt(path);
    const held = heldNonce(request, hash);
    const nonce = held ?? newNonce();
    const headers = { ...this.#pageHeaders(nonce), etag: entryTag(hash, nonce) };
    // For an unknown path, users see the page with an error, and programs see the status.
    const status = isScreen(path) ? 200 : 404;
    if (held !== undefined && status === 200) return unchanged(headers);
    const body = text.replace(
      'name="style-nonce" content=""',
      `name="style-nonce" content="${nonce}"`,
    );
    return { status, headers, body };
  }

  #pageHeaders(nonce: string): Record<string, string> {
    return {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': pagePolicy(nonce, this.#options.connectOrigins),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'accept',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    };
  }
}

/**
 * Returns true if the client accepts HTML. At the root path, nearly every client is assumed to
 * accept it.
 */
function acceptsPage({ headers: { accept = '*/*' } }: IncomingMessage, path: string): boolean {
  if (path === '/') return accept.includes('text/html') || accept.includes('*/*');
  return accept.includes('text/html') && (isScreen(path) || !FILE.test(path));
}

function isScreen(path: string): boolean {
  return path === '/' || SCREENS.includes(path.split('/', 2)[1] ?? '');
}

/** Returns a response with the file, in the best encoding the client accepts. */
export function fileAnswer(request: IncomingMessage, file: PageFile): PageAnswer {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const encoding =
    file.br !== undefined && acceptsEncoding(accepted, 'br')
      ? 'br'
      : file.gzip !== undefined && acceptsEncoding(accepted, 'gzip')
        ? 'gzip'
        : undefined;
  const body = encoding === undefined ? file.plain : (file[encoding] ?? file.plain);
  const tag = fileTag(file.hash, encoding);
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    etag: tag,
    // Files are small and are always sent in full, so range requests are ignored.
    'accept-ranges': 'none',
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  };
  return hasTag(request, tag) ? unchanged(headers) : { status: 200, headers, body };
}

/** Returns a 304 response, which has only the headers that caches store. */
function unchanged({
  'content-encoding': _encoding,
  'content-type': _type,
  ...cachedHeaders
}: Readonly<Record<string, string>>): PageAnswer {
  return { status: 304, headers: cachedHeaders, body: undefined };
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64');
}

/** Builds a page to show until the real one is built. */
function notice(title: string, text: string): string {
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="dark light">` +
    `<title>Oddlot</title><h1>${title}</h1><p>${text}</p></html>\n`
  );
}

/**
 * The entry page for a path. It lists the scripts of its screen, so that a browser requests all of
 * them at once.
 */
type Entry = { readonly text: string; readonly hash: string };

/** Returns a function that looks up the cached entry for a path. */
function createEntries({ entry, screens }: PageFiles): (path: string) => Entry {
  const plain = entryOf(entry, []);
  const made = screens.map((screen) => ({ screen, entry: entryOf(entry, screen.scripts) }));
  return (path) => made.find(({ screen }) => isAt(screen, path))?.entry ?? plain;
}

function entryOf(entry: string, scripts: readonly string[]): Entry {
  const links = scripts.map((path) => `<link rel="modulepreload" crossorigin href="${path}">\n`);
  const text = entry.replace('</head>', () => `${links.join('')}</head>`);
  return { text, hash: contentHash(text) };
}

function isAt({ path: pattern }: Screen, path: string): boolean {
  const [expected, parts] = [pattern.split('/'), path.replace(/(?<=.)\/$/, '').split('/')];
  if (expected.length !== parts.length) return false;
  return expected.every((part, at) => part.startsWith('$') || part === parts[at]);
}

/**
 * Matches a nonce. The text of the entry contains the visitor's nonce, so its entity tag does too;
 * and a file has one tag per encoding. Equal tags therefore mean equal bytes.
 */

const NONCE = /^[A-Za-z0-9+/]{22}==$/;

function fileTag(hash: string, encoding: string | undefined): string {
  return encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`;
}

function entryTag(hash: string, nonce: string): string {
  return `"${hash}.${nonce}"`;
}

/**
 * Returns true if the client's copy is current. `*` matches any copy, and proxies may have marked
 * the tag as weak.
 */
function hasTag(request: IncomingMessage, tag: string): boolean {
  return tagsOf(request).some((held) => held === tag || held === '*');
}

/** Returns the nonce of the client's copy of the entry, if the rest of that copy is current. */
function heldNonce(request: IncomingMessage, hash: string): string | undefined {
  const begin = `"${hash}.`;
  return tagsOf(request)
    .filter((held) => held.startsWith(begin) && held.endsWith('"'))
    .map((held) => held.slice(begin.length, -1))
    .find((nonce) => NONCE.test(nonce));
}

function tagsOf({ headers }: IncomingMessage): readonly string[] {
  const held = headers['if-none-match'] ?? '';
  return held.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
}

/**
 * Returns true if a client accepts an encoding, by name or through `*`, with a weight above zero.
 */
function acceptsEncoding(accepted: string, encoding: string): boolean {
  const offers = accepted.split(',').map((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return { name, isRefused: parameters.some((each) => NOTHING.test(each)) };
  });
  const offer =
    offers.find(({ name }) => name === encoding) ?? offers.find(({ name }) => name === '*');
  return offer !== undefined && !offer.isRefused;
}

const NOTHING = /^q\s*=\s*0(?:\.0*)?$/;

/**
 * Builds the content security policy. The page may run only its own files and connect only to its
 * venue and the settlement chain; styles that libraries insert at run time need the visitor's
 * nonce.
 */
export function pagePolicy(nonce: string, connectOrigins: readonly string[]): string {
  const connect = ["'self'", ...connectOrigins].join(' ');
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the origins of the URLs, omitting invalid ones. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  const origins = urls.flatMap((url) =>
    url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [],
  );
  return [...new Set(origins)].filter((origin) => origin !== 'null');
}
