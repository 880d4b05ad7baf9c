import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSharedVenue, fund, order, orderAction, type Actor } from '../support/actors.ts';
import {
  accountStatus,
  direct,
  expectNothing,
  inner,
  noAccount,
  send,
  signerSet,
  tokenSend,
  transfer,
  unauthorized,
  SIGNER_HINT,
  wrapped,
  type Refusal,
} from '../support/keys.ts';
import {
  act,
  succeeded,
  expectRefusal,
  Operator,
  OPERATED,
  recordOf,
  trade,
  type OwnPerp,
} from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';
import { HOLDING } from '../support/venue-process.ts';

const world = aSharedVenue([...OPERATED, ...HOLDING]);
const operator = new Operator(world);

let perp: OwnPerp;
let vault: Actor;
let leader: Actor;
let bob: Actor;

beforeAll(async () => {
  perp = await operator.list();
});

beforeEach(async () => {
  [leader, bob] = [await world.trader('leader'), await world.trader('bob')];
  vault = await world.trader('vault');
  succeeded(await register({}));
});

async function register(changes: JsonObject) {
  const fields = { vault: vault.address, leader: leader.address, name: 'First', ...changes };
  return operator.send({ registerVault: fields });
}

const resting = () =>
  orderAction(order({ market: perp, side: 'buy', price: '50', size: '1', tif: 'Alo' }));

/** Returns an action for the vault, signed by the actor. */
const forVault = async (actor: Actor, action: JsonObject = resting()) =>
  actor.sign(action, { vaultAddress: vault.address });

const notLeader = (): Refusal =>
  unauthorized(`Not the leader of vault ${vault.address}`, {
    field: 'vaultAddress',
    got: vault.address,
  });

describe('R-vault: only the leader and its agents act for a vault', () => {
  test("the leader's orders, positions and settings belong to the vault", async () => {
    const mine = orderAction(order({ market: perp, side: 'buy', price: '100', size: '2' }));
    const sell = order({ market: perp, side: 'sell', price: '100', size: '2' });
    succeeded(await bob.place(sell));
    const signed = await forVault(leader, mine);
    succeeded(await world.client.executed(signed));
    expect((await recordOf(vault, perp)).position.szi).toBe('2');
    expect((await leader.state()).assetPositions).toEqual([]);
    expect([await vault.balance(), await leader.balance()]).toEqual(['999.91', '1000']);
    const receipt = await world.client.data({ type: 'actionStatus', txHash: signed.txHash });
    expect(receipt).toMatchObject({ signer: leader.address, user: vault.address });
    const leverage = { type: 'updateLeverage', asset: perp.id, leverage: 5 };
    succeeded(await world.client.executed(await forVault(leader, leverage)));
    expect((await recordOf(vault, perp)).position.leverage.value).toBe(5);
  });

  test("the leader's agent may act until it is revoked", async () => {
    const agent = world.unfunded('agent');
    succeeded(await leader.approveAgent(agent.address));
    succeeded(await world.client.executed(await forVault(agent)));
    expect(await vault.openOrders()).toHaveLength(1);
    succeeded(await leader.revokeAgent());
    await expectNothing(
      [vault, leader],
      forVault(agent),
      unauthorized(
        `Authorization failed: Agent ${agent.address} is not authorized by any account`,
        { got: agent.address, why: SIGNER_HINT },
      ),
    );
  });

  test("the vault's own key may act only if vaultAddress is absent", async () => {
    succeeded(await act(vault, resting()));
    expect(await vault.openOrders()).toHaveLength(1);
    await expectNothing([vault], forVault(vault), notLeader());
  });

  test("an agent approved by the vault's own key may trade", async () => {
    const agent = world.unfunded('agent');
    succeeded(await vault.approveAgent(agent.address));
    succeeded(await act(agent, resting()));
    expect(await vault.openOrders()).toHaveLength(1);
  });

  test('a multi-sig leader acts through its signers', async () => {
    const members = [world.unfunded('first'), world.unfunded('second')] as const;
    const signers = signerSet(members, 2);
    succeeded(await send(leader, 'convertToMultiSigUser', { signers }));
    const wrap = { account: leader, sender: members[0], vaultAddress: vault.address };
    const enough = await wrapped(resting(), { ...wrap, signers: members });
    succeeded(await world.client.executed(enough));
    expect(await vault.openOrders()).toHaveLength(1);
    expect(await leader.openOrders()).toEqual([]);
    // The vault is part of the signed data.
    const few = wrapped(resting(), { ...wrap, signers: [members[1]] });
    await expectNothing(
      [vault],
      few,
      unauthorized('Not enough signatures: 1 of 2', {
        field: 'signatures',
        got: 1,
        allowed: { min: 2 },
      }),
    );
    const money = inner('tokenSend', transfer({ to: leader.address, amount: '5' }));
    const spending = wrapped(money, { ...wrap, signers: members });
    await expectNothing(
      [vault, leader],
      spending,
      unauthorized('vaultAddress is not allowed for this action', {
        field: 'vaultAddress',
        got: vault.address,
      }),
    );
  });

  test('every other account, agent and key is rejected', async () => {
    const agent = world.unfunded('agent');
    succeeded(await bob.approveAgent(agent.address));
    for (const each of [bob, agent]) await expectNothing([vault, bob], forVault(each), notLeader());
    const nobody = world.unfunded('nobody');
    await expectNothing([vault], forVault(nobody), noAccount(nobody.address));
  });

  test('a former leader loses permission once the operator names another', async () => {
    succeeded(await register({ leader: bob.address, name: 'Second' }));
    await expectNothing([vault], forVault(leader), notLeader());
    succeeded(await world.client.executed(await forVault(bob)));
  });

  test("a vaultAddress that is not a vault's is rejected", async () => {
    const vaultAddress = bob.address;
    await expectNothing(
      [leader, bob],
      leader.sign(resting(), { vaultAddress }),
      unauthorized(`Vault not registered: ${vaultAddress}`, {
        field: 'vaultAddress',
        got: vaultAddress,
      }),
    );
  });
});

