import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import {
  accountStatus,
  deltasOf,
  direct,
  expectNothing,
  noAccount,
  outcomeMoney,
  send,
  tokenSend,
  transfer,
  type Refusal,
  type Transfer,
} from '../support/keys.ts';
import { succeeded, ledgerOf, Operator, OPERATED, trade, type OwnPerp } from '../support/perps.ts';
import { ZERO_ADDRESS } from '../support/wallet.ts';
import { signDirectWithEthers } from '../support/ethers-signer.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aSharedVenue([...OPERATED, ...HOLDING]);
const operator = new Operator(world);

let perp: OwnPerp;
let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
});

const perpMoney = async (actor: Actor) => (await actor.state()).withdrawable;

/** Expects a transfer to be rejected and to change nothing. */
async function refuses(fields: Transfer, refusal: Refusal): Promise<void> {
  await expectNothing([alice, bob], direct(alice, 'tokenSend', transfer(fields)), refusal);
}

const funds = (message: string, details: Refusal['details']): Refusal => ({
  code: 10014,
  name: 'FUNDS',
  message,
  ...(details === undefined ? {} : { details }),
});

const insufficient = (details: Json): Refusal => ({
  code: 10010,
  name: 'MARGIN',
  message: 'Insufficient balance',
  details: { field: 'amount', ...details },
});

test('R-transfer: the zero address is never a valid destination', async () => {
  const refusal = (field: string) => funds('Invalid address', { field, got: ZERO_ADDRESS });
  await refuses({ to: ZERO_ADDRESS, amount: '5' }, refusal('destination'));
  const withdrawal = { destination: ZERO_ADDRESS, amount: '5' };
  const withdraws = direct(alice, 'withdraw3', withdrawal);
  await expectNothing([alice], withdraws, refusal('destination'));
  const grant = await world.client.post('/request-fund', { user: ZERO_ADDRESS });
  expect(grant.json).toMatchObject({ success: false, ...refusal('user') });
  const register = { vault: ZERO_ADDRESS, leader: alice.address, name: 'v' };
  const vault = await operator.send({ registerVault: register });
  expect(vault.json).toMatchObject({ status: 'err', ...refusal('registerVault.vault') });
  const payment = { destination: ZERO_ADDRESS, amount: '1' };
  const treasury = await operator.send({ treasurySend: payment });
  expect(treasury.json).toMatchObject({ status: 'err', ...refusal('treasurySend.destination') });
});

