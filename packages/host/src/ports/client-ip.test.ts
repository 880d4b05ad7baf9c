import { expect, test } from 'vitest';
import { clientIpFinder, clientKey, isLoopback, normalIp } from './client-ip.ts';

test('the X-Forwarded-For header is ignored without configured proxies', () => {
  const find = clientIpFinder([]);
  expect(find('::ffff:10.1.2.3', '6.6.6.6')).toBe('10.1.2.3');
  expect(find(undefined, undefined)).toBe('');
});

test.each([
  ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
  ['10.0.0.1', '9.9.9.9, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['10.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
  ['10.0.0.1', '[2001:DB8::1]:443', '2001:db8::1'],
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['fd00::5', '1.2.3.4', '1.2.3.4'],
  ['8.8.8.8', '1.2.3.4', '8.8.8.8'],
])('with the peer %s and the hops %s the client address is %s', (peer, hops, expected) => {
  expect(clientIpFinder(['10.0.0.0/24', 'fd00::/8'])(peer, hops)).toBe(expected);
});

test('every address has exactly one notation', () => {
  expect(normalIp('::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(normalIp('localhost')).toBeUndefined();
  expect(isLoopback('127.0.0.9')).toBe(true);
  expect(isLoopback('::1')).toBe(true);
  expect(isLoopback('10.0.0.1')).toBe(false);
  expect(() => clientIpFinder(['nonsense'])).toThrow(RangeError);
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('rate limits count the address %s as %s', (ip, expected) => {
  expect(clientKey(ip)).toBe(expected);
});
