import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, cloidOf, orderAction, type Actor } from '../support/actors.ts';
import { eventually, type Json } from '../support/client.ts';
import { Deployer, shareTrader, type OutcomeMarket } from '../support/deployer.ts';
import { exact, show, sum, times } from '../support/exact.ts';
import {
  actionStatus,
  bet,
  openBets,
  operate,
  outcomeState,
  OUTCOMES,
  placed,
  fundsOf,
} from '../support/outcomes.ts';
import { succeeded } from '../support/perps.ts';
import { sampledCases } from '../support/sampled-cases.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { seededRandom } from '../support/seeded.ts';
import type { Signed } from '../support/wallet.ts';

/**
 * Kills a venue while orders are in its delay queue or while a market is being resolved. After the
 * restart, each acknowledged order executes or fails exactly once, and money and shares are
 * conserved. `CRASH_SEED=7 npx vitest run tests/crash/outcome-queue.test.ts` repeats it.
 */

const SEED = freshSeed('CRASH_SEED');
const ROUNDS = process.env['TEST_LONG'] === undefined ? 1 : 3;
const DEPOSIT = exact(1000);
const DELAY_MS = 400;
const random = seededRandom(SEED);

const world = aVenue(OUTCOMES);
const deployer = new Deployer(world);

type Sent = { readonly actor: Actor; readonly signed: Signed; isAcknowledged: boolean };

let maker: Actor;
const takers: Actor[] = [];
let market: OutcomeMarket;
/** The number of shares bought by each actor's requests. */
const bought = new Map<Actor, number>();

beforeAll(async () => {
  // Without fees, the sums are exact. The maker's bid is larger than all taker orders together.
  market = await deployer.list({ orderDelayMs: DELAY_MS });
  maker = await shareTrader(world, 'maker');
  for (const name of ['alice', 'bob', 'carol']) takers.push(await shareTrader(world, name));
  await placed(maker, market, 'buy Yes 1600 at 0.60');
});

/** Sends taker orders until the venue is down. */
async function sendOrders(sent: Sent[]): Promise<void> {
  await Promise.all(
    takers.map(async (actor) => {
      for (;;) {
        const cloid = cloidOf(`queue ${sent.length} ${random.next()}`);
        const signed = await actor.sign(orderAction(bet(market, 'buy No 5 at 0.40', { cloid })));
        const record: Sent = { actor, signed, isAcknowledged: false };
        sent.push(record);
        try {
          const { json } = await world.client.exchange(signed);
          if (json === undefined) return;
          expect(json).toEqual({ status: 'ok', traceId: signed.traceId });
          record.isAcknowledged = true;
        } catch {
          return;
        }
        await pause(10 + random.below(40));
      }
    }),
  );
}

/** Returns an action's receipt once none of its orders is pending. */
const settled = ({ signed }: Sent): Promise<Json> =>
  eventually(async () => {
    const receipt = await actionStatus(world, signed);
    expect(['executed', 'failed', 'unknown']).toContain(receipt.status);
    return receipt;
  });

const sharesOf = async (actor: Actor): Promise<string> => {
  const { assetPositions } = await outcomeState(actor);
  const record = assetPositions.find(({ position }: Json) => position.asset === market.coin);
  return record?.position.szi ?? '0';
};

/** R-conservation, R-reserve: checks the sums through the API once the queue is empty. */
async function expectSumsRight(): Promise<void> {
  const people = [maker, ...takers];
  const states = await Promise.all(people.map(outcomeState));
  const [context] = await world.client.data({
    type: 'outcomeAssetCtxs',
    instrumentIds: [market.id],
  });
  const held = sum(states.map((state) => exact(state.marginSummary.totalRawUsd)));
  const locked = exact(context.openInterest);
  expect(show(held + locked)).toBe(show(DEPOSIT * BigInt(people.length)));
  for (const [index, actor] of people.entries()) {
    const { marginSummary, withdrawable } = states[index];
    const reserved = exact(marginSummary.totalRawUsd) - exact(withdrawable);
    const rows = await openBets(actor);
    const owed = sum(rows.map((row) => times(exact(row.limitPx), exact(row.sz))));
    expect(show(reserved), actor.name).toBe(show(owed));
  }
}

