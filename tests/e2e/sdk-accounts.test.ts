import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import {
  conversion,
  createClient,
  eip1193Wallet,
  limitOrder,
  privateKeyWallet,
  randomPrivateKey,
  signAction,
  signProposal,
  type Client,
  type ExecutedReply,
  type MultiSigProposal,
  type ProposedAction,
  type ReplyOf,
} from '@oddlot/sdk';
import { createHasher, NETWORKS } from '@oddlot/protocol';
import { signAsSent } from '../support/sdk/sign-as-sent.ts';
import { exact, show, times } from '../support/exact.ts';
import type { Market } from '../support/market.ts';
import { FIXED_PRICE_FLAGS, HOLDING, Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import { aMarket, clientOf, closeClients, trader, type Person } from './test-accounts.ts';

/**
 * Goal: the guides on agents, builders and signing are correct. Method: use nothing but the SDK
 * with a real venue for builders, transfers, withdrawals, multi-sig accounts, vaults, gates and
 * explained signatures.
 */

let venue: Venue;
let operator: Person;
let alice: Person;
let bob: Person;
let market: Market;

beforeAll(async () => {
  const admin = privateKeyWallet(keyOf('e2e operator')).address;
  venue = await Venue.start([...FIXED_PRICE_FLAGS, ...HOLDING, '--admins', admin]);
  operator = await trader(venue, 'operator');
  alice = await trader(venue, 'alice');
  bob = await trader(venue, 'bob');
  market = await aMarket(venue, operator);
});

afterAll(async () => {
  closeClients();
  const faults = venue?.faults();
  await venue?.remove();
  expect(faults).toEqual([]);
});

const confirm = { confirm: 'executed' } as const;

/** Returns an executed action's result. Throws for any other reply. */
async function executed(sent: Promise<ReplyOf<'executed'>>): Promise<ExecutedReply> {
  const reply = await sent;
  if (reply.status !== 'executed') throw new Error(`Not executed: ${JSON.stringify(reply)}`);
  return reply;
}

/** Returns a limit order, by default 20% below the mark. */
function anOrder(side: 'buy' | 'sell', basisPoints = -2000) {
  const size = market.worth(100);
  return limitOrder({ asset: market.id, side, price: market.at(basisPoints), size });
}

const free = async ({ client, address }: Person, accountType: 'perp' | 'outcome' = 'perp') =>
  (await client.info.clearinghouseState({ user: address, accountType })).withdrawable;

function agentClient(): { client: Client; address: string } {
  const wallet = privateKeyWallet(randomPrivateKey());
  return { client: createClient({ url: venue.url, wallet }), address: wallet.address };
}

describe('a builder earns fees', () => {
  let builder: Person;
  beforeAll(async () => {
    builder = await trader(venue, 'builder');
  });
  const fee = () => ({ b: builder.address, f: 10 });

  test('a builder without approval is not paid, but the order executes', async () => {
    const { exchange } = alice.client;
    const resting = { orders: [anOrder('buy')], builder: fee() };
    const { warnings, orders } = await executed(exchange.order(resting, confirm));
    expect(warnings).toMatchObject([
      { code: 'BUILDER_FEE_DROPPED', details: { reason: 'notApproved', f: 10 } },
    ]);
    expect(orders).toMatchObject([{ state: 'open' }]);
    await executed(exchange.cancelAll({}, confirm));
  });

  test('a builder is paid by orders from users who approved it, and claims through an agent', async () => {
    const { exchange, info } = alice.client;
    const approval = { builder: builder.address, maxFeeRate: '0.05%' };
    await executed(exchange.approveBuilderFee(approval, confirm));
    expect(await info.approvedBuilders({ user: alice.address })).toMatchObject([approval]);

    await executed(bob.client.exchange.order({ orders: [anOrder('sell', 0)] }, confirm));
    const buy = { orders: [anOrder('buy', 0)], builder: fee() };
    const { orders, warnings } = await executed(exchange.order(buy, confirm));
    expect(orders).toMatchObject([{ state: 'filled' }]);
    expect(warnings).toEqual([]);
    const notional = times(exact(market.at(0)), exact(market.worth(100)));
    const earned = show(times(notional, exact('0.0001')));
    const before = await free(builder);
    expect(await info.builderState({ user: builder.address })).toMatchObject({
      unclaimedRewards: earned,
      totalEarned: earned,
      totalClaimed: '0',
      eligible: true,
    });

    const agent = agentClient();
    await executed(builder.client.exchange.approveAgent({ agentAddress: agent.address }, confirm));
    await executed(agent.client.exchange.claimBuilderRewards(confirm));
    expect(await info.builderState({ user: builder.address })).toMatchObject({
      unclaimedRewards: '0',
      totalEarned: earned,
      totalClaimed: earned,
    });
    expect(await free(builder)).toBe(show(exact(before) + exact(earned)));
    const [row] = await info.userNonFundingLedgerUpdates({ user: builder.address, limit: 1 });
    expect(row?.delta).toMatchObject({ type: 'builderRewardsClaim', amount: earned });
    await expect(agent.client.exchange.claimBuilderRewards()).rejects.toMatchObject({
      name: 'BUILDER',
      message: 'No unclaimed builder rewards',
    });
  });

  test('a builder gets no fee above its approval or once it is revoked', async () => {
    const { exchange, info } = alice.client;
    const dear = { orders: [anOrder('buy')], builder: { ...fee(), f: 90 } };
    expect((await exchange.order(dear)).status).toBe('accepted');
    const { warnings } = await executed(exchange.order(dear, confirm));
    expect(warnings).toMatchObject([{ details: { reason: 'overApproval' } }]);
    await executed(exchange.cancelAll({}, confirm));
    await executed(exchange.revokeBuilderFee({ builder: builder.address }, confirm));
    expect(await info.approvedBuilders({ user: alice.address })).toEqual([]);
    await expect(exchange.revokeBuilderFee({ builder: builder.address })).rejects.toMatchObject({
      message: 'Builder is not approved',
    });
  });
});

describe('money can be transferred and withdrawn', () => {
  let carol: Person;
  beforeAll(async () => {
    carol = await trader(venue, 'carol');
  });

  test('money can be transferred between sub-accounts', async () => {
    const { exchange } = carol.client;
    await executed(
      exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '250.5' }, confirm),
    );
    expect([await free(carol), await free(carol, 'outcome')]).toEqual(['749.5', '250.5']);
    await executed(
      exchange.transferBetween({ from: 'outcome', to: 'perp', amount: '50.5' }, confirm),
    );
    expect([await free(carol), await free(carol, 'outcome')]).toEqual(['800', '200']);
    const same = exchange.transferBetween({ from: 'perp', to: 'perp', amount: '1' });
    await expect(same).rejects.toMatchObject({ name: 'FUNDS' });
  });

  test('money sent to a new address opens an account there', async () => {
    const newcomer = clientOf(venue, 'newcomer');
    const { accountStatus, exchange } = carol.client;
    expect(await accountStatus({ user: newcomer.address })).toMatchObject({
      exists: false,
      eligible: false,
      reason: 'No trading account found',
    });
    await executed(exchange.sendTo({ destination: newcomer.address, amount: '25' }, confirm));
    expect(await accountStatus({ user: newcomer.address })).toMatchObject({ eligible: true });
    expect(await free(newcomer)).toBe('25');
    const tooMuch = exchange.sendTo({ destination: newcomer.address, amount: '100000' });
    await expect(tooMuch).rejects.toMatchObject({
      name: 'MARGIN',
      message: 'Insufficient balance',
    });
  });

  test('money is held while it is being withdrawn to the settlement chain', async () => {
    const { exchange, info } = carol.client;
    const destination = carol.address;
    const before = exact(await free(carol));
    await executed(exchange.withdraw3({ destination, amount: '100' }, confirm));
    expect(await free(carol)).toBe(show(before - exact(100)));
    const [row] = await info.userNonFundingLedgerUpdates({ user: carol.address, limit: 1 });
    expect(row?.delta).toMatchObject({ type: 'withdraw', amount: '100', destination });
    await expect(exchange.withdraw3({ destination, amount: '1.99' })).rejects.toMatchObject({
      message: 'Below minimum withdraw amount',
    });
  });
});