describe("only a vault's own key moves its money", () => {
  test("a vault's money is transferred with the vault's own key", async () => {
    succeeded(await tokenSend(vault, { to: bob.address, amount: '10' }));
    succeeded(await send(vault, 'withdraw3', { destination: bob.address, amount: '10' }));
    expect(await vault.balance()).toBe('980');
  });

  const directs: readonly [string, () => JsonObject][] = [
    ['tokenSend', () => transfer({ to: leader.address, amount: '10' })],
    ['withdraw3', () => ({ destination: leader.address, amount: '10' })],
    ['approveAgent', () => ({ agentAddress: bob.address, agentName: 'desk' })],
    ['approveBuilderFee', () => ({ builder: bob.address, maxFeeRate: '0.1%' })],
    ['revokeBuilderFee', () => ({ builder: bob.address })],
    ['convertToMultiSigUser', () => ({ signers: 'null' })],
  ];
  test.each(directs)(
    '%s accepts no vaultAddress, not even from the leader',
    async (type, fields) => {
      const { envelope } = await direct(leader, type, fields());
      const attempt = async () =>
        world.client.executed({ ...envelope, vaultAddress: vault.address });
      await expectNothing(
        [vault, leader],
        attempt,
        unauthorized('vaultAddress is not allowed for this action', {
          field: 'vaultAddress',
          got: vault.address,
        }),
      );
    },
  );
});

