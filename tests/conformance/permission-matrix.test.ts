import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { aSharedVenue, cloidOf, order, orderAction, type Actor } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, DEPLOYER, type OutcomeMarket } from '../support/deployer.ts';
import { isDirect } from '../support/direct.ts';
import {
  approveBuilder,
  direct,
  everythingOf,
  expectExactly,
  inner,
  MULTI_SIG_REQUIRED,
  noAccount,
  send,
  signerSet,
  transfer,
  unauthorized,
  SIGNER_HINT,
  wrapped,
  type Inner,
  type Refusal,
} from '../support/keys.ts';
import {
  act,
  succeeded,
  Operator,
  OPERATED,
  perpOrder,
  refusalOf,
  type OwnPerp,
} from '../support/perps.ts';
import { REPOSITORY, HOLDING } from '../support/venue-process.ts';
import { nextNonce, type JsonObject, type Signed } from '../support/wallet.ts';

/**
 * Checks every action with every kind of signer, for an account, for a vault with a leader and for
 * a multi-sig account. Rejection messages are compared exactly, and a rejected action must not
 * change any account.
 */

/**
 * `yes` means that the action is executed for the account. `other <code>` means that it is executed
 * or rejected for the signer's own account, and never for this one. All other values are keys in
 * `REFUSALS`.
 */
const MATRIX = `
                       key      agent    revoked  other        unfunded leader   leadersAgent ownKey   alone    quorum
order                  yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
cancel                 yes      yes      revoked  other:10011  unknown  yes      yes          wrapper  few      yes
cancelByCloid          yes      yes      revoked  other:10011  unknown  yes      yes          wrapper  few      yes
cancelAll              yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
scheduleCancel         yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
modify2                yes      yes      revoked  other:10011  unknown  yes      yes          wrapper  few      yes
reversePosition        yes      yes      revoked  other:10010  unknown  yes      yes          wrapper  few      yes
updateLeverage         yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
updateMarginMode       yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
updateIsolatedMargin   yes      yes      revoked  other:10010  unknown  yes      yes          wrapper  few      yes
updatePositionMode     yes      yes      revoked  other:0      unknown  yes      yes          wrapper  few      yes
outcomeOperate         yes      yes      revoked  other:10010  unknown  yes      yes          wrapper  few      yes
claimBuilderRewards    yes      yes      revoked  other:10012  unknown  nothing  nothing      wrapper  few      yes
approveAgent           yes      deposit  deposit  deposit      deposit  noVault  noVault      wrapper  few      yes
approveBuilderFee      yes      unknown  unknown  unknown      unknown  noVault  noVault      wrapper  few      yes
revokeBuilderFee       yes      unknown  unknown  unknown      unknown  noVault  noVault      wrapper  few      yes
tokenSend              yes      unknown  unknown  unknown      unknown  noVault  noVault      wrapper  few      yes
withdraw3              yes      unknown  unknown  unknown      unknown  noVault  noVault      wrapper  few      yes
convertToMultiSigUser  yes      unknown  unknown  unknown      unknown  noVault  noVault      wrapper  few      yes
multiSig               outsider outsider outsider outsider     outsider outsider outsider     outsider few      yes
venueAdmin             admin    admin    admin    admin        admin    noVault  noVault      admin    inside   inside
outcomeDeploy          deployer deployer deployer deployer     deployer noVault  noVault      deployer within   within
`;

const [header = [], ...ROWS] = MATRIX.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const COLUMNS = header as (keyof ReturnType<typeof signers>)[];

const REFUSALS: Readonly<Record<string, (by: Actor) => Refusal>> = {
  unknown: ({ address }) => noAccount(address),
  deposit: ({ address }) => ({ ...noAccount(address), message: 'Please deposit first' }),
  revoked: ({ address }) =>
    unauthorized(`Authorization failed: Agent ${address} is not authorized by any account`, {
      got: address,
      why: SIGNER_HINT,
    }),
  noVault: () =>
    unauthorized('vaultAddress is not allowed for this action', {
      field: 'vaultAddress',
      got: vault.address,
    }),
  nothing: () => ({ code: 10012, name: 'BUILDER', message: 'No unclaimed builder rewards' }),
  wrapper: () => MULTI_SIG_REQUIRED,
  few: () =>
    unauthorized('Not enough signatures: 1 of 2', {
      field: 'signatures',
      got: 1,
      allowed: { min: 2 },
    }),
  outsider: ({ address }) =>
    unauthorized(`Signer ${address} is not authorized for ${company.address}`, {
      field: 'payload.outerSigner',
      got: address,
    }),
  admin: ({ address }) =>
    unauthorized('Signer is not permitted to send venueAdmin', { got: address }),
  deployer: ({ address }) =>
    unauthorized('Signer is not permitted to send outcomeDeploy', { got: address }),
  within: () =>
    unauthorized('Signer is not permitted to send outcomeDeploy', {
      field: 'payload.action.type',
      got: 'outcomeDeploy',
    }),
  inside: () =>
    unauthorized('Signer is not permitted to send venueAdmin', {
      field: 'payload.action.type',
      got: 'venueAdmin',
    }),
};

