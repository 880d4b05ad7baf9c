import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { MultiSigAccount, convert, noMultiSig, tooFew } from '../support/multi-sig-account.ts';
import { signDirectWithEthers, signMultiSigWithEthers } from '../support/ethers-signer.ts';
import {
  expectExactly,
  expectNothing,
  outcomeMoney,
  signerSet,
  transfer,
  wrapped,
  type Inner,
  type Wrap,
} from '../support/keys.ts';
import { succeeded, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';
import type { Envelope, JsonObject } from '../support/wallet.ts';

const world = sharedVenueWithHeldClock(OPERATED);
const operator = new Operator(world);

let perp: OwnPerp;
let company: MultiSigAccount;
let account: Actor;
let members: MultiSigAccount['members'];

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  company = await MultiSigAccount.of(world);
  ({ account, members } = company);
});

const resting = () =>
  orderAction(order({ market: perp, side: 'buy', price: '50', size: '1', tif: 'Alo' }));

describe('R-multisig: a wrapper carries an action of the account', () => {
  test("a wrapper around an agent-signed action gets the inner action's reply and receipt", async () => {
    await company.found();
    const signed = await wrapped(resting(), company.quorum());
    const reply = await world.client.executed(signed);
    succeeded(reply);
    expect(reply.json).toMatchObject({
      txHash: signed.txHash,
      data: { type: 'PlaceOrder', data: { orders: [{ state: 'open' }] } },
    });
    expect(await account.openOrders()).toHaveLength(1);
    const receipt = await world.client.data({ type: 'actionStatus', txHash: signed.txHash });
    expect(receipt).toMatchObject({
      status: 'executed',
      signer: members[0].address,
      user: account.address,
      actionType: 'order',
      nonce: signed.envelope.nonce,
    });
  });

  test("a wrapper can carry a direct action, with its nonce, on the envelope's chain", async () => {
    await company.found();
    const reply = await world.client.executed(
      await wrapped(company.toOutcome('12'), company.quorum()),
    );
    succeeded(reply);
    expect(reply.json.data.type).toBe('TokenSend');
    const elsewhere = company.quorum({ signatureChainId: 42_161 });
    succeeded(await world.client.executed(await wrapped(company.toOutcome('30'), elsewhere)));
    expect(await outcomeMoney(account)).toBe('42');
  });

  test('a wrapper can be signed with ethers', async () => {
    const signers = signerSet(members, 2);
    const conversion = { signers };
    const type = 'convertToMultiSigUser';
    succeeded(
      await world.client.executed(await signDirectWithEthers(account.key, type, conversion)),
    );
    const keys = { outer: members[1].key, inner: [members[1].key, members[2].key] };
    const orders = { ...resting(), type: 'order' };
    succeeded(
      await world.client.executed(await signMultiSigWithEthers(account.address, orders, keys)),
    );
    expect(await account.openOrders()).toHaveLength(1);
    const fields = transfer({ to: account.address, amount: '7', into: 'outcome' });
    const moved = { type: 'tokenSend', ...fields };
    succeeded(
      await world.client.executed(await signMultiSigWithEthers(account.address, moved, keys)),
    );
    expect(await outcomeMoney(account)).toBe('7');
  });

  test('a wrapper requires a threshold of distinct signers from the set', async () => {
    await company.found();
    const [first, second, third] = members;
    const outsider = world.unfunded('outsider');
    const few: readonly (readonly [readonly Actor[], number])[] = [
      [[first], 1],
      [[first, first], 1],
      [[first, outsider], 1],
      [[outsider, account], 0],
    ];
    for (const action of [resting(), company.toOutcome('1')]) {
      for (const [signers, count] of few) {
        await expectNothing(
          [account],
          wrapped(action, company.quorum({ signers })),
          tooFew(count, 2),
        );
      }
    }
    // Surplus signatures are ignored, and the sender need not sign the inner action.
    const enough = [
      company.quorum({ signers: [outsider, third, second, second] }),
      company.quorum({ signers: members }),
    ];
    for (const each of enough)
      succeeded(await world.client.executed(await wrapped(resting(), each)));
    expect(await account.openOrders()).toHaveLength(2);
  });

  test('a wrapper must be sent by the signer in the set that it names', async () => {
    await company.found();
    const outsider = world.unfunded('outsider');
    await expectNothing(
      [account],
      wrapped(resting(), company.quorum({ sender: outsider })),
      company.isNotLedBy(outsider),
    );
    const { envelope } = await wrapped(resting(), company.quorum());
    const other = await wrapped(
      resting(),
      company.quorum({ sender: members[2], nonce: envelope.nonce }),
    );
    const stolen = { ...envelope, signature: other.envelope.signature };
    const reply = await world.client.executed(stolen);
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10003,
      name: 'UNAUTHORIZED',
      message: 'Signer does not match user',
    });
    expect(await account.openOrders()).toEqual([]);
  });

  test('a wrapper must name a multi-sig account', async () => {
    const someone = await world.trader('someone');
    const nobody = world.unfunded('nobody');
    for (const other of [someone, nobody]) {
      await expectNothing(
        [other],
        wrapped({ type: 'cancelAll' }, company.quorum({ account: other })),
        noMultiSig(other.address),
      );
    }
  });

  test('a wrapper must not contain another wrapper, an operator action, or a different nonce', async () => {
    await company.found();
    const { envelope } = await wrapped(resting(), company.quorum());
    const nested = await world.client.executed(await wrapped(envelope.action, company.quorum()));
    expect(nested.json, nested.text).toMatchObject({ status: 'err', code: 10002 });
    const pushed = { type: 'venueAdmin', setGate: { channel: 0, mode: 'closed' } };
    const operated = await world.client.executed(await wrapped(pushed, company.quorum()));
    expect(operated.json, operated.text).toMatchObject({
      status: 'err',
      code: 10003,
      message: 'Signer is not permitted to send venueAdmin',
    });
    const afterExpiry = await world.client.executed(
      await wrapped((nonce) => company.toOutcome('1')(nonce + 1), company.quorum()),
    );
    expect(afterExpiry.json, afterExpiry.text).toMatchObject({
      status: 'err',
      code: 10004,
      message: 'Action nonce does not match envelope nonce',
    });
  });

  test('a rejected inner action is reported with its path in the wrapper', async () => {
    await company.found();
    await expectNothing([account], wrapped(company.toOutcome('1000.5'), company.quorum()), {
      code: 10010,
      name: 'MARGIN',
      message: 'Insufficient balance',
      details: {
        field: 'payload.action.amount',
        got: '1000.5',
        required: '1000.5',
        available: '1000',
      },
    });
  });
});

