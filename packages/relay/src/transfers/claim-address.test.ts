import { createLogger } from '@oddlot/host/log';
import { NETWORKS } from '@oddlot/protocol';
import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { FLOAT, KEYS, USERS } from '@oddlot/testing/relay/relay-rig';
import { claimAddress, VenueAccount } from './venue-account.ts';
import { venueBy } from '@oddlot/testing/relay/venue-by';

/** What a venue hears of a relay that starts. */
async function heard(owner: Hex | null, knows = true): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  const api = venueBy(async (path, body) => {
    if (path === '/info') return { success: true, data: { owner } };
    said.push((JSON.parse(body) as { action: object }).action);
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
      said.push(addresses);
    },
  });
  return said;
}

test('R-agents: the relay names its own address, and ends a binding that is older', async () => {
  expect(await heard(null)).toEqual([[FLOAT]]);
  const agentAddress = `0x${'0'.repeat(40)}`;
  expect(await heard(USERS[0]!)).toMatchObject([[FLOAT], { type: 'approveAgent', agentAddress }]);
});

test('a relay that the venue does not know starts all the same', async () => {
  expect(await heard(USERS[0]!, false)).toEqual([]);
});
