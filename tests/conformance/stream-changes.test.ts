import { describe, expect, test } from 'vitest';
import { aSharedVenue } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYER } from '../support/deployer.ts';
import { onChannel } from '../support/frames.ts';
import { tokenSend } from '../support/keys.ts';
import { succeeded, OPERATED, Operator, trade } from '../support/perps.ts';
import type { Socket } from '../support/socket.ts';

/** State channels send every change to their content, except changes caused only by the mark. */

const world = aSharedVenue([...OPERATED, '--deployers', DEPLOYER]);
const operator = new Operator(world);

describe('clearinghouseState sends changes caused by other actions', () => {
  const watch = async (user: string): Promise<Socket> => {
    const socket = await world.socket();
    await socket.subscribe({ type: 'clearinghouseState', user });
    await socket.next(onChannel('clearinghouseState'));
    return socket;
  };
  const next = async (socket: Socket, from: number): Promise<Json> =>
    (await socket.next(onChannel('clearinghouseState'), from)).data.clearinghouseState;

  test("clearinghouseState sends a perp's new margin table to an account with a position", async () => {
    const perp = await operator.list();
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    await trade(alice, bob, { market: perp, price: '100', size: '10' });
    const socket = await watch(alice.address);
    const outsider = await watch(world.unfunded('nobody').address);
    const { mark } = socket;
    const tiers = [{ tier: 1, minSize: '0', maxSize: '15', maxLeverage: 10, mmr: '0.05' }];
    await operator.set(perp, { marginTable: { tiers } });
    const sent = await next(socket, mark);
    expect(sent).toMatchObject({ crossMaintenanceMarginUsed: '50' });
    expect(sent.assetPositions[0].position.maxLeverage).toBe(10);
    const { time: _time, ...asked } = await alice.state();
    expect(sent).toMatchObject(asked);
    expect(outsider.of('clearinghouseState')).toHaveLength(1);
  });

  test('clearinghouseState sends the value of vault shares when they are granted, gain value, or are removed', async () => {
    const [holder, vault] = [await world.trader('holder'), world.unfunded('vault')];
    const leader = world.unfunded('leader').address;
    const socket = await watch(holder.address);
    const register = async (shares: Json[]): Promise<void> => {
      const terms = { vault: vault.address, leader, name: 'A vault', shares };
      succeeded(await operator.send({ registerVault: terms }));
    };
    await world.client.post('/request-fund', { user: vault.address });
    await register([{ user: holder.address, shares: '1' }]);
    expect(await next(socket, 2)).toMatchObject({ vaultEquity: '1000' });
    // The vault receives money. For the holder, only this value changes.
    const bob = await world.trader('bob');
    let { mark } = socket;
    succeeded(await tokenSend(bob, { to: vault.address, amount: '10' }));
    expect(await next(socket, mark)).toMatchObject({ vaultEquity: '1010' });
    mark = socket.mark;
    await register([{ user: bob.address, shares: '1' }]);
    expect(await next(socket, mark)).toMatchObject({ vaultEquity: '0' });
  });
});

describe('tickers sends the rows for all markets', () => {
  const rowsOf = (socket: Socket, id: number): Json[] =>
    socket
      .of('tickers')
      .flatMap((frame) => frame.data.tickers)
      .filter((row) => row.instrumentId === id);
  const watch = async (params: object = {}): Promise<Socket> => {
    const socket = await world.socket('/api-ws');
    await socket.subscribe({ type: 'tickers', ...params });
    await socket.next(onChannel('tickers'));
    return socket;
  };

  test('tickers sends one final row for a resolved market', async () => {
    const deployer = new Deployer(world);
    const market = await deployer.list();
    const [all, named] = [await watch(), await watch({ instrumentIds: [market.id] })];
    expect(rowsOf(all, market.id)).toMatchObject([{ markPx: '0.5' }]);
    await deployer.resolve(market, '1');
    for (const socket of [all, named]) {
      await eventually(() => expect(rowsOf(socket, market.id).at(-1).gone).toBe(true));
    }
    expect(rowsOf(all, market.id).at(-1)).toMatchObject({
      markPx: '1',
      time: expect.any(Number),
    });
    expect(rowsOf(all, market.id).filter((row) => row.gone)).toHaveLength(1);
    expect(rowsOf(await watch(), market.id)).toEqual([]);
    const later = await watch({ instrumentIds: [market.id] });
    expect(rowsOf(later, market.id)).toMatchObject([{ gone: true, markPx: '1' }]);
  });
});