describe('some accounts cannot become vaults', () => {
  const used = 'Agent address is already used';
  test('a vault cannot become an agent, a builder or a multi-sig account', async () => {
    await expectNothing(
      [vault, bob],
      direct(bob, 'approveAgent', { agentAddress: vault.address, agentName: 'desk' }),
      { code: 10008, name: 'AGENT', message: used, details: { field: 'agentAddress' } },
    );
    await expectNothing(
      [vault, bob],
      direct(bob, 'approveBuilderFee', { builder: vault.address, maxFeeRate: '0.1%' }),
      {
        code: 10012,
        name: 'BUILDER',
        message: 'Invalid builder address',
        details: { field: 'builder' },
      },
    );
    await expectNothing(
      [vault, bob],
      direct(vault, 'convertToMultiSigUser', { signers: signerSet([bob], 1) }),
      {
        code: 10000,
        name: 'INVALID',
        message: 'Invalid multi-sig signers',
        details: { field: 'signers', why: 'a vault cannot become a multi-sig account' },
      },
    );
  });

  test('an agent, a builder or a multi-sig account cannot be registered as a vault', async () => {
    const [agent, company] = [world.unfunded('agent'), await world.resident('company')];
    succeeded(await bob.approveAgent(agent.address));
    expectRefusal(await register({ vault: agent.address }), 10008, used);
    succeeded(
      await send(bob, 'approveBuilderFee', { builder: leader.address, maxFeeRate: '0.1%' }),
    );
    expectRefusal(await register({ vault: leader.address }), 10012, 'Invalid builder address');
    const signers = signerSet([bob], 1);
    succeeded(await send(company, 'convertToMultiSigUser', { signers }));
    expectRefusal(await register({ vault: company.address }), 10000, 'Invalid multi-sig signers');
  });
});

describe('an admin registers vaults and their shares', () => {
  test('registering a vault creates an account if its address is new', async () => {
    const fresh = world.unfunded('fresh');
    succeeded(await register({ vault: fresh.address }));
    expect(await accountStatus(world.client, fresh.address)).toMatchObject({ exists: true });
    await fund(world.client, fresh.address);
    expect((await fresh.state()).withdrawable).toBe('1000');
  });

  test('only an admin can register a vault', async () => {
    const action = {
      type: 'venueAdmin',
      registerVault: { vault: bob.address, leader: leader.address, name: 'Mine' },
    };
    await expectNothing(
      [leader, bob],
      leader.sign(action),
      unauthorized('Signer is not permitted to send venueAdmin', { got: leader.address }),
    );
  });

  const equityOf = async (actor: Actor) => (await actor.state()).vaultEquity;

  test('vaultEquity is account value × shares / all shares, rounded down, summed over all vaults', async () => {
    const shares = [
      { user: leader.address, shares: '1' },
      { user: bob.address, shares: '2' },
    ];
    succeeded(await register({ shares }));
    expect([await equityOf(leader), await equityOf(bob), await equityOf(vault)]).toEqual([
      '333.333333',
      '666.666666',
      '0',
    ]);
    // The second vault has 3 USDC, and half of it adds 1.5.
    const second = world.unfunded('second');
    succeeded(await tokenSend(bob, { to: second.address, amount: '3' }));
    const halves = [
      { user: leader.address, shares: '0.000001' },
      { user: vault.address, shares: '0.000001' },
    ];
    succeeded(await register({ vault: second.address, shares: halves }));
    expect([await equityOf(leader), await equityOf(vault)]).toEqual(['334.833333', '1.5']);
  });

  test('vaultEquity follows profit and loss, and a new leader does not change it', async () => {
    const own = await operator.list();
    succeeded(await register({ shares: [{ user: bob.address, shares: '4' }] }));
    await trade(vault, leader, { market: own, price: '100', size: '10' });
    await own.push('101');
    // The value is 1000 minus a fee of 0.45, plus a profit of 10, and all of it belongs to Bob.
    expect(await equityOf(bob)).toBe('1009.55');
    succeeded(await register({ leader: bob.address, name: 'Renamed' }));
    expect(await equityOf(bob)).toBe('1009.55');
    succeeded(await register({ shares: [] }));
    expect(await equityOf(bob)).toBe('0');
  });

  test('a duplicate user or invalid shares cause the whole action to be rejected', async () => {
    succeeded(await register({ shares: [{ user: bob.address, shares: '4' }] }));
    const twice = [
      { user: bob.address, shares: '1' },
      { user: bob.address, shares: '1' },
    ];
    expectRefusal(await register({ shares: twice }), 10002, 'Invalid user: is named twice');
    for (const shares of ['-1', '0.0000001', '9007199254.740992']) {
      const reply = await register({ shares: [{ user: bob.address, shares }] });
      expectRefusal(reply, 10002, 'Invalid shares: must be a count of 0.000001, not below 0');
    }
    expect(await equityOf(bob)).toBe('1000');
  });
});