const world = aSharedVenue([...OPERATED, ...HOLDING, '--deployers', DEPLOYER]);
const deployer = new Deployer(world);
const operator = new Operator(world);

let perp: OwnPerp;
let spare: OwnPerp;
let market: OutcomeMarket;
let alice: Actor;
let bob: Actor;
let vault: Actor;
let leader: Actor;
let company: Actor;
let maker: Actor;
let agents: Record<'alice' | 'revoked' | 'bob' | 'leader', Actor>;
let members: readonly [Actor, Actor, Actor];

type Action = JsonObject | Inner;

type Signer = {
  readonly by: Actor;
  readonly account: Actor;
  readonly sign: (action: Action) => Promise<Signed>;
};

function signers() {
  const plain = (by: Actor, account: Actor, vaultAddress?: string): Signer => ({
    by,
    account,
    sign: async (action) => signPlain(by, action, vaultAddress),
  });
  const wrapping = (count: number): Signer => ({
    by: members[0],
    account: company,
    sign: async (action) => signWrapped(members[0], members.slice(0, count), action),
  });
  return {
    key: plain(alice, alice),
    agent: plain(agents.alice, alice),
    revoked: plain(agents.revoked, alice),
    other: plain(agents.bob, alice),
    unfunded: plain(world.unfunded('unfunded'), alice),
    leader: plain(leader, vault, vault.address),
    leadersAgent: plain(agents.leader, vault, vault.address),
    ownKey: plain(company, company),
    alone: wrapping(1),
    quorum: wrapping(2),
  };
}

async function signPlain(by: Actor, action: Action, vaultAddress?: string): Promise<Signed> {
  const nonce = nextNonce();
  const content = typeof action === 'function' ? action(nonce) : action;
  const { type, ...fields } = content;
  // The wrapper's sender is also its only inner signer.
  if (type === 'multiSig') return signWrapped(by, [by], CANCEL_ALL, vaultAddress);
  const vaultOf = vaultAddress === undefined ? {} : { vaultAddress };
  if (!isDirect(type)) return by.sign(content, { nonce, ...vaultOf });
  const signed = await direct(by, String(type), fields, { nonce });
  return { ...signed, envelope: { ...signed.envelope, ...vaultOf } };
}

async function signWrapped(
  sender: Actor,
  by: readonly Actor[],
  action: Action,
  vaultAddress?: string,
): Promise<Signed> {
  const isWrapper = typeof action !== 'function' && action['type'] === 'multiSig';
  const vaultOf = vaultAddress === undefined ? {} : { vaultAddress };
  const wrap = { account: company, sender, signers: by, ...vaultOf };
  return wrapped(isWrapper ? CANCEL_ALL : action, wrap);
}

const CANCEL_ALL = { type: 'cancelAll' };

/** Executes an action for an account, signed by a permitted signer. */
async function actFor(account: Actor, action: Action): Promise<Json> {
  const { key, leader: leads, quorum } = signers();
  const { sign } = { [vault.address]: leads, [company.address]: quorum }[account.address] ?? key;
  return succeeded(await world.client.executed(await sign(action)));
}

let count = 0;
const restingOrder = (cloid?: string) =>
  order({
    market: perp,
    side: 'buy',
    price: '50',
    size: '1',
    tif: 'Alo',
    ...(cloid === undefined ? {} : { cloid }),
  });

async function restFor(account: Actor, cloid?: string): Promise<number> {
  const { orders } = await actFor(account, orderAction(restingOrder(cloid)));
  return orders[0].oid;
}

