import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedVenueWithHeldClock, order, orderAction, type Actor } from '../support/actors.ts';
import { MultiSigAccount, convert, noMultiSig, tooFew } from '../support/multi-sig-account.ts';
import { isDirect } from '../support/direct.ts';
import {
  addressesOf,
  direct,
  expectNothing,
  inner,
  MULTI_SIG_REQUIRED,
  signersOf,
  signerSet,
  unauthorized,
  SIGNER_HINT,
  wrapped,
  type Inner,
} from '../support/keys.ts';
import { act, succeeded, Operator, OPERATED, type OwnPerp } from '../support/perps.ts';
import { nextNonce, type JsonObject } from '../support/wallet.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = sharedVenueWithHeldClock([...OPERATED, ...HOLDING]);
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

const setRefusal = (why: string) => ({
  code: 10000,
  name: 'INVALID',
  message: 'Invalid multi-sig signers',
  details: { field: 'signers', why },
});

describe('R-multisig: an account can be converted to multi-sig', () => {
  test('multiSigSigners returns null for ordinary accounts and unknown addresses', async () => {
    expect(await signersOf(account)).toBeNull();
    expect(await signersOf(world.unfunded('nobody'))).toBeNull();
    await company.found();
    expect(await signersOf(account)).toEqual({
      authorizedUsers: addressesOf(members),
      threshold: 2,
    });
  });

  test('multiSigChanges lists each change of signers with its signed request', async () => {
    const changes = async (): Promise<string[]> =>
      account.client.data({ type: 'multiSigChanges', user: account.address });
    expect(await changes()).toEqual([]);
    await company.found();
    const [first, ...others] = await changes();
    expect(others).toEqual([]);
    expect(await account.client.data({ type: 'tx', txHash: first })).toMatchObject({
      hash: first,
      signer: account.address,
      action: { type: 'convertToMultiSigUser' },
    });
    const back = inner('convertToMultiSigUser', { signers: 'null' });
    succeeded(await world.client.executed(await wrapped(back, company.quorum())));
    const [again, last] = await changes();
    expect([again, last !== first]).toEqual([first, true]);
    expect(await account.client.data({ type: 'tx', txHash: last })).toMatchObject({
      action: { type: 'multiSig', payload: { multiSigUser: account.address } },
    });
  });

  test('a conversion keeps orders and money but removes agents', async () => {
    const agent = world.unfunded('agent');
    succeeded(await account.approveAgent(agent.address, 'desk'));
    succeeded(await act(agent, resting()));
    await company.found();
    expect(await account.openOrders()).toHaveLength(1);
    expect((await account.state()).withdrawable).not.toBe('0');
    expect(await account.agents()).toEqual([]);
    await expectNothing(
      [account],
      agent.sign({ type: 'cancelAll' }),
      unauthorized(
        `Authorization failed: Agent ${agent.address} is not authorized by any account`,
        { got: agent.address, why: SIGNER_HINT },
      ),
    );
  });

  test('converting an ordinary account to "null" changes nothing', async () => {
    succeeded(await convert(account, 'null'));
    expect(await signersOf(account)).toBeNull();
    succeeded(await act(account, { type: 'cancelAll' }));
  });

  const users = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => world.unfunded(`user ${n}`).address);
  const set = (authorizedUsers: unknown, threshold: unknown): string =>
    JSON.stringify({ authorizedUsers, threshold });
  const faults: readonly [string, string, () => string | Promise<string>][] = [
    ['no JSON', 'not a set of signers', () => '{'],
    ['no set', 'not a set of signers', () => '[]'],
    ['a user that is not an address', 'not a set of signers', () => set(['0x12'], 1)],
    ['a threshold that is not a number', 'not a set of signers', () => set(users(1), '1')],
    ['no users', 'a set has 1 to 10 users', () => set([], 1)],
    ['eleven', 'a set has 1 to 10 users', () => set(users(11), 1)],
    ['a threshold of 0', 'the threshold is 1 to the number of users', () => set(users(2), 0)],
    ['3 of 2', 'the threshold is 1 to the number of users', () => set(users(2), 3)],
    [
      'a user twice, in two spellings',
      'a user is named twice',
      () => {
        const [user] = users(1);
        return set([user, `0x${user!.slice(2).toUpperCase()}`], 1);
      },
    ],
    [
      'the account itself',
      'the account cannot be its own signer',
      () => set([...users(1), account.address], 1),
    ],
    [
      'a multi-sig account',
      'a user is a multi-sig account',
      async () => {
        const other = await world.resident('other');
        succeeded(await convert(other, set(users(1), 1)));
        return set([other.address], 1);
      },
    ],
  ];
  test.each(faults)('the conversion rejects %s', async (_, why, signers) => {
    const text = await signers();
    const attempt = direct(account, 'convertToMultiSigUser', { signers: text });
    await expectNothing([account], attempt, setRefusal(why));
  });

  test('the conversion accepts ten users with a threshold of all ten', async () => {
    succeeded(await convert(account, set(users(10), 10)));
    expect((await signersOf(account)).authorizedUsers).toHaveLength(10);
  });
});

