import { isIP } from 'node:net';

/** Which browser pages may use a port. */
export type Visitors =
  | 'any'
  | {
      /** Pages that may send requests with an `Origin` header. */
      readonly pages: PageOrigins | 'none';
      /**
       * Host names of this machine, in addition to addresses, localhost and names without a dot. `any` is for ports that
       * serve POST alone: browsers send `Origin` with every POST, also after DNS rebinding.
       */
      readonly names: ReadonlySet<string> | 'any';
    };

/**
 * Whether a request comes from a page of another site. Browsers name the page in `Origin`, except in a GET to the page's
 * own host. A page can point its own host name to this machine (DNS rebinding), and then only `Host` shows the foreign name.
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

/** A name without a dot cannot be registered in the public DNS. */
function isOwnName(host: string, names: ReadonlySet<string>): boolean {
  const url = `http://${host}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (!hostname.includes('.') || names.has(hostname)) return true;
  return isIP(hostname) !== 0;
}

/** Pages that may speak to a port from a browser: the venue's own, by whichever name it was opened. */
export type PageOrigins = {
  /** Ports that the page is served on, by this machine. */
  readonly ports: Set<number>;
  /** Where a proxy stands in between: `https://venue.example`. */
  readonly origins: ReadonlySet<string>;
};

/** What stands between a page and a wallet in the same browser, which the person there has put in. */
const EXTENSIONS = new Set(['chrome-extension:', 'moz-extension:', 'safari-web-extension:']);

/**
 * Whether a browser may ask for a page: the page of the venue on the same machine as the port, known by number or
 * as localhost, since any other name can be made to mean this machine by who owns it.
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