describe('an account can transfer money between its sub-accounts', () => {
  test('exact amounts can be transferred between sub-accounts, with a ledger row for each', async () => {
    const out = { to: alice.address, amount: '250.000001', from: 'perp', into: 'outcome' };
    const reply = await tokenSend(alice, out);
    succeeded(reply);
    expect(reply.json.data.type).toBe('TokenSend');
    expect([await perpMoney(alice), await outcomeMoney(alice)]).toEqual([
      '749.999999',
      '250.000001',
    ]);
    const back = { to: alice.address, amount: '250.000001', from: 'outcome', into: 'perp' };
    succeeded(await tokenSend(alice, back));
    expect([await perpMoney(alice), await outcomeMoney(alice)]).toEqual(['1000', '0']);
    const row = { type: 'accountTransfer', amount: '250.000001', token: 'USDC' };
    expect(await deltasOf(alice)).toEqual([
      { ...row, fromAccountType: 'outcome', toAccountType: 'perp' },
      { ...row, fromAccountType: 'perp', toAccountType: 'outcome' },
      { type: 'faucet', amount: '1000', token: 'USDC' },
    ]);
    const [newest] = await ledgerOf(alice, 'accountTransfer');
    expect(newest).toMatchObject({ hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  });

  test('the alias perps is hashed as sent and treated as perp', async () => {
    const fields = { to: alice.address, amount: '1.50', from: 'perps', into: 'outcome' };
    succeeded(await tokenSend(alice, fields));
    expect(await outcomeMoney(alice)).toBe('1.5');
    succeeded(await tokenSend(alice, { ...fields, from: 'outcome', into: 'perps' }));
    expect(await perpMoney(alice)).toBe('1000');
  });

  test.each(['perp', 'outcome'])('a transfer from %s to itself is rejected', async (kind) => {
    await refuses(
      { to: alice.address, amount: '1', from: kind, into: kind },
      funds('Source and destination are the same', { field: 'toAccountType' }),
    );
  });

  test('the outcome sub-account holds only what was transferred to it', async () => {
    await refuses(
      { to: alice.address, amount: '0.5', from: 'outcome', into: 'perp' },
      insufficient({ got: '0.5', required: '0.5', available: '0' }),
    );
  });
});

describe('an account can transfer money to another account', () => {
  test('money can be transferred from any sub-account to any other, with a row on each side', async () => {
    succeeded(await tokenSend(alice, { to: bob.address, amount: '10', into: 'outcome' }));
    expect([await perpMoney(alice), await outcomeMoney(bob)]).toEqual(['990', '10']);
    const row = {
      amount: '10',
      token: 'USDC',
      user: alice.address,
      destination: bob.address,
      fee: '0',
      fromAccountType: 'perp',
      toAccountType: 'outcome',
    };
    expect((await deltasOf(alice))[0]).toEqual({ type: 'send', ...row });
    expect((await deltasOf(bob))[0]).toEqual({ type: 'receive', ...row });
    const [sent] = await ledgerOf(alice, 'send');
    const [received] = await ledgerOf(bob, 'receive');
    expect(received).toMatchObject({ hash: sent.hash, time: sent.time });
    succeeded(
      await tokenSend(bob, { to: alice.address, amount: '4', from: 'outcome', into: 'perp' }),
    );
    expect([await perpMoney(alice), await outcomeMoney(bob)]).toEqual(['994', '6']);
  });

  test('R-account: a new address gets an account, free of charge on a test network', async () => {
    const carol = world.unfunded('carol');
    expect((await accountStatus(world.client, carol.address)).exists).toBe(false);
    succeeded(await tokenSend(alice, { to: carol.address, amount: '1' }));
    expect([await perpMoney(alice), await perpMoney(carol)]).toEqual(['999', '1']);
    expect(await accountStatus(world.client, carol.address)).toMatchObject({
      exists: true,
      eligible: true,
    });
    // The address now has an account, so it accepts smaller amounts and can send money itself.
    succeeded(await tokenSend(alice, { to: carol.address, amount: '0.000001' }));
    succeeded(await tokenSend(carol, { to: alice.address, amount: '1.000001' }));
    expect(await perpMoney(alice)).toBe('1000');
  });

  test('the first transfer to an address must be at least 1 USDC', async () => {
    const nobody = world.unfunded('nobody');
    await refuses(
      { to: nobody.address, amount: '0.999999' },
      funds('Below minimum transfer amount', {
        field: 'amount',
        got: '0.999999',
        allowed: { min: '1' },
      }),
    );
    expect((await accountStatus(world.client, nobody.address)).exists).toBe(false);
  });

  test('a transfer of zero is rejected', async () => {
    await refuses(
      { to: bob.address, amount: '0' },
      funds('Below minimum transfer amount', {
        field: 'amount',
        got: '0',
        allowed: { min: '0.000001' },
      }),
    );
  });

  test('a transfer of an unknown token is rejected', async () => {
    await refuses(
      { to: bob.address, amount: '1', token: 1 },
      {
        code: 10000,
        name: 'INVALID',
        message: 'Unknown token: 1',
        details: { field: 'token', got: 1 },
      },
    );
  });

  test('a transfer with more than six decimals is rejected', async () => {
    await refuses(
      { to: bob.address, amount: '1.0000005' },
      {
        code: 10000,
        name: 'INVALID',
        message: 'Size precision does not match the lot size: 0.000001',
        details: {
          field: 'amount',
          got: '1.0000005',
          allowed: { step: '0.000001' },
          nearest: ['1', '1.000001'],
        },
      },
    );
  });

  test('trailing zeros beyond six decimals are accepted and hashed as sent', async () => {
    succeeded(await tokenSend(alice, { to: bob.address, amount: '1.00000000' }));
    expect(await perpMoney(bob)).toBe('1001');
  });

  test('a transfer of more than the balance is rejected', async () => {
    await refuses(
      { to: bob.address, amount: '1000.000001' },
      insufficient({ got: '1000.000001', required: '1000.000001', available: '1000' }),
    );
    succeeded(await tokenSend(alice, { to: bob.address, amount: '1000' }));
    expect(await perpMoney(alice)).toBe('0');
  });

  test('a transfer from a sender without an account is rejected', async () => {
    const nobody = world.unfunded('nobody');
    await expectNothing(
      [nobody, bob],
      direct(nobody, 'tokenSend', transfer({ to: bob.address, amount: '1' })),
      noAccount(nobody.address),
    );
  });

  test('a transfer by an agent is rejected', async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    await expectNothing(
      [alice, bob],
      direct(agent, 'tokenSend', transfer({ to: agent.address, amount: '1' })),
      noAccount(agent.address),
    );
  });

  test('a transfer signed with ethers for another chain is accepted', async () => {
    const fields = transfer({ to: bob.address, amount: '5' });
    const options = { signatureChainId: 42_161 };
    const envelope = await signDirectWithEthers(alice.key, 'tokenSend', fields, options);
    succeeded(await world.client.executed(envelope));
    expect(await perpMoney(bob)).toBe('1005');
  });
});

describe('only free money can be transferred', () => {
  /**
   * A position of 20 coins at 100 USDC and 20 times leverage has an initial margin of 100, but a
   * tenth of its value is 200.
   */
  async function open(): Promise<OwnPerp> {
    const own = await operator.list();
    await trade(alice, bob, { market: own, price: '100', size: '20' });
    return own;
  }

  test("a tenth of an open position's value must stay in the account", async () => {
    await open();
    // The taker paid a fee of 2000 × 0.00045.
    expect(await perpMoney(alice)).toBe('799.1');
    await refuses(
      { to: bob.address, amount: '799.100001' },
      insufficient({
        got: '799.100001',
        required: '799.100001',
        available: '799.1',
        reservedBy: [{ what: 'notionalShare', amount: '200' }],
      }),
    );
    succeeded(await tokenSend(alice, { to: alice.address, amount: '799.1', into: 'outcome' }));
    expect([await perpMoney(alice), await outcomeMoney(alice)]).toEqual(['0', '799.1']);
  });

  test('losses are deducted, and unrealised profit cannot be transferred', async () => {
    const own = await open();
    await own.push('99');
    const withheld = [
      { what: 'notionalShare', amount: '198' },
      { what: 'unrealisedLoss', amount: '20' },
    ];
    await refuses(
      { to: bob.address, amount: '900' },
      insufficient({ got: '900', required: '900', available: '781.1', reservedBy: withheld }),
    );
    await own.push('120');
    // A profit of 400 supports the position, so the whole balance can be transferred.
    await refuses(
      { to: bob.address, amount: '1000' },
      insufficient({ got: '1000', required: '1000', available: '999.1' }),
    );
  });
});

describe('withdraw3 withdraws money to the settlement chain', () => {
  const withdrawal = (amount: string) => ({ destination: bob.address, amount });

  test('a withdrawal is deducted immediately, shown as held, and listed as pending', async () => {
    const { withdraw_fee: fee, min_withdraw: min } = await world.client.data({ type: 'settings' });
    expect(min).toBe('2');
    const signed = await direct(alice, 'withdraw3', withdrawal('100'));
    const reply = await world.client.executed(signed);
    succeeded(reply);
    expect(reply.json.data.type).toBe('Withdraw');
    expect(await alice.state()).toMatchObject({
      withdrawable: '900',
      marginSummary: { accountValue: '900', totalRawUsd: '900' },
      accountValuePlusWithdrawHold: '1000',
      totalRawUsdPlusWithdrawHold: '1000',
    });
    const [row] = await ledgerOf(alice, 'withdraw');
    expect(row).toEqual({
      time: expect.any(Number),
      hash: signed.txHash,
      delta: {
        type: 'withdraw',
        amount: '100',
        token: 'USDC',
        fee,
        nonce: signed.envelope.nonce,
        destination: bob.address,
        status: 'pending',
      },
    });
    // The destination is on another chain, so the venue account with the same address does not
    // change.
    expect(await perpMoney(bob)).toBe('1000');
    succeeded(await send(alice, 'withdraw3', withdrawal('900')));
    expect(await alice.state()).toMatchObject({
      withdrawable: '0',
      accountValuePlusWithdrawHold: '1000',
    });
    expect(await ledgerOf(alice, 'withdraw')).toHaveLength(2);
  });

  test('totals with and without held withdrawals differ only by the held amount', async () => {
    await trade(alice, bob, { market: perp, price: '100', size: '10' });
    succeeded(await send(alice, 'withdraw3', withdrawal('2')));
    expect(await alice.state()).toMatchObject({
      marginSummary: { accountValue: '997.55', totalRawUsd: '-2.45' },
      accountValuePlusWithdrawHold: '999.55',
      totalRawUsdPlusWithdrawHold: '-0.45',
      withdrawable: '897.55',
    });
  });

  const refusals: readonly [string, Refusal][] = [
    [
      '1.999999',
      funds('Below minimum withdraw amount', {
        field: 'amount',
        got: '1.999999',
        allowed: { min: '2' },
      }),
    ],
    [
      '0',
      funds('Below minimum withdraw amount', { field: 'amount', got: '0', allowed: { min: '2' } }),
    ],
    [
      '2.0000001',
      {
        code: 10000,
        name: 'INVALID',
        message: 'Size precision does not match the lot size: 0.000001',
        details: {
          field: 'amount',
          got: '2.0000001',
          allowed: { step: '0.000001' },
          nearest: ['2', '2.000001'],
        },
      },
    ],
    [
      '1000.000001',
      insufficient({ got: '1000.000001', required: '1000.000001', available: '1000' }),
    ],
  ];
  test.each(refusals)('withdraw3 rejects %s', async (amount, refusal) => {
    await expectNothing([alice], direct(alice, 'withdraw3', withdrawal(amount)), refusal);
  });

  test('a withdrawal uses only free money in the perp sub-account', async () => {
    succeeded(await tokenSend(alice, { to: alice.address, amount: '999', into: 'outcome' }));
    await expectNothing(
      [alice],
      direct(alice, 'withdraw3', withdrawal('2')),
      insufficient({ got: '2', required: '2', available: '1' }),
    );
    await trade(bob, await world.trader('carol'), { market: perp, price: '100', size: '20' });
    await expectNothing(
      [bob],
      direct(bob, 'withdraw3', withdrawal('800')),
      insufficient({
        got: '800',
        required: '800',
        available: '799.1',
        reservedBy: [{ what: 'notionalShare', amount: '200' }],
      }),
    );
  });

  test('neither an agent nor any other key can withdraw', async () => {
    const agent = world.unfunded('agent');
    succeeded(await alice.approveAgent(agent.address));
    for (const signer of [agent, world.unfunded('nobody')]) {
      await expectNothing(
        [alice],
        direct(signer, 'withdraw3', withdrawal('10')),
        noAccount(signer.address),
      );
    }
  });
});
