import { expect, test } from 'vitest';
import { isTestnet } from '../market/queries.ts';

test("the chain id determines mainnet, regardless of the venue's name", () => {
  const venue = { service_network: 'example.org-3fa9c1d2' };
  expect(isTestnet({ ...venue, chain_id: 869 })).toBe(false);
  expect(isTestnet({ ...venue, chain_id: 2511 })).toBe(true);
  expect(isTestnet(undefined)).toBe(false);
});