describe("the account's own key becomes invalid with the conversion", () => {
  const actions: readonly (JsonObject | Inner)[] = [
    { type: 'cancelAll' },
    { type: 'claimBuilderRewards' },
    { type: 'updatePositionMode', positionMode: 'oneWay' },
    inner('approveAgent', { agentAddress: `0x${'5'.repeat(40)}`, agentName: 'desk' }),
    inner('approveBuilderFee', { builder: `0x${'6'.repeat(40)}`, maxFeeRate: '0.1%' }),
    inner('withdraw3', { destination: `0x${'7'.repeat(40)}`, amount: '5' }),
    inner('convertToMultiSigUser', { signers: 'null' }),
    (nonce) => company.toOutcome('5')(nonce),
  ];
  test("after the conversion, the account's own key cannot sign agent-signed or direct actions", async () => {
    await company.found();
    for (const each of actions) {
      const nonce = nextNonce();
      const action = typeof each === 'function' ? each(nonce) : each;
      const { type, ...fields } = action;
      const attempt = isDirect(type)
        ? direct(account, String(type), fields, { nonce })
        : account.sign(action);
      await expectNothing([account], attempt, MULTI_SIG_REQUIRED);
    }
  });

  test("after the conversion, the account's own key cannot sign a wrapper for the account", async () => {
    await company.found();
    await expectNothing(
      [account],
      wrapped(resting(), company.quorum({ sender: account })),
      company.isNotLedBy(account),
    );
    const half = company.quorum({ signers: [members[0], account] });
    await expectNothing([account], wrapped(resting(), half), tooFew(1, 2));
  });
});

describe('a multi-sig account acts through its signers', () => {
  test('a wrapper can replace the signer set, and the old set is no longer valid', async () => {
    await company.found();
    const others = [world.unfunded('fourth'), world.unfunded('fifth')] as const;
    const replacing = inner('convertToMultiSigUser', { signers: signerSet(others, 1) });
    const before = await wrapped(resting(), company.quorum());
    succeeded(await world.client.executed(await wrapped(replacing, company.quorum())));
    expect(await signersOf(account)).toEqual({
      authorizedUsers: addressesOf(others),
      threshold: 1,
    });
    await expectNothing([account], Promise.resolve(before), company.isNotLedBy(members[0]));
    const alone = company.quorum({ sender: others[1], signers: [others[1]] });
    succeeded(await world.client.executed(await wrapped(resting(), alone)));
    await expectNothing([account], account.sign({ type: 'cancelAll' }), MULTI_SIG_REQUIRED);
  });

  test('earlier requests from the account’s own key stay rejected once the account is ordinary again', async () => {
    await company.found();
    const back = inner('convertToMultiSigUser', { signers: 'null' });
    succeeded(await world.client.executed(await wrapped(back, company.quorum())));
    expect(await signersOf(account)).toBeNull();
    succeeded(await act(account, resting()));
    await expectNothing(
      [account],
      wrapped({ type: 'cancelAll' }, company.quorum()),
      noMultiSig(account.address),
    );
  });

  test('agents approved through a wrapper can trade but cannot approve agents', async () => {
    await company.found();
    const agent = world.unfunded('agent');
    const approval = inner('approveAgent', { agentAddress: agent.address, agentName: 'desk' });
    const reply = await world.client.executed(await wrapped(approval, company.quorum()));
    succeeded(reply);
    expect(reply.json.data.type).toBe('ApproveAgent');
    expect(await account.agents()).toMatchObject([{ agentName: 'desk' }]);
    succeeded(await act(agent, resting()));
    expect(await account.openOrders()).toHaveLength(1);
    await expectNothing(
      [account],
      direct(agent, 'approveAgent', { agentAddress: members[0].address, agentName: 'more' }),
      {
        code: 10006,
        name: 'NO_ACCOUNT',
        message: 'Please deposit first',
        details: { got: agent.address, why: SIGNER_HINT },
      },
    );
    // Nor are agents valid signers inside a wrapper.
    const half = company.quorum({ signers: [members[0], agent] });
    await expectNothing([account], wrapped({ type: 'cancelAll' }, half), tooFew(1, 2));
    // A new set of signers keeps the agents, because signers approved them.
    const others = [world.unfunded('fourth')];
    const replacing = inner('convertToMultiSigUser', { signers: signerSet(others, 1) });
    succeeded(await world.client.executed(await wrapped(replacing, company.quorum())));
    succeeded(await act(agent, { type: 'cancelAll' }));
    expect(await account.openOrders()).toEqual([]);
  });
});