describe(`a venue killed with −9 executes or fails each delayed order once, CRASH_SEED=${SEED}`, () => {
  test.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'round %i: each acknowledged order executes once',
    async () => {
      const sent: Sent[] = [];
      const running = sendOrders(sent);
      const enough = 3 + random.below(12);
      const acknowledged = () => sent.filter((one) => one.isAcknowledged);
      await eventually(() => expect(acknowledged().length).toBeGreaterThanOrEqual(enough));
      await pause(random.below(DELAY_MS));
      const latest = acknowledged().slice(-3);
      await world.venue.kill();
      await running;
      await world.venue.startAgain();

      for (const one of sent) {
        const found = await settled(one);
        if (one.isAcknowledged) expect(found.status).toBe('executed');
        // A request that has no receipt is sent again and must now execute.
        if (found.status === 'unknown') succeeded(await world.client.executed(one.signed));
        const { result } = await settled(one);
        expect(result.orders).toMatchObject([{ state: 'filled', filledSz: '5', avgPx: '0.4' }]);
        bought.set(one.actor, (bought.get(one.actor) ?? 0) + 5);
      }
      // When sent again, an acknowledged request gets the first response and buys no shares.
      for (const { signed } of latest) {
        const { json } = await world.client.exchange(signed);
        expect(json).toEqual({ status: 'ok', traceId: signed.traceId });
      }
      for (const taker of takers) expect(await sharesOf(taker)).toBe(`-${bought.get(taker)}`);
      await expectSumsRight();
    },
  );

  test('orders that fail on release fail once, even across a restart', async () => {
    const slow = await deployer.list({ orderDelayMs: 2_500 });
    const [alice, bob] = [takers[0]!, await shareTrader(world, 'dave')];
    await placed(alice, slow, 'buy Yes 10 at 0.20');
    const signed = await bob.sign(orderAction(bet(slow, 'buy No 10 at 0.80')));
    expect((await world.client.exchange(signed)).json.traceId).toBe(signed.traceId);
    await deployer.set(slow, 'halt');
    expect((await actionStatus(world, signed)).status).toBe('queued');
    expect(await fundsOf(bob, slow)).toBe('992 + 8 reserved');
    await world.venue.kill();
    await world.venue.startAgain();
    const receipt = await settled({ actor: bob, signed, isAcknowledged: true });
    expect(receipt).toMatchObject({
      status: 'failed',
      error: { message: `Trading is halted for OUTCOME-${slow.id}` },
      result: { orders: [{ oid: null, state: 'rejected' }] },
    });
    expect(await fundsOf(bob, slow)).toBe('1000');
    await deployer.set(slow, 'open');
    expect(await openBets(bob)).toEqual([]);
  });
});

describe(`a venue killed with −9 around a resolution pays each share once, CRASH_SEED=${SEED}`, () => {
  test.each(sampledCases([0, 2, 4, 8], 1, random))(
    'each holder is paid once if the venue is killed %i ms after the resolution is sent',
    async (moment) => {
      const quick = await deployer.list();
      const [yes, no] = [await shareTrader(world, 'yes'), await shareTrader(world, 'no')];
      await placed(yes, quick, 'buy Yes 100 at 0.60');
      await placed(no, quick, 'buy No 100 at 0.40');
      succeeded(await operate(no, 'split', [quick, '50']));
      await deployer.set(quick, 'close');
      const resolve = { instrumentId: quick.id, settlementFraction: '0.2' };
      const signed = await deployer.actor.sign({ type: 'outcomeDeploy', resolve });
      const answer = world.client.exchange(signed).catch(() => undefined);
      await pause(moment);
      await world.venue.kill();
      const isAcknowledged = (await answer)?.json?.status === 'ok';
      await world.venue.startAgain();
      const receipt = await settled({ actor: deployer.actor, signed, isAcknowledged });
      if (isAcknowledged) expect(receipt.status).toBe('executed');
      // The same bytes have the same result, whether or not the venue had received them.
      succeeded(await world.client.executed(signed));
      succeeded(await world.client.executed(signed));
      expect([await fundsOf(yes, quick), await fundsOf(no, quick)]).toEqual(['960', '1040']);
      const type = 'userNonFundingLedgerUpdates';
      const rows: Json[] = await world.client.data({ type, user: no.address });
      const paid = rows.filter(({ delta }) => delta.type === 'outcomeSettlement');
      expect(paid.map(({ delta }) => [delta.outcome, delta.amount]).toSorted()).toEqual([
        ['No', '120'],
        ['Yes', '10'],
      ]);
    },
  );
});

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
