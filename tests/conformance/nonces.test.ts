import { describe, expect, test } from 'vitest';
import { aSharedVenue, cancelAction, order, orderAction, type Actor } from '../support/actors.ts';
import type { Reply } from '../support/client.ts';
import { nextNonce, signApproveAgent } from '../support/wallet.ts';

const world = aSharedVenue();

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const NONCES_RETAINED = 100;

/** An action that changes nothing, for testing nonces. */
const harmless = (label = 1) => cancelAction({ a: world.btc.id, o: label });

async function send(actor: Actor, nonce: number, label = 1): Promise<Reply> {
  return world.client.executed(await actor.sign(harmless(label), { nonce }));
}

function expectTaken(reply: Reply): void {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', confirm: 'executed' });
}

function expectRefused(reply: Reply, message: string): void {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({ status: 'err', code: 10004, name: 'BAD_NONCE', message });
}

describe('R-nonce: each nonce is valid once, within a time window', () => {
  test('a nonce is valid for one action only', async () => {
    const alice = await world.trader('alice');
    const nonce = nextNonce();
    expectTaken(await send(alice, nonce, 1));
    expectRefused(await send(alice, nonce, 2), 'Nonce already used');
  });

  test("a signer's agent-signed and direct actions share one set of nonces", async () => {
    const alice = await world.trader('alice');
    const nonce = nextNonce();
    expectTaken(await send(alice, nonce));
    const agentAddress = world.unfunded('agent').address;
    const reply = await world.client.executed(
      await signApproveAgent(alice.key, { agentAddress, nonce }),
    );
    expectRefused(reply, 'Nonce already used');
  });

  test('an owner and its agent have separate nonces', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const agent = world.unfunded('agent');
    await alice.approveAgent(agent.address);
    const nonce = nextNonce();
    for (const actor of [alice, bob, agent]) expectTaken(await send(actor, nonce));
  });

  test('nonces may arrive out of order', async () => {
    const alice = await world.trader('alice');
    const nonce = nextNonce();
    for (const step of [10, 5, 7, 1, 12]) expectTaken(await send(alice, nonce + step));
  });

  test('a rejected action does not use up its nonce', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const nonce = nextNonce();
    const price = btc.at(-2000);
    const tooSmall = order({ market: btc, side: 'buy', price, size: btc.lots(1) });
    const enough = order({ market: btc, side: 'buy', price, size: btc.worth(20) });
    const refused = await world.client.exchange(await alice.sign(orderAction(tooSmall), { nonce }));
    expect(refused.json).toMatchObject({ status: 'err', code: 10000 });
    const reply = await world.client.executed(await alice.sign(orderAction(enough), { nonce }));
    expectTaken(reply);
    expect(await alice.openOrders()).toHaveLength(1);
  });

  test('a nonce that is more than two days old is rejected', async () => {
    const alice = await world.trader('alice');
    const reply = await send(alice, Date.now() - 2 * DAY_MS - MINUTE_MS);
    expectRefused(reply, 'Nonce too old');
    expect(reply.json.details.allowed).toMatchObject({
      min: expect.anything(),
      max: expect.anything(),
    });
    expectRefused(await send(alice, 0), 'Nonce too old');
    expectRefused(await send(alice, Math.floor(Date.now() / 1000)), 'Nonce too old');
  });

  test('a nonce before the first log entry is rejected', async () => {
    const alice = await world.trader('alice');
    const reply = await send(alice, Date.now() - 2 * DAY_MS + MINUTE_MS);
    const { min } = reply.json.details.allowed;
    expectRefused(reply, `Nonce is from before this venue began: must be above ${min - 1}`);
    const [first] = await world.client.data({ type: 'blocks', limit: 1, before: 2 });
    expect(first).toMatchObject({ height: 1, blockTime: min - 1 });
    expectTaken(await send(alice, min));
  });

  test('a nonce more than one day ahead is rejected', async () => {
    const alice = await world.trader('alice');
    expectTaken(await send(alice, Date.now() + DAY_MS - MINUTE_MS));
    const reply = await send(alice, Date.now() + DAY_MS + MINUTE_MS);
    expectRefused(reply, 'Nonce too far in the future');
    expect(reply.json.details.allowed).toMatchObject({
      min: expect.anything(),
      max: expect.anything(),
    });
    expectRefused(await send(alice, Number.MAX_SAFE_INTEGER), 'Nonce too far in the future');
  });

  test('the nonce window is checked before the signer is looked up', async () => {
    const mallory = world.unfunded('mallory');
    expectRefused(await send(mallory, Date.now() - 3 * DAY_MS), 'Nonce too old');
  });

  test('a nonce below the 100 stored ones is rejected, and the minimum is given', async () => {
    const alice = await world.trader('alice');
    const first = nextNonce() + 1000;
    const signed = await Promise.all(
      Array.from({ length: NONCES_RETAINED }, (_, index) =>
        alice.sign(harmless(), { nonce: first + index }),
      ),
    );
    expectTaken(await send(alice, first - 5));
    const replies = await Promise.all(signed.map((action) => world.client.executed(action)));
    for (const reply of replies) expectTaken(reply);
    // Of the 101 used nonces, the lowest (first − 5) was dropped, so `first` is now the smallest
    // one stored.
    const lower = await send(alice, first - 1);
    expectRefused(lower, `Nonce too low: must be above ${first}`);
    expect(lower.json.details).toHaveProperty('allowed');
    expectRefused(await send(alice, first - 5, 2), `Nonce too low: must be above ${first}`);
    expectRefused(await send(alice, first + 50, 2), 'Nonce already used');
    expectTaken(await send(alice, first + NONCES_RETAINED));
  });

  test('exactly one of several concurrent actions with the same nonce is executed', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const nonce = nextNonce();
    const rivals = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        alice.sign(
          orderAction(
            order({
              market: btc,
              side: 'buy',
              price: btc.ticks(btc.at(-2000), -index),
              size: btc.worth(20),
            }),
          ),
          { nonce },
        ),
      ),
    );
    const replies = await Promise.all(rivals.map((rival) => world.client.executed(rival)));
    const won = replies.filter((reply) => reply.json.data?.data?.statuses?.[0] === 'success');
    expect(won).toHaveLength(1);
    for (const reply of replies.filter((other) => !won.includes(other))) {
      const status = reply.json.data?.data?.statuses?.[0];
      expect(status?.error ?? reply.json.message, reply.text).toBe('Nonce already used');
    }
    expect(await alice.openOrders()).toHaveLength(1);
  });
});
