import { expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { definition, succeeded, Operator, OPERATED } from '../support/perps.ts';

/**
 * The venue changes its simulated prices every 20 ms. A perp listed by the operator is not
 * affected.
 */

const world = aVenue([...OPERATED, '--oracle', 'simulated', '--oracle-every-ms', '20']);
const operator = new Operator(world);

test('a perp listed by the operator keeps the price pushed to it', async () => {
  const registerPerp = definition({ szDecimals: 0, priceTick: '0.00001', bookTicks: ['0.00001'] });
  const { instrumentId } = succeeded(await operator.send({ registerPerp })).created;
  const oracle = async (): Promise<Json> => {
    const { oracles } = await world.client.data({ type: 'venueStatus' });
    return oracles.find(({ coin }: Json) => coin === registerPerp['name']);
  };
  await passed(400);
  expect(await oracle()).toMatchObject({ ageMs: null, stale: true });
  const socket = await world.socket();
  await socket.subscribe({ type: 'activeAssetCtx', coin: String(instrumentId) });
  for (const oraclePx of ['0.012', '0.6', '0.012']) {
    succeeded(await operator.push([{ instrumentId, oraclePx, externalPerpPx: null }]));
    await passed(400);
    expect(socket.of('activeAssetCtx').at(-1).data.ctx.oraclePx).toBe(oraclePx);
  }
});

/** Waits until this much of the venue's time has passed. */
async function passed(ms: number): Promise<void> {
  const { blockTime } = await world.client.data({ type: 'stateHash' });
  await eventually(async () => {
    const now = await world.client.data({ type: 'stateHash' });
    expect(now.blockTime).toBeGreaterThan(blockTime + ms);
  });
}