describe('a malformed wrapper is rejected', () => {
  test('a wrapper must have one to ten well-formed signatures', async () => {
    await company.found();
    const { signatures } = (await wrapped(resting(), company.quorum())).envelope.action as Json;
    const [good] = signatures;
    const high = `0x${'f'.repeat(64)}`;
    const eleven = Array.from({ length: 11 }, () => good);
    const cases: readonly [Json[], number, string, string][] = [
      [[], 10002, 'signatures must hold 1 to 10 entries', 'signatures'],
      [eleven, 10002, 'signatures must hold 1 to 10 entries', 'signatures'],
      [[good, { ...good, s: high }], 10003, 'Invalid signature', 'signatures[1]'],
    ];
    for (const [list, code, message, field] of cases) {
      const signed = await wrapped(resting(), { ...company.quorum(), signatures: list });
      const reply = await world.client.executed(signed);
      expect(reply.json, reply.text).toMatchObject({ status: 'err', code, message });
      expect(reply.json.details.field).toContain(field);
    }
    expect(await account.openOrders()).toEqual([]);
  });

  test("the network in a wrapper's inner action must be the venue's", async () => {
    await company.found();
    const foreign = (nonce: number) => ({ ...company.toOutcome('1')(nonce), chainId: 869 });
    const reply = await world.client.executed(await wrapped(foreign, company.quorum()));
    expect(reply.json, reply.text).toMatchObject({
      status: 'err',
      code: 10005,
      name: 'MISMATCH',
      message: 'Chain ID mismatch: expected 2511, got 869',
    });
  });
});

