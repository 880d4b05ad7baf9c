import { startVenue, type TestVenue } from '@oddlot/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let venue: TestVenue;
let fresh: Awaited<ReturnType<TestVenue['snapshot']>>;
beforeAll(async () => {
  venue = await startVenue();
  await venue.fillBook('BTC-USDC');
  fresh = await venue.snapshot();
});
beforeEach(() => venue.revert(fresh));
afterAll(() => venue.stop());

test('a long loses when the price falls', async () => {
  const { address: user, client } = await venue.account('alice', { perp: '10000' });
  const order = {
    a: 1,
    b: true,
    p: '98000',
    s: '0.5',
    r: false,
    t: { limit: { tif: 'Ioc' } },
  } as const;
  await client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  await venue.setPrice('BTC', '96000');
  const { assetPositions } = await client.info.clearinghouseState({ user });
  expect(Number(assetPositions[0]!.position.unrealizedPnl)).toBeLessThan(0);
});
