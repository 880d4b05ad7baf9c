import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, fund, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  builderState,
  buildersOf,
  deltasOf,
  direct,
  everythingOf,
  expectExactly,
  inner,
  outcomeMoney,
  send,
  signerSet,
  transfer,
  wrapped,
} from '../support/keys.ts';
import { act, succeeded, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';
import type { Signed } from '../support/wallet.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aVenue([...OPERATED, ...HOLDING]);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;
let company: Actor;
let member: Actor;

type Sent = { readonly name: string; readonly signed: Signed; readonly reply: Json };
/** The executed requests, one of each kind. `after` is the account data after all requests. */
const sent: Sent[] = [];
let after: Json;

const people = () => [alice, bob, company];

beforeAll(async () => {
  perp = await operator.list();
  [alice, bob] = [await world.resident('alice'), await world.resident('bob')];
  [company, member] = [await world.resident('company'), world.unfunded('member')];
  succeeded(await send(company, 'convertToMultiSigUser', { signers: signerSet([member], 1) }));
  await record('approveBuilderFee', () =>
    direct(alice, 'approveBuilderFee', { builder: bob.address, maxFeeRate: '0.1%' }),
  );
  const [sell, buy] = (['sell', 'buy'] as const).map((side) =>
    orderAction(order({ market: perp, side, price: '100', size: '2' })),
  );
  succeeded(await act(bob, sell!));
  await record('order', () => alice.sign({ ...buy, builder: { b: bob.address, f: 50 } }));
  await record('claimBuilderRewards', () => bob.sign({ type: 'claimBuilderRewards' }));
  await record('tokenSend', () =>
    direct(alice, 'tokenSend', transfer({ to: bob.address, amount: '7' })),
  );
  await record('withdraw3', () =>
    direct(alice, 'withdraw3', { destination: bob.address, amount: '9' }),
  );
  await record('revokeBuilderFee', () =>
    direct(alice, 'revokeBuilderFee', { builder: bob.address }),
  );
  const outcome = transfer({ to: company.address, amount: '11', into: 'outcome' });
  const wrap = { account: company, sender: member, signers: [member] };
  await record('multiSig, direct', () => wrapped(inner('tokenSend', outcome), wrap));
  const resting = orderAction(order({ market: perp, side: 'buy', price: '50', size: '1' }));
  await record('multiSig, agent-signed', () => wrapped(resting, wrap));
  after = await everythingOf(people());
});

/** Sends a request ten times concurrently and expects ten identical answers. */
async function record(name: string, sign: () => Promise<Signed>): Promise<void> {
  const signed = await sign();
  const replies = await Promise.all(
    Array.from({ length: 10 }, async () => world.client.executed(signed)),
  );
  for (const reply of replies) {
    succeeded(reply);
    expect(reply.json).toEqual(replies[0]!.json);
  }
  sent.push({ name, signed, reply: replies[0]!.json });
}

const receiptOf = async (names: object): Promise<Json> =>
  world.client.data({ type: 'actionStatus', ...names });

/** Checks each request's receipt by every identifier. */
async function expectReceipts(): Promise<void> {
  for (const { name, signed, reply } of sent) {
    const { txHash, traceId, envelope } = signed;
    const receipt = await receiptOf({ txHash });
    expect(receipt, name).toMatchObject({
      status: 'executed',
      txHash,
      traceId,
      nonce: envelope.nonce,
      block: { height: reply.height },
      result: { type: reply.data.type, statuses: ['success'] },
      error: null,
    });
    expect(await receiptOf({ traceId }), name).toEqual(receipt);
    const { signer } = receipt;
    expect(await receiptOf({ signer, nonce: envelope.nonce }), name).toEqual(receipt);
  }
}

async function expectSameAgain(): Promise<void> {
  for (const { name, signed, reply } of sent) {
    expect((await world.client.executed(signed)).json, name).toEqual(reply);
  }
  expect(await everythingOf(people())).toEqual(after);
}

describe('R-tx: repeated money transfers and key changes take effect once', () => {
  test('ten concurrent copies execute once', async () => {
    expect(await deltasOf(alice)).toMatchObject([
      { type: 'withdraw', amount: '9' },
      { type: 'send', amount: '7' },
      { type: 'faucet' },
    ]);
    expect(await builderState(bob)).toMatchObject({ totalEarned: '0.1', totalClaimed: '0.1' });
    // 1000 minus a fee of 0.09, a builder fee of 0.1, and transfers of 7 and 9.
    expect(await alice.balance()).toBe('983.81');
    expect(await buildersOf(alice)).toEqual([]);
    expect(await outcomeMoney(company)).toBe('11');
    expect(await company.openOrders()).toHaveLength(1);
  });

  test('the receipt is found by hash, by trace id, and by signer and nonce', expectReceipts);

  test('a repeated request gets the first answer and changes nothing', expectSameAgain);

  test('reusing the nonce for different content is rejected', async () => {
    const [{ signed }] = sent.filter(({ name }) => name === 'tokenSend') as [Sent];
    const { nonce } = signed.envelope;
    const other = transfer({ to: bob.address, amount: '8' });
    expectExactly(await world.client.executed(await direct(alice, 'tokenSend', other, { nonce })), {
      code: 10004,
      name: 'BAD_NONCE',
      message: 'Nonce already used',
      details: { field: 'nonce', got: nonce, allowed: { min: nonce + 1 } },
    });
    expect(await everythingOf(people())).toEqual(after);
  });

  test('receipts and nonces survive the venue being killed', async () => {
    await world.venue.kill();
    await world.venue.startAgain();
    expect(await everythingOf(people())).toEqual(after);
    await expectReceipts();
    await expectSameAgain();
  });
});

describe('a request rejected before logging can be sent again', () => {
  test('a request rejected before it was logged leaves no receipt and uses up no nonce', async () => {
    const carol = world.unfunded('carol');
    const signed = await direct(carol, 'tokenSend', transfer({ to: alice.address, amount: '3' }));
    expect((await world.client.executed(signed)).json).toMatchObject({ code: 10006 });
    const { txHash, envelope } = signed;
    for (const names of [{ txHash }, { signer: carol.address, nonce: envelope.nonce }]) {
      expect(await receiptOf(names)).toMatchObject({ status: 'unknown', txHash: null });
    }
    await fund(world.client, carol.address);
    succeeded(await world.client.executed(signed));
    expect(await receiptOf({ txHash })).toMatchObject({ status: 'executed' });
  });

  test('an expired request is rejected with its expiry and the consensus time', async () => {
    const dave = await world.resident('dave');
    const buy = orderAction(order({ market: perp, side: 'buy', price: '50', size: '1' }));
    const expiresAfter = Date.now() - 10_000;
    const expired = await dave.sign(buy, { expiresAfter });
    const reply = await world.client.executed(expired);
    const { message, details } = reply.json;
    const time = Number(/consensus time (\d{13})$/.exec(message)?.[1]);
    expect(reply.json).toEqual({
      status: 'err',
      code: 10016,
      name: 'EXPIRED',
      message: `Action expired: expiresAfter ${expiresAfter}, consensus time ${time}`,
      details: {
        field: 'expiresAfter',
        got: expiresAfter,
        allowed: { min: time },
        docs: details.docs,
      },
    });
    expect(await receiptOf({ txHash: expired.txHash })).toMatchObject({ status: 'unknown' });
    const nonce = expired.envelope.nonce;
    succeeded(
      await world.client.executed(await dave.sign(buy, { nonce, expiresAfter: time + 60_000 })),
    );
    expect(await dave.openOrders()).toHaveLength(1);
  });

  test('account actions have no expiry', async () => {
    const actions: readonly [string, object][] = [
      ['tokenSend', transfer({ to: alice.address, amount: '3' })],
      ['withdraw3', { destination: bob.address, amount: '9' }],
      ['approveBuilderFee', { builder: alice.address, maxFeeRate: '0.1%' }],
      ['revokeBuilderFee', { builder: alice.address }],
      ['approveAgent', { agentAddress: alice.address, agentName: 'desk' }],
      ['convertToMultiSigUser', { signers: 'null' }],
    ];
    const expiresAfter = Date.now() + 60_000;
    const before = await everythingOf(people());
    for (const [type, fields] of actions) {
      const { envelope } = await direct(bob, type, { ...fields });
      expectExactly(await world.client.executed({ ...envelope, expiresAfter }), {
        code: 10016,
        name: 'EXPIRED',
        message: 'expiresAfter is not allowed for this action',
        details: { field: 'expiresAfter', got: expiresAfter },
      });
    }
    expect(await everythingOf(people())).toEqual(before);
  });
});