/** Each entry prepares the account and returns a valid action of that type. */
const ACTIONS: Readonly<Record<string, (account: Actor) => Action | Promise<Action>>> = {
  order: () => orderAction(restingOrder()),
  cancel: async (account) => ({
    type: 'cancel',
    cancels: [{ a: perp.id, o: await restFor(account) }],
  }),
  cancelByCloid: async (account) => {
    const cloid = cloidOf(`permission ${(count += 1)}`);
    await restFor(account, cloid);
    return { type: 'cancelByCloid', cancels: [{ asset: perp.id, cloid }] };
  },
  cancelAll: () => CANCEL_ALL,
  scheduleCancel: () => ({ type: 'scheduleCancel' }),
  modify2: async (account) => ({
    type: 'modify2',
    a: perp.id,
    o: await restFor(account),
    p: '51',
    s: '1',
  }),
  reversePosition: () => ({ type: 'reversePosition', asset: perp.id }),
  updateLeverage: () => ({ type: 'updateLeverage', asset: spare.id, leverage: 5 }),
  updateMarginMode: () => ({ type: 'updateMarginMode', asset: spare.id, isCross: true }),
  updateIsolatedMargin: () => ({
    type: 'updateIsolatedMargin',
    asset: perp.id,
    isBuy: true,
    ntli: 1_000_000,
  }),
  updatePositionMode: () => ({ type: 'updatePositionMode', positionMode: 'oneWay' }),
  outcomeOperate: () => ({ type: 'outcomeOperate', split: [{ asset: market.id, sz: '1' }] }),
  claimBuilderRewards: async (account) => {
    if (account !== vault) await earnFor(account);
    return { type: 'claimBuilderRewards' };
  },
  approveAgent: () => {
    const agent = world.unfunded('new agent');
    return inner('approveAgent', { agentAddress: agent.address, agentName: agent.address });
  },
  approveBuilderFee: () =>
    inner('approveBuilderFee', { builder: maker.address, maxFeeRate: '0.1%' }),
  revokeBuilderFee: async (account) => {
    const approval = inner('approveBuilderFee', { builder: maker.address, maxFeeRate: '0.1%' });
    if (account !== vault) await actFor(account, approval);
    return inner('revokeBuilderFee', { builder: maker.address });
  },
  tokenSend: ({ address }) =>
    inner('tokenSend', transfer({ to: address, amount: '1', into: 'outcome' })),
  withdraw3: () => inner('withdraw3', { destination: maker.address, amount: '2' }),
  convertToMultiSigUser: (account) => {
    const signersText = account === company ? signerSet(members, 2) : 'null';
    return inner('convertToMultiSigUser', { signers: signersText });
  },
  multiSig: () => ({ type: 'multiSig' }),
  outcomeDeploy: () => ({
    type: 'outcomeDeploy',
    setTrading: { instrumentIds: [market.id], state: 'halt' },
  }),
  venueAdmin: () => ({
    type: 'venueAdmin',
    setOperators: { role: 'admins', add: [maker.address] },
  }),
};

/** Earns builder rewards for the account: Bob approves it as his builder and trades through it. */
async function earnFor(account: Actor): Promise<void> {
  for (const side of ['buy', 'sell'] as const) {
    const price = side === 'buy' ? '100.1' : '99.9';
    const action = orderAction(order({ market: perp, side, price, size: '1', tif: 'Ioc' }));
    succeeded(await act(bob, { ...action, builder: { b: account.address, f: 10 } }));
  }
}

beforeAll(async () => {
  [perp, spare] = [await operator.list(), await operator.list()];
  [alice, bob, leader] = [
    await world.resident('alice'),
    await world.resident('bob'),
    await world.resident('leader'),
  ];
  [vault, company, maker] = [
    await world.resident('vault'),
    await world.resident('company'),
    await world.resident('maker'),
  ];
  members = [world.unfunded('first'), world.unfunded('second'), world.unfunded('third')];
  agents = {
    alice: world.unfunded('agent'),
    revoked: world.unfunded('revoked agent'),
    bob: world.unfunded('agent of bob'),
    leader: world.unfunded('agent of the leader'),
  };
  succeeded(await alice.approveAgent(agents.alice.address, 'desk'));
  succeeded(await alice.approveAgent(agents.revoked.address, 'old'));
  succeeded(await alice.revokeAgent('old'));
  succeeded(await bob.approveAgent(agents.bob.address, 'desk'));
  succeeded(await leader.approveAgent(agents.leader.address, 'desk'));
  const registration = { vault: vault.address, leader: leader.address, name: 'Vault' };
  succeeded(await operator.send({ registerVault: registration }));
  succeeded(await send(company, 'convertToMultiSigUser', { signers: signerSet(members, 2) }));
  for (const builder of [alice, company]) succeeded(await approveBuilder(bob, builder.address));
  market = await deployer.list();
  // The vault is funded directly, because only its own key can move its money.
  for (const { address } of [alice, vault, company]) {
    const gift = transfer({ to: address, amount: '20', into: 'outcome' });
    succeeded(await send(maker, 'tokenSend', gift));
  }
  await quoteBothSides();
  const buy = { market: perp, side: 'buy', price: '100.1', size: '1', tif: 'Ioc' } as const;
  const open = orderAction(perpOrder({ ...buy, margin: 'isolated' }));
  for (const account of [alice, vault, company]) await actFor(account, open);
});

