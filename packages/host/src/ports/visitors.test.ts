import { describe, expect, test } from 'vitest';
import { isForeign, type Visitors } from './visitors.ts';

const NONE: Visitors = { pages: 'none', names: new Set(['venue.example']) };
const OWN: Visitors = {
  pages: { ports: new Set([8690]), origins: new Set(['https://venue.example']) },
  names: 'any',
};

describe('for requests without Origin, the Host header decides', () => {
  test.each([
    '127.0.0.1:8692',
    '10.0.0.10:8692',
    '[::1]:8692',
    '[fe80::1]',
    'localhost',
    'LOCALHOST:8692',
    'oddlot:8692',
    'venue.example:8692',
    'Venue.Example',
    undefined,
  ])('a request with the Host %s is accepted', (host) => {
    expect(isForeign({ host }, NONE)).toBe(false);
  });

  test.each([
    'evil.example',
    'evil.example:8692',
    'venue.example.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example.',
    '',
    'not a name',
  ])('a request with the Host "%s" is foreign', (host) => {
    expect(isForeign({ host }, NONE)).toBe(true);
  });

  test('a port that serves only POST accepts any Host', () => {
    expect(isForeign({ host: 'chain.example' }, OWN)).toBe(false);
  });
});

describe('the Origin header decides which pages are accepted', () => {
  test('a request with any Origin is foreign on a port without pages', () => {
    for (const origin of [
      'null',
      'https://evil.example',
      'http://127.0.0.1:8690',
      'https://venue.example',
      'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
    ]) {
      expect([origin, isForeign({ host: '127.0.0.1:8692', origin }, NONE)]).toEqual([origin, true]);
    }
  });

  test("the Origin of the venue's pages is accepted, and every other Origin is foreign", () => {
    const host = '127.0.0.1:8693';
    expect(isForeign({ host, origin: 'http://localhost:8690' }, OWN)).toBe(false);
    expect(isForeign({ host, origin: 'https://venue.example' }, OWN)).toBe(false);
    expect(isForeign({ host, origin: 'http://localhost:8000' }, OWN)).toBe(true);
    expect(isForeign({ host: 'evil.example', origin: 'http://evil.example:8690' }, OWN)).toBe(true);
  });
});

test('a public port accepts the Origin of every page', () => {
  expect(isForeign({ host: 'evil.example', origin: 'https://evil.example' }, 'any')).toBe(false);
});