test('a browser wallet on another chain can transfer money and approve an agent', async () => {
  await trader(venue, 'browser');
  const account = privateKeyToAccount(keyOf('e2e browser'));
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown[] }) => {
      if (method === 'eth_chainId') return '0xa4b1';
      return signAsSent(account, params?.[1] as string);
    },
  };
  const wallet = eip1193Wallet(provider, account.address);
  const { exchange } = createClient({ url: venue.url, wallet });
  await executed(exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '1' }, confirm));
  await expect(exchange.order({ orders: [anOrder('buy')] })).rejects.toMatchObject({
    name: 'SigningError',
    message: expect.stringContaining('Approve an agent with this wallet'),
  });
  const agent = agentClient();
  await executed(exchange.approveAgent({ agentAddress: agent.address }, confirm));
  await executed(agent.client.exchange.order({ orders: [anOrder('buy')] }, confirm));
  await executed(agent.client.exchange.cancelAll({}, confirm));
});

describe('a multi-sig account acts through its signers', () => {
  let group: Person;
  let members: Person[];
  beforeAll(async () => {
    group = await trader(venue, 'group');
    members = ['m1', 'm2', 'm3'].map((name) => clientOf(venue, name));
  });
  const signers = () => ({ authorizedUsers: members.map(({ address }) => address), threshold: 2 });

  /** Returns a proposal by the first member that some members have signed. */
  async function proposed(action: ProposedAction, signing: readonly number[]) {
    const { multiSig } = members[0]!.client.exchange;
    const made = await multiSig.propose({ multiSigUser: group.address, action });
    const proposal = JSON.parse(JSON.stringify(made)) as MultiSigProposal;
    const signatures = await Promise.all(
      signing.map(async (index) => {
        const { wallet, network } = members[index]!.client;
        return signProposal(proposal, { wallet: wallet!, network: await network() });
      }),
    );
    return () => multiSig.send(proposal, signatures, confirm);
  }

  test('a multi-sig account is controlled by enough of its signers and no longer by its own key', async () => {
    const { exchange, info } = group.client;
    await executed(exchange.convertToMultiSigUser({ signers: signers() }, confirm));
    expect(await info.multiSigSigners({ user: group.address })).toMatchObject({ threshold: 2 });
    await expect(exchange.order({ orders: [anOrder('buy')] })).rejects.toMatchObject({
      name: 'UNAUTHORIZED',
      message: 'Multi-sig account requires a multiSig payload',
    });
    const order = { type: 'order' as const, grouping: 'na' as const, orders: [anOrder('buy')] };
    const alone = await proposed(order, [0]);
    await expect(alone()).rejects.toMatchObject({ message: 'Not enough signatures: 1 of 2' });
    const together = await proposed(order, [0, 2]);
    expect((await executed(together())).orders).toMatchObject([{ state: 'open' }]);
    expect(await info.frontendOpenOrders({ user: group.address })).toHaveLength(1);
    await executed((await proposed({ type: 'cancelAll' }, [1, 2]))());
    expect(await info.frontendOpenOrders({ user: group.address })).toEqual([]);
  });

  test('a multi-sig account transfers money and approves agents in the same way', async () => {
    const { info } = group.client;
    const before = exact(await free(group));
    const payment = {
      type: 'tokenSend' as const,
      destination: operator.address,
      token: 0,
      amount: '10',
      fromAccountType: 'perp' as const,
      toAccountType: 'perp' as const,
    };
    await executed((await proposed(payment, [0, 1]))());
    expect(await free(group)).toBe(show(before - exact(10)));
    const agent = agentClient();
    const approval = { type: 'approveAgent' as const, agentAddress: agent.address };
    await executed((await proposed(approval, [0, 1]))());
    await executed(agent.client.exchange.order({ orders: [anOrder('buy')] }, confirm));
    expect(await info.frontendOpenOrders({ user: group.address })).toHaveLength(1);
    await executed(agent.client.exchange.cancelAll({}, confirm));
  });

  test('a multi-sig account becomes an ordinary account again if its signers agree', async () => {
    const { exchange, info } = group.client;
    await executed((await proposed(conversion(null), [1, 2]))());
    expect(await info.multiSigSigners({ user: group.address })).toBeNull();
    await executed(exchange.order({ orders: [anOrder('buy')] }, confirm));
    await executed(exchange.cancelAll({}, confirm));
  });
});

