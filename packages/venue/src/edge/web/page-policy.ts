/**
 * What a browser lets the page do: run its own files and talk to its own venue, and to nobody else but the
 * settlement chain where there is one. Styles that libraries put in at run time need the visitor's nonce.
 */
export function pagePolicy(nonce: string, elsewhere: readonly string[]): string {
  const connect = ["'self'", ...elsewhere].join(' ');
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

/** The origins among some addresses; what is none is left out. */
export function originsOf(urls: readonly (string | undefined)[]): string[] {
  const origins = urls.flatMap((url) =>
    url !== undefined && URL.canParse(url) ? [new URL(url).origin] : [],
  );
  return [...new Set(origins)].filter((origin) => origin !== 'null');
}