describe('neither wrappers nor their signatures can be replayed', () => {
  test('a repeated wrapper gets the first answer and is not executed again', async () => {
    await company.found();
    for (const action of [resting(), company.toOutcome('5')]) {
      const signed = await wrapped(action, company.quorum());
      const first = await world.client.executed(signed);
      succeeded(first);
      expect((await world.client.executed(signed)).json).toEqual(first.json);
    }
    expect(await account.openOrders()).toHaveLength(1);
    expect(await outcomeMoney(account)).toBe('5');
  });

  /** Moves the inner signatures from one wrapper to another, which the sender signs again. */
  async function transplant(from: Envelope, into: Wrap, action: JsonObject | Inner) {
    const { signatures } = from.action as { signatures: Json };
    return wrapped(action, { ...into, signatures });
  }

  test('inner signatures are valid for one nonce, sender, account and action', async () => {
    await company.found();
    const other = await world.resident('other');
    succeeded(await convert(other, signerSet(members, 2)));
    for (const action of [resting(), company.toOutcome('5')]) {
      const { envelope } = await wrapped(action, company.quorum());
      const { nonce } = envelope;
      const changed =
        typeof action === 'function' ? company.toOutcome('6') : { ...action, grouping: 'NA' };
      const attempts = [
        transplant(envelope, company.quorum(), action),
        transplant(envelope, company.quorum({ nonce, sender: members[1] }), action),
        transplant(envelope, company.quorum({ nonce, account: other }), action),
        transplant(envelope, company.quorum({ nonce }), changed),
      ];
      for (const attempt of attempts) {
        await expectNothing([account, other], attempt, tooFew(0, 2));
      }
      succeeded(await world.client.executed(envelope));
    }
  });

  test('the wrapper uses up a nonce of the sender, not of the other members', async () => {
    await company.found();
    const first = await wrapped(resting(), company.quorum());
    const { nonce } = first.envelope;
    succeeded(await world.client.executed(first));
    expectExactly(
      await world.client.executed(await wrapped({ type: 'cancelAll' }, company.quorum({ nonce }))),
      {
        code: 10004,
        name: 'BAD_NONCE',
        message: 'Nonce already used',
        details: { field: 'nonce', got: nonce, allowed: { min: nonce + 1 } },
      },
    );
    const bySecond = company.quorum({ nonce, sender: members[1] });
    succeeded(await world.client.executed(await wrapped({ type: 'cancelAll' }, bySecond)));
    expect(await account.openOrders()).toEqual([]);
  });

  test('every signature covers the expiry, except on a direct action', async () => {
    await company.found();
    const expired = company.quorum({ expiresAfter: world.nowMs() - 60_000 });
    const reply = await world.client.executed(await wrapped(resting(), expired));
    expect(reply.json, reply.text).toMatchObject({ status: 'err', code: 10016, name: 'EXPIRED' });
    const { envelope } = await wrapped(
      resting(),
      company.quorum({ expiresAfter: world.nowMs() + 60_000 }),
    );
    const { expiresAfter: _dropped, ...without } = envelope;
    const stripped = await world.client.executed(without);
    expect(stripped.json).toMatchObject({ status: 'err', code: 10003 });
    succeeded(await world.client.executed(envelope));
    const direct = await wrapped(
      company.toOutcome('1'),
      company.quorum({ expiresAfter: world.nowMs() + 60_000 }),
    );
    const refused = await world.client.executed(direct);
    expect(refused.json, refused.text).toMatchObject({
      status: 'err',
      code: 10016,
      message: 'expiresAfter is not allowed for this action',
    });
  });
});