test("the leader trades for a vault, and the vault's own key moves its money", async () => {
  const leader = await trader(venue, 'leader');
  const depositor = await trader(venue, 'depositor');
  const vault = await trader(venue, 'vault');
  const shares = [{ user: depositor.address, shares: '100' }];
  const registration = { vault: vault.address, leader: leader.address, name: 'Calm', shares };
  await executed(operator.client.exchange.venueAdmin.registerVault(registration, confirm));

  const agent = agentClient();
  await executed(leader.client.exchange.approveAgent({ agentAddress: agent.address }, confirm));
  const trading = agent.client.exchange.forVault(vault.address);
  await executed(trading.order({ orders: [anOrder('buy')] }, confirm));
  expect(await agent.client.info.frontendOpenOrders({ user: vault.address })).toHaveLength(1);
  await executed(trading.cancelAll({}, confirm));
  await expect(depositor.client.exchange.forVault(vault.address).cancelAll()).rejects.toMatchObject(
    { message: `Not the leader of vault ${vault.address}` },
  );

  const held = await depositor.client.info.clearinghouseState({ user: depositor.address });
  expect(held.vaultEquity).toBe('1000');
  await executed(
    vault.client.exchange.sendTo({ destination: leader.address, amount: '5' }, confirm),
  );
  expect(await free(vault)).toBe('995');
});

