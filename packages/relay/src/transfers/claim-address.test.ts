import { createLogger } from '@oddlot/host/log';
import { NETWORKS } from '@oddlot/protocol';
import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { FLOAT, KEYS, USERS } from '@oddlot/testing/relay/relay-rig';
import { claimAddress, VenueAccount } from './venue-account.ts';
import { venueBy } from '@oddlot/testing/relay/venue-by';

/** Returns the requests that a relay sends to the venue while starting. */
async function requestsOf(owner: Hex | null, knows = true): Promise<readonly unknown[]> {
  const requests: unknown[] = [];
  const api = venueBy(async (path, body) => {
    if (path === '/info') return { success: true, data: { owner } };
    requests.push((JSON.parse(body) as { action: object }).action);
    return { status: 'ok', data: { data: { statuses: ['success'] } } };
  });
  const now = (): number => 1_800_000_000_000;
  const account = new VenueAccount({ key: KEYS.key('float'), api, network: NETWORKS.testnet, now });
  await claimAddress({
    account,
    api,
    log: createLogger({ level: 'silent' }),
    registerPegs: async (addresses) => {
      if (!knows) throw new Error('not permitted');
      requests.push(addresses);
    },
  });
  return requests;
}

test('R-agents: a relay that starts registers its address and ends an older binding of its key', async () => {
  expect(await requestsOf(null)).toEqual([[FLOAT]]);
  const agentAddress = `0x${'0'.repeat(40)}`;
  expect(await requestsOf(USERS[0]!)).toMatchObject([
    [FLOAT],
    { type: 'approveAgent', agentAddress },
  ]);
});

test('a relay that is not registered with the venue still starts', async () => {
  expect(await requestsOf(USERS[0]!, false)).toEqual([]);
});
