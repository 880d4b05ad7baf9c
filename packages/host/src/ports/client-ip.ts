import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

/** Returns the client address used for limits: the peer, or the client behind a trusted proxy. */
export type ClientIp = (peer: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Returns a function that finds the client address. `trustedProxies` contains addresses and
 * networks in prefix notation.
 */
export function clientIpFinder(trustedProxies: readonly string[]): ClientIp {
  if (trustedProxies.length === 0) return (peer) => normalIp(peer ?? '') ?? '';
  const isTrusted = isTrustedProxy(trustedProxies);
  return (peer, forwardedFor) => {
    let client = normalIp(peer ?? '') ?? '';
    if (forwardedFor === undefined) return client;
    const hops = forwardedFor.split(',');
    // The hops are read from the nearest outwards, because each is reported by the trusted proxy
    // nearer to the venue.
    for (let index = hops.length - 1; index >= 0 && isIP(client) !== 0; index--) {
      if (!isTrusted(client)) break;
      const hop = normalIp((hops[index] as string).trim());
      if (hop === undefined) break;
      client = hop;
    }
    return client;
  };
}

/** Returns a function that distinguishes trusted proxies from other peers. */
export function isTrustedProxy(trustedProxies: readonly string[]): (ip: string) => boolean {
  const trusted = blockListOf(trustedProxies);
  return (ip) => isIP(ip) !== 0 && trusted.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}

export function isLoopback(ip: string): boolean {
  return ip === '::1' || ip.startsWith('127.');
}

const GROUPS_OF_NETWORK = 4;

/**
 * Returns the unit that limits apply to: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because every IPv6 user has 2^64 addresses.
 */
export function clientKey(ip: string): string {
  if (!ip.includes(':')) return ip;
  const [address = ''] = ip.split('%');
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 2 * GROUPS_OF_NETWORK) groups.push('0');
    groups.push(...after);
  }
  const network = groups.slice(0, GROUPS_OF_NETWORK).map((group) => Number.parseInt(group, 16));
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * Returns the address without port or brackets, with IPv4 addresses in IPv4 notation, or undefined
 * if it is invalid.
 */
export function normalIp(text: string): string | undefined {
  let ip = text;
  if (ip.startsWith('::ffff:') && ip.includes('.')) ip = ip.slice(7);
  if (isIP(ip) !== 0) return ip.includes(':') ? ip.toLowerCase() : ip;
  const bracketed = /^\[([^\]]+)\](?::[0-9]+)?$/.exec(ip)?.[1];
  if (bracketed !== undefined) return normalIp(bracketed);
  const withoutPort = /^([0-9.]+):[0-9]+$/.exec(ip)?.[1];
  return withoutPort === undefined ? undefined : normalIp(withoutPort);
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    const ip = normalIp(base);
    if (ip === undefined) throw new RangeError(`not an address or a network: ${network}`);
    const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(ip, family);
    else list.addSubnet(ip, Number.parseInt(prefix, 10), family);
  }
  return list;
}

const HEADERS: readonly string[] = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** Returns true if a header indicates that a proxy forwarded the request. */
export function hasForwarding({ headers }: IncomingMessage): boolean {
  return HEADERS.some((name) => headers[name] !== undefined);
}
