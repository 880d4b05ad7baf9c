import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aVenue, orderAction, type Actor } from '../support/actors.ts';
import { eventually, type Reply } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import { accountStatus, approveBuilder, builderState, send, tokenSend } from '../support/keys.ts';
import {
  bet,
  BetWatch,
  FEE,
  openBets,
  operate,
  OUTCOMES,
  placed,
  fundsOf,
  queued,
} from '../support/outcomes.ts';
import { act, succeeded, Operator } from '../support/perps.ts';

const world = aVenue(OUTCOMES);
const deployer = new Deployer(world);
const operator = new Operator(world);

let market: OutcomeMarket;
let alice: Actor;
let bob: Actor;

beforeEach(async () => {
  market = await deployer.list(FEE);
  [alice, bob] = [await shareTrader(world, 'alice'), await shareTrader(world, 'bob')];
});

describe('R-builder: outcome orders can pay a builder', () => {
  let builder: Actor;
  beforeEach(async () => {
    builder = await world.trader('builder');
    succeeded(await approveBuilder(bob, builder.address, '1%'));
  });

  const through = (f: number, words: string) => ({
    ...orderAction(bet(market, words)),
    builder: { b: builder.address, f },
  });
  const earned = async () => (await builderState(builder)).totalEarned;
  const warningsOf = ({ json }: Reply) => json.warnings;

  test("a taker at the cap of f = 1000 pays 1 % of the outcome's notional", async () => {
    await placed(alice, market, 'buy Yes 100 at 0.70');
    // Bob pays 30 for the shares, 0.07 × 100 × 0.21 to the exchange and 0.3 to the builder. His
    // order had reserved the cost at its limit price of 0.35.
    const reply = await act(bob, through(1_000, 'buy No 100 at 0.35'));
    succeeded(reply);
    expect(warningsOf(reply)).toBeUndefined();
    expect(await fundsOf(bob, market)).toBe('968.23, 100 No');
    expect(await earned()).toBe('0.3');
  });

  test("a maker's fee is reserved while the order rests and deducted from sale proceeds", async () => {
    succeeded(await operate(bob, 'split', [market, '100']));
    succeeded(await act(bob, through(1_000, 'buy Yes 100 at 0.40')));
    // The order reserves 40, 0.07 × 100 × 0.24 and 0.4.
    expect(await fundsOf(bob, market)).toBe('857.92 + 42.08 reserved, 100 Yes, 100 No');
    await placed(alice, market, 'buy No 100 at 0.60');
    expect(await fundsOf(bob, market)).toBe('859.6, 200 Yes, 100 No');
    expect(await earned()).toBe('0.4');
    succeeded(await act(bob, through(500, 'sell No 100 at 0.80')));
    await placed(alice, market, 'buy No 100 at 0.80');
    // The proceeds are 80 minus 0.5 %.
    expect(await fundsOf(bob, market)).toBe('939.2, 200 Yes');
    expect(await earned()).toBe('0.8');
  });

  test.each<[string, number, () => Promise<unknown>, string, number]>([
    ['above the cap', 1_001, async () => 0, 'overCap', 1_000],
    [
      'above the approval',
      101,
      () => approveBuilder(bob, builder.address, '0.1%'),
      'overApproval',
      100,
    ],
    [
      'without approval',
      10,
      () => send(bob, 'revokeBuilderFee', { builder: builder.address }),
      'notApproved',
      0,
    ],
    [
      'to a builder without 100 USDC',
      10,
      () => tokenSend(builder, { to: bob.address, amount: '900.01' }),
      'builderBalance',
      0,
    ],
  ])('%s, the fee is dropped and the order is executed', async (_, f, prepare, reason, allowed) => {
    await prepare();
    await placed(alice, market, 'buy Yes 100 at 0.70');
    const reply = await act(bob, through(f, 'buy No 100 at 0.30'));
    succeeded(reply);
    expect(warningsOf(reply)).toMatchObject([
      { code: 'BUILDER_FEE_DROPPED', details: { reason, f, allowed } },
    ]);
    expect(await fundsOf(bob, market)).toBe('968.53, 100 No');
    expect(await earned()).toBe('0');
  });

  test('an acknowledgement with a trace id includes the warning', async () => {
    const { json } = await world.client.exchange(
      await bob.sign(through(1_001, 'buy No 100 at 0.30')),
    );
    expect(json).toMatchObject({
      status: 'ok',
      traceId: expect.any(String),
      warnings: [{ code: 'BUILDER_FEE_DROPPED' }],
    });
  });

  test("if the approval is revoked before the fill, a resting order's fee is dropped", async () => {
    succeeded(await act(bob, through(1_000, 'buy Yes 100 at 0.40')));
    succeeded(await send(bob, 'revokeBuilderFee', { builder: builder.address }));
    await placed(alice, market, 'buy No 100 at 0.60');
    expect(await fundsOf(bob, market)).toBe('960, 100 Yes');
    expect(await earned()).toBe('0');
  });
});

