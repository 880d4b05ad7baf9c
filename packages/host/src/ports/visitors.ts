import { isIP } from 'node:net';
import { isOwnPage, type PageOrigins } from './page-origins.ts';

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
