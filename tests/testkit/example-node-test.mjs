import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startVenue } from '@oddlot/testkit';

test('funding is paid by the hour', async () => {
  await using venue = await startVenue();
  const [alice] = venue.accounts;
  await venue.fillBook('BTC-USDC');
  const order = { a: 1, b: true, p: '98000', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } };
  await alice.client.exchange.order({ orders: [order] }, { confirm: 'executed' });
  await venue.advance('24h');
  const { data } = await alice.client.info.userFundings({ user: alice.address });
  assert.equal(data.length, 24);
});