describe("R-gate: channel 1's gate applies to outcome markets", () => {
  const gate = async (fields: object) =>
    succeeded(await operator.send({ setGate: { channel: 1, ...fields } }));
  const gated = (reply: Reply, response: string) =>
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10007,
      name: 'GATED',
      response,
    });

  afterEach(() => gate({ mode: 'open' }));

  test.each<[string, () => object, string]>([
    ['closed', () => ({ mode: 'closed' }), 'Exchange is not allowed'],
    ['a whitelist without him', () => ({ mode: 'whitelist' }), 'User not in whitelist'],
    ['an access code', () => ({ mode: 'accessCode' }), 'User not authorized for this channel'],
    ['a blacklist with him', () => ({ blacklist: { add: [bob.address] } }), 'User is blacklisted'],
  ])('%s stops increases of positions and allows every reduction', async (_, fields, reason) => {
    succeeded(await operate(bob, 'split', [market, '50']));
    const { oid } = await placed(bob, market, 'buy Yes 10 at 0.20');
    const offered = await placed(bob, market, 'sell No 10 at 0.90');
    await placed(alice, market, 'buy Yes 20 at 0.40');
    await gate(fields());
    expect(await accountStatus(world.client, bob.address, 1)).toMatchObject({
      eligible: false,
      reason,
    });
    expect((await accountStatus(world.client, bob.address, 0)).reason).not.toBe(reason);
    gated(await bob.place(bet(market, 'buy Yes 10 at 0.10')), reason);
    gated(await bob.place(bet(market, 'buy No 10 at 0.10')), reason);
    gated(await operate(bob, 'split', [market, '1']), reason);
    gated(await act(bob, { type: 'modify2', a: market.id, o: oid, p: '0.21', s: '10' }), reason);
    // With the gate closed, a sell against Alice's bid, a merge, cancels and a transfer are still
    // allowed.
    expect(await placed(bob, market, 'sell Yes 20 at 0.40')).toMatchObject({ state: 'filled' });
    succeeded(await operate(bob, 'merge', [market, '10']));
    const cancels = [oid, offered.oid].map((o) => ({ a: market.id, o }));
    succeeded(await bob.cancel(...cancels));
    const out = { to: bob.address, amount: '100', from: 'outcome', into: 'perp' };
    succeeded(await tokenSend(bob, out));
    await gate({ mode: 'open', blacklist: { remove: [bob.address] } });
    await placed(bob, market, 'buy Yes 10 at 0.10');
  });

  test('channel 0 has a separate gate', async () => {
    succeeded(await operator.send({ setGate: { channel: 0, mode: 'closed' } }));
    await placed(bob, market, 'buy Yes 10 at 0.10');
    succeeded(await operator.send({ setGate: { channel: 0, mode: 'open' } }));
  });

  test('the gate is checked again on release, where a buy fails and a sell does not', async () => {
    const slow = await deployer.list({ orderDelayMs: 1_000 });
    succeeded(await operate(bob, 'split', [slow, '20']));
    await placed(alice, slow, 'buy Yes 20 at 0.60');
    const watch = await BetWatch.of(world, bob);
    const signed = await queued(
      bob,
      bet(slow, 'buy No 10 at 0.40'),
      bet(slow, 'sell Yes 10 at 0.60'),
    );
    await gate({ mode: 'closed' });
    expect(await watch.failure(signed)).toMatchObject({
      i: 0,
      body: { code: 10007, message: 'Exchange is not allowed' },
    });
    await watch.update(signed, 'filled');
    expect(watch.failures).toHaveLength(1);
    expect(await fundsOf(bob, slow)).toBe('986, 10 Yes, 20 No');
    expect(await openBets(bob)).toEqual([]);
  });

  test('a market with a closed gate is shown as not accepting orders', async () => {
    const accepting = async () => {
      const { eventSlug } = market;
      const { trading } = await world.client.data({ type: 'outcomeMeta', eventSlug });
      return trading.accepting_orders;
    };
    expect(await accepting()).toBe(true);
    await gate({ mode: 'closed' });
    await eventually(async () => expect(await accepting()).toBe(false));
  });
});