/** The quotes hold the mark at the oracle price. */
async function quoteBothSides(): Promise<void> {
  const quote = { market: perp, size: '60', tif: 'Alo' } as const;
  succeeded(
    await maker.place(
      order({ ...quote, side: 'buy', price: '99.9' }),
      order({ ...quote, side: 'sell', price: '100.1' }),
    ),
  );
}

/**
 * On a slow machine, 30 s may have passed since the last oracle price. Orders are rejected once the
 * price is stale.
 */
beforeEach(async () => {
  await perp.push('100');
  await spare.push('100');
});

type Cell = Signer & { readonly name: string; readonly says: string };

function cellsOf(says: readonly string[]): Cell[] {
  const all = signers();
  return COLUMNS.map((name, at) => ({ ...all[name], name, says: says[at] ?? 'nothing at all' }));
}

test.each(ROWS)(
  'the venue permits and rejects signers as in the table: %s',
  async (type, ...row) => {
    const cells = cellsOf(row);
    await expectRefusals(
      type!,
      cells.filter(({ says }) => says !== 'yes'),
    );
    for (const account of [alice, vault, company]) {
      const allowed = cells.filter((cell) => cell.says === 'yes' && cell.account === account);
      await expectAllowed(type!, account, allowed);
    }
  },
);

/**
 * A signer without permission gets the expected error or acts for its own account. No account
 * changes.
 */
async function expectRefusals(type: string, cells: readonly Cell[]): Promise<void> {
  const actions = new Map<Actor, Action>();
  for (const { account } of cells) {
    if (!actions.has(account)) actions.set(account, await ACTIONS[type]!(account));
  }
  const before = await everythingOf([alice, vault, company]);
  for (const { account, by, name, says, sign } of cells) {
    const signed = await sign(actions.get(account)!);
    const [kind, code] = says.split(':');
    if (kind === 'other') await expectOther(by, signed, Number(code));
    else {
      const refusal = REFUSALS[says]?.(by);
      if (refusal === undefined) expect.fail(`${type} by ${name}: no refusal is called ${says}`);
      expectExactly(await world.client.executed(signed), refusal);
    }
  }
  expect(await everythingOf([alice, vault, company])).toEqual(before);
}

/** Bob's agent acts for Bob, whose own action may succeed or fail. */
async function expectOther(by: Actor, signed: Signed, code: number): Promise<void> {
  const reply = await world.client.executed(signed);
  if (code === 0) succeeded(reply);
  else expect(refusalOf(reply).code, reply.text).toBe(code);
  const receipt = await receiptOf(signed);
  const acted = { signer: by.address, user: bob.address };
  expect(receipt).toMatchObject(receipt.status === 'unknown' ? { user: null } : acted);
}

/** The action changes this account and no others. */
async function expectAllowed(type: string, account: Actor, cells: readonly Cell[]): Promise<void> {
  const others = [alice, vault, company].filter((each) => each !== account);
  const before = await everythingOf(others);
  for (const { by, name, sign } of cells) {
    const signed = await sign(await ACTIONS[type]!(account));
    succeeded(await world.client.executed(signed));
    expect(await receiptOf(signed), `${type} by ${name}`).toMatchObject({
      status: 'executed',
      signer: by.address,
      user: account.address,
    });
  }
  expect(await everythingOf(others)).toEqual(before);
}

async function receiptOf({ txHash }: Signed): Promise<Json> {
  return world.client.data({ type: 'actionStatus', txHash });
}

test('the table covers every documented action and every signer', () => {
  const text = readFileSync(join(REPOSITORY, 'docs', 'reference', 'exchange.md'), 'utf8');
  const section = text.slice(text.indexOf('\n## Actions'), text.indexOf('\n## Nonces'));
  const documented = [...section.matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
  expect(ROWS.map(([type]) => type!).toSorted()).toEqual(documented.toSorted());
  expect(COLUMNS.toSorted()).toEqual(Object.keys(signers()).toSorted());
  for (const row of ROWS) expect(row, row[0]).toHaveLength(1 + COLUMNS.length);
  const cells = ROWS.flatMap((row) => row.slice(1));
  expect(cells).toHaveLength(documented.length * COLUMNS.length);
});
