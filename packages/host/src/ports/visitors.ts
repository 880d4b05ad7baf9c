import { isIP } from 'node:net';

/** The browser pages that may use a port. */
export type Visitors =
  | 'any'
  | {
      /** The pages that may send requests with an `Origin` header. */
      readonly pages: PageOrigins | 'none';
      /**
       * The host names of this machine, in addition to addresses, localhost and names without a
       * dot. `any` is for ports that serve only POST, because browsers send `Origin` with every
       * POST, even after DNS rebinding.
       */
      readonly names: ReadonlySet<string> | 'any';
    };

/**
 * Returns true if a request comes from a page of another site. Browsers name the page in `Origin`,
 * except in a GET to the page's own host. A page can point its own host name to this machine (DNS
 * rebinding); the foreign name then appears only in `Host`.
 */
export function isForeign(
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  visitors: Visitors,
): boolean {
  if (visitors === 'any') return false;
  const { names, pages } = visitors;
  if (origin !== undefined) return pages === 'none' || !isOwnPage(origin, host, pages);
  return host !== undefined && names !== 'any' && !isOwnName(host, names);
}

/**
 * Returns true for the names of this machine. Names without a dot cannot be registered in the
 * public DNS.
 */
function isOwnName(host: string, names: ReadonlySet<string>): boolean {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (!hostname.includes('.') || names.has(hostname)) return true;
  return isIP(hostname) !== 0;
}

/** Pages that may access a port from a browser: those of the venue, under any of its names. */
export type PageOrigins = {
  /** The ports this machine serves the page on. */
  readonly ports: Set<number>;
  /** The origins of proxies that serve the page, such as `https://venue.example`. */
  readonly origins: ReadonlySet<string>;
};

/** The URL schemes of browser extensions, such as wallets, which the user has installed. */
const EXTENSIONS = new Set(['chrome-extension:', 'moz-extension:', 'safari-web-extension:']);

/**
 * Returns true for the venue's page on the same machine, opened by IP address or as localhost. Any
 * other name could be pointed to this machine by its owner.
 */
function isOwnPage(
  origin: string,
  host: string | undefined,
  { origins, ports }: PageOrigins,
): boolean {
  if (origins.has(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname, port, protocol } = new URL(origin);
  if (EXTENSIONS.has(protocol)) return true;
  if (protocol !== 'http:' || !ports.has(Number(port === '' ? 80 : port))) return false;
  const isFixed = hostname === 'localhost' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
  return isFixed && (isHere(hostname) || hostname === nameOf(host));
}

function isHere(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function nameOf(host: string | undefined): string | undefined {
  const url = `http://${host ?? ''}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
