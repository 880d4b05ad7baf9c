import { describe, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { DEPLOYER } from '../support/deployer.ts';
import { definition, succeeded, Operator } from '../support/perps.ts';
import { OUTCOMES } from '../support/outcomes.ts';
import {
  address,
  decimal,
  expectShape,
  flag,
  integer,
  listOf,
  nullable,
  record,
  text,
  time,
} from '../support/shape.ts';

const world = aVenue(OUTCOMES);
const operator = new Operator(world);

const status = () => world.client.data({ type: 'venueStatus' });

describe("venueStatus reports the venue's state", () => {
  const gate = record({
    channel: integer,
    mode: text,
    whitelist: integer,
    blacklist: integer,
    accessCodes: integer,
    grants: integer,
  });
  const oracle = record({ coin: text, trading: flag, ageMs: nullable(integer), stale: flag });

  test('venueStatus has exactly the documented fields', async () => {
    expectShape(
      await status(),
      record({
        height: integer,
        time,
        admins: listOf(address),
        deployers: listOf(address),
        gates: listOf(gate),
        oracles: listOf(oracle),
        insuranceFund: decimal,
        insuranceTarget: decimal,
        treasury: decimal,
        accounts: integer,
        queuedOrders: integer,
        openWithdrawals: integer,
        withdrawalsWait: flag,
      }),
    );
  });

  test('venueStatus names the operators, including any that were added', async () => {
    const { admins, deployers } = await status();
    expect(admins).toContain(operator.actor.address);
    expect(deployers).toEqual([DEPLOYER]);
    const other = world.unfunded('another deployer').address;
    succeeded(await operator.send({ setOperators: { role: 'deployers', add: [other] } }));
    expect((await status()).deployers).toEqual([DEPLOYER, other]);
  });

  test("R-gate: venueStatus has a gate's mode and list lengths, and gateLists has the lists", async () => {
    const user = world.unfunded('listed').address;
    const accessCodes = { add: [{ code: 'SECRET-1', maxUses: 3 }] };
    succeeded(
      await operator.send({
        setGate: { channel: 1, mode: 'whitelist', whitelist: { add: [user] }, accessCodes },
      }),
    );
    const current = await status();
    expect(current.gates).toEqual([
      { channel: 0, mode: 'open', whitelist: 0, blacklist: 0, accessCodes: 0, grants: 0 },
      { channel: 1, mode: 'whitelist', whitelist: 1, blacklist: 0, accessCodes: 1, grants: 0 },
    ]);
    expect(JSON.stringify(current)).not.toContain(user);
    expect(JSON.stringify(current)).not.toContain('SECRET');
    const lists = () => world.client.data({ type: 'gateLists', channel: 1 });
    const unchanged = { channel: 1, blacklist: [], whitelist: [user] };
    expect(await lists()).toEqual({
      ...unchanged,
      accessCodes: [{ accessCode: 'SE****', maxUses: 3, uses: 0 }],
      grants: [],
    });
    const grants = { add: [{ user, code: 'SECRET-1' }] };
    succeeded(await operator.send({ setGate: { channel: 1, grants } }));
    expect(await lists()).toEqual({
      ...unchanged,
      accessCodes: [{ accessCode: 'SE****', maxUses: 3, uses: 1 }],
      grants: [{ user, accessCode: 'SE****', grantedTime: expect.any(Number) }],
    });
    expect(await world.client.data({ type: 'gateLists' })).toEqual({
      channel: 0,
      whitelist: [],
      blacklist: [],
      accessCodes: [],
      grants: [],
    });
  });

  test('R-oracle-stale: a perp is stale until its first price, and a halted perp does not trade', async () => {
    const registerPerp = definition();
    const { instrumentId } = succeeded(await operator.send({ registerPerp })).created;
    const oracle = async () =>
      (await status()).oracles.find(({ coin }: Json) => coin === registerPerp['name']);
    expect(await oracle()).toMatchObject({ trading: true, ageMs: null, stale: true });
    succeeded(await operator.push([{ instrumentId, oraclePx: '100', externalPerpPx: null }]));
    expect(await oracle()).toMatchObject({
      trading: true,
      ageMs: expect.any(Number),
      stale: false,
    });
    succeeded(await operator.send({ setPerp: { instrumentId, haltTrading: true } }));
    expect(await oracle()).toMatchObject({ trading: false });
  });

  test('R-delist: a perp stops trading at its closing hour', async () => {
    const registerPerp = definition();
    const { instrumentId } = succeeded(await operator.send({ registerPerp })).created;
    succeeded(await operator.push([{ instrumentId, oraclePx: '100', externalPerpPx: null }]));
    succeeded(await operator.send({ setPerp: { instrumentId, delisted: true } }));
    const { universe } = await world.client.data({ type: 'perpMeta' });
    const perp = universe.find(({ index }: Json) => index === instrumentId);
    expect(perp).toMatchObject({ delisted: true, haltTrading: false });
    expect(perp.closingTime).toBeGreaterThan(Date.now());
    const { oracles } = await status();
    const oracle = oracles.find(({ coin }: Json) => coin === registerPerp['name']);
    expect(oracle).toMatchObject({ trading: false, stale: false });
  });

  test("venueStatus reports the process's progress, listeners and problems", async () => {
    const count = record({ ws: integer, apiWs: integer, wsRtds: integer });
    const health = () => world.client.data({ type: 'venueHealth' });
    expectShape(
      await health(),
      record({
        time,
        height: integer,
        blockAgeMs: integer,
        ready: flag,
        failing: listOf(text),
        waitingCommands: integer,
        historyLag: integer,
        connections: count,
        streams: integer,
        settlement: nullable(text),
      }),
    );
    const before = await health();
    const socket = await world.socket();
    await socket.subscribe({ type: 'explorerBlock' });
    const { connections, height, settlement, streams } = await health();
    expect(connections.ws).toBe(before.connections.ws + 1);
    expect(streams).toBeGreaterThan(before.streams);
    expect(height).toBeGreaterThanOrEqual(before.height);
    expect(settlement).toBeNull();
  });

  test('venueStatus reports the number of accounts', async () => {
    const { accounts } = await status();
    await world.trader('somebody new');
    expect((await status()).accounts).toBeGreaterThan(accounts);
  });
});
