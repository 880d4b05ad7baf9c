import type { IncomingMessage } from 'node:http';

/** What proxies add to requests, one or the other. */
const HEADERS: readonly string[] = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** True when somebody says that the request passed through other hands. */
export function hasForwarding({ headers }: IncomingMessage): boolean {
  return HEADERS.some((name) => headers[name] !== undefined);
}