describe('signatures can be explained', () => {
  test("explainSignature returns a signature's signer and account", async () => {
    const owner = await trader(venue, 'owner');
    const agent = agentClient();
    const approval = { agentAddress: agent.address, agentName: 'bot' };
    await executed(owner.client.exchange.approveAgent(approval, confirm));
    const { wallet, network, info } = agent.client;
    const tools = { hasher: createHasher(await network()), wallet: wallet! };
    const signed = await signAction({ type: 'cancelAll' }, { nonce: Date.now() }, tools);
    expect(await info.explainSignature({ envelope: signed.body })).toMatchObject({
      scheme: 'agent',
      txHash: signed.txHash,
      signer: agent.address,
      role: 'agent',
      owner: owner.address,
      agentName: 'bot',
      match: null,
    });
    const wrong = { ...tools, hasher: createHasher(NETWORKS.mainnet) };
    const foreign = await signAction({ type: 'cancelAll' }, { nonce: Date.now() }, wrong);
    expect(await info.explainSignature({ envelope: foreign.body })).toMatchObject({
      role: 'none',
      match: { signer: agent.address, owner: owner.address, hint: expect.any(String) },
    });
  });
});

describe('the operator controls access and the treasury', () => {
  test('the operator admits accounts with a code and does not prevent existing positions from being closed', async () => {
    const { venueAdmin } = operator.client.exchange;
    const dave = await trader(venue, 'dave');
    const { exchange, info, accountStatus } = dave.client;
    await executed(exchange.order({ orders: [anOrder('buy')] }, confirm));
    const accessCodes = { add: [{ code: 'ALPHA-1', maxUses: 1 }] };
    await executed(venueAdmin.setGate({ channel: 0, mode: 'accessCode', accessCodes }, confirm));
    const reason = 'User not authorized for this channel';
    await expect(exchange.order({ orders: [anOrder('buy')] })).rejects.toMatchObject({
      name: 'GATED',
      message: reason,
    });
    expect(await accountStatus({ user: dave.address })).toMatchObject({ eligible: false, reason });
    await executed(exchange.cancelAll({}, confirm));

    const grants = { add: [{ user: dave.address, code: 'ALPHA-1' }] };
    await executed(venueAdmin.setGate({ channel: 0, grants }, confirm));
    const status = await info.accessCodeStatus({ user: dave.address });
    expect(status).toMatchObject({ required: true, granted: true, accessCode: 'AL****' });
    await executed(exchange.order({ orders: [anOrder('buy')] }, confirm));
    await executed(exchange.cancelAll({}, confirm));
    await executed(venueAdmin.setGate({ channel: 0, mode: 'open' }, confirm));
    expect(await info.accessCodeStatus({ user: operator.address })).toMatchObject({
      required: false,
      granted: true,
    });
  });

  test('the operator pays fees out of the treasury when the insurance fund is full', async () => {
    const send = operator.client.exchange.venueAdmin.treasurySend;
    const payment = { destination: operator.address, amount: '0.01' };
    // Alice is long and Bob is short. The fund's target is a fraction of this open interest.
    await expect(send(payment)).rejects.toMatchObject({
      message: 'Insurance fund is below its target',
    });
    await executed(bob.client.exchange.order({ orders: [anOrder('buy', 0)] }, confirm));
    await executed(alice.client.exchange.order({ orders: [anOrder('sell', 0)] }, confirm));
    const before = exact(await free(operator));
    await executed(send(payment, confirm));
    expect(await free(operator)).toBe(show(before + exact('0.01')));
    const tooMuch = send({ ...payment, amount: '1000000' });
    await expect(tooMuch).rejects.toMatchObject({ message: 'Insufficient balance' });
  });

  test('only the configured admin can act as the operator', async () => {
    const { venueAdmin } = bob.client.exchange;
    await expect(venueAdmin.setGate({ channel: 0, mode: 'closed' })).rejects.toMatchObject({
      message: 'Signer is not permitted to send venueAdmin',
    });
  });
});
