import { beforeAll, describe, expect, test } from 'vitest';
import {
  aVenue,
  cancelAction,
  factsOf,
  order,
  orderAction,
  type Actor,
} from '../support/actors.ts';
import { refusalText, type Json, type Reply } from '../support/client.ts';
import { chance } from '../support/seeded.ts';
import { exact, show } from '../support/exact.ts';
import { approveAgentAction, nextNonce, signApproveAgent, TESTNET } from '../support/wallet.ts';

/**
 * The table of what people send by mistake or by malice. Each line must be refused with its status,
 * code and text, and must change nothing: orders, balances, positions and agents of everyone are
 * compared before and after.
 */

const world = aVenue();

let alice: Actor;
let bob: Actor;

type Expected = readonly [status: number, code: number, message?: string | RegExp, field?: string];

/** Refused with code 10002, whatever the words. */
const BAD: Expected = [400, 10002];
/** The text has the name of the field, the details have its path. */
const nameOf = (field: string) => field.slice(field.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
const missing = (field: string): Expected => [400, 10002, `Missing field: ${nameOf(field)}`, field];
const wrong = (field: string): Expected => [400, 10002, `Wrong type for ${nameOf(field)}`, field];

beforeAll(async () => {
  alice = await world.resident('alice');
  bob = await world.resident('bob');
  const { btc } = world;
  // A position, a resting order and an agent each, so that there is something to damage.
  const size = btc.worth(50);
  await bob.placed({ market: btc, side: 'sell', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(0), size });
  await alice.placed({ market: btc, side: 'buy', price: btc.at(-2000), size });
  await bob.placed({ market: btc, side: 'sell', price: btc.at(2000), size });
  await alice.approveAgent(world.stranger('agent').address, 'desk');
}, 30_000);

async function expectHarmless(send: () => Promise<Reply>, expected: Expected): Promise<void> {
  const before = await factsOf(alice, bob);
  const reply = await send();
  const [status, code, message, field] = expected;
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  const told = refusalText(reply.json);
  if (message instanceof RegExp) expect(told).toMatch(message);
  else if (message !== undefined) expect(told).toBe(message);
  expect(reply.json.name).toEqual(expect.any(String));
  if (field !== undefined) expect(reply.json.details).toMatchObject({ field });
  expect(await factsOf(alice, bob)).toEqual(before);
}

describe('orders', () => {
  const good = () => {
    const { btc } = world;
    return order({ market: btc, side: 'buy', price: btc.at(-1000), size: btc.worth(20) });
  };
  const INVALID: Expected = [200, 10000];

  const changedOrders: [string, () => Json, Expected][] = [
    ['without an instrument', () => ({ a: undefined }), missing('orders[0].a')],
    ['without a side', () => ({ b: undefined }), missing('orders[0].b')],
    ['without a price', () => ({ p: undefined }), missing('orders[0].p')],
    ['without a size', () => ({ s: undefined }), missing('orders[0].s')],
    ['without reduce-only', () => ({ r: undefined }), missing('orders[0].r')],
    ['without a time in force', () => ({ t: undefined }), missing('orders[0].t')],
    ['with an instrument id as text', () => ({ a: '0' }), wrong('orders[0].a')],
    ['with a negative instrument id', () => ({ a: -1 }), BAD],
    ['with an instrument id of 2^32', () => ({ a: 4_294_967_296 }), BAD],
    ['with an instrument id of null', () => ({ a: null }), BAD],
    [
      'of an instrument that is not there',
      () => ({ a: 99_999 }),
      [200, 10404, 'Instrument not found'],
    ],
    [
      'of an outcome market that is not there',
      () => ({ a: 100_000 }),
      [200, 10404, 'Instrument not found'],
    ],
    ['with a side as text', () => ({ b: 'true' }), wrong('orders[0].b')],
    ['with a side as a number', () => ({ b: 1 }), wrong('orders[0].b')],
    ['with a price as a number', () => ({ p: 50_000 }), wrong('orders[0].p')],
    ['with a price of nothing', () => ({ p: '' }), BAD],
    ['with a price in words', () => ({ p: 'market' }), BAD],
    ['with a price of NaN', () => ({ p: 'NaN' }), BAD],
    ['with an infinite price', () => ({ p: 'Infinity' }), BAD],
    ['with a price with an exponent', () => ({ p: '5e4' }), BAD],
    ['with a price in hex', () => ({ p: '0xc350' }), BAD],
    ['with a price with a plus', () => ({ p: '+50000' }), BAD],
    ['with a price with spaces', () => ({ p: ' 50000' }), BAD],
    ['with a price with a comma', () => ({ p: '50,000' }), BAD],
    ['with a price in Arabic digits', () => ({ p: '٥٠٠٠٠' }), BAD],
    ['with a price of two points', () => ({ p: '50.000.0' }), BAD],
    ['with a price that ends in a point', () => ({ p: '50000.' }), BAD],
    ['with a price that starts with a point', () => ({ p: '.5' }), BAD],
    ['with a price of 33 characters', () => ({ p: '1'.repeat(33) }), BAD],
    ['with a price of zero', () => ({ p: '0' }), [200, 10000, 'Price is out of range']],
    ['with a price of 32 nines', () => ({ p: '9'.repeat(32) }), INVALID],
    ['with a price of 2^53 units', () => ({ p: '9007199254740993' }), INVALID],
    [
      'with an off-tick price',
      () => ({ p: show(exact(world.btc.at(-1000)) + world.btc.tick / 10n) }),
      [200, 10000, /^Price precision does not match the tick size: /],
    ],
    [
      'far above the oracle',
      () => ({ p: world.btc.at(9000) }),
      [200, 10000, 'Price is too far from the oracle'],
    ],
    ['with a size as a number', () => ({ s: 1 }), wrong('orders[0].s')],
    ['with a size of nothing', () => ({ s: '' }), BAD],
    ['with a size of zero', () => ({ s: '0' }), INVALID],
    ['with a size of 0.0', () => ({ s: '0.0' }), INVALID],
    [
      'with a size of 32 nines',
      () => ({ s: '9'.repeat(32) }),
      [200, 10000, /^Order size exceeds the maximum: /],
    ],
    [
      'with a size of 2^53',
      () => ({ s: '9007199254740992' }),
      [200, 10000, /^Order size exceeds the maximum: /],
    ],
    [
      'with too fine a size',
      () => ({ s: `${world.btc.lots(7)}1` }),
      [200, 10000, /^Size precision does not match the lot size: /],
    ],
    [
      'with 30 decimals in the size',
      () => ({ s: `0.${'0'.repeat(29)}1` }),
      [200, 10000, /^Size precision does not match the lot size: /],
    ],
    [
      'with a size worth cents',
      () => ({ s: world.btc.lots(1) }),
      [200, 10000, 'Order must have a minimum value of 10 USDC'],
    ],
    ['with reduce-only as text', () => ({ r: 'false' }), wrong('orders[0].r')],
    ['with an empty time in force', () => ({ t: {} }), BAD],
    ['with a time in force as text', () => ({ t: 'Gtc' }), wrong('orders[0].t')],
    ['with a limit of null', () => ({ t: { limit: null } }), BAD],
    ['with a limit without a tif', () => ({ t: { limit: {} } }), missing('orders[0].t.limit.tif')],
    ['with an unknown tif', () => ({ t: { limit: { tif: 'Fok' } } }), BAD],
    [
      'with a tif as a number',
      () => ({ t: { limit: { tif: 1 } } }),
      wrong('orders[0].t.limit.tif'),
    ],
    [
      'Gtd without an expiry',
      () => ({ t: { limit: { tif: 'Gtd' } } }),
      missing('orders[0].t.limit.expireTime'),
    ],
    [
      'Gtd with an expiry in text',
      () => ({ t: { limit: { tif: 'Gtd', expireTime: 'soon' } } }),
      wrong('orders[0].t.limit.expireTime'),
    ],
    [
      'Gtd that expired',
      () => ({ t: { limit: { tif: 'Gtd', expireTime: 1 } } }),
      [200, 10011, 'Expire time must be at least 5 s ahead'],
    ],
    ['with a malformed cloid', () => ({ c: 'mine' }), [200, 10011, 'Invalid cloid format']],
    ['with a cloid as a number', () => ({ c: 7 }), wrong('orders[0].c')],
    ['with an unknown margin mode', () => ({ m: 'portfolio' }), BAD],
    [
      'beyond the account’s means',
      () => ({ s: world.btc.worth(100_000), p: world.btc.at(-10) }),
      [200, 10010, 'Insufficient margin'],
    ],
    [
      'reduce-only in the direction of the position',
      () => ({ r: true }),
      [200, 10011, 'Reduce only order would increase position'],
    ],
  ];

  test.each(changedOrders)('an order %s', async (_what, changes, expected) => {
    const bad = JSON.parse(JSON.stringify({ ...good(), ...changes() }));
    const signed = await alice.sign(orderAction(bad));
    await expectHarmless(() => world.client.executed(signed), expected);
  });

  test.each([
    ['size', 's'],
    ['price', 'p'],
  ])('an order with a negative %s', async (_what, field) => {
    const signed = await alice.sign(orderAction({ ...good(), [field]: '-1' }));
    const before = await factsOf(alice, bob);
    const reply = await world.client.executed(signed);
    expect([10000, 10002], reply.text).toContain(reply.json.code);
    expect(reply.json.details.field).toBe(`orders[0].${field}`);
    expect(await factsOf(alice, bob)).toEqual(before);
  });

  const actions: [string, () => Json, Expected][] = [
    ['without orders', () => ({ orders: undefined }), missing('orders')],
    ['with no order', () => ({ orders: [] }), [400, 10002, 'orders must hold 1 to 50 entries']],
    [
      'with 51 orders',
      () => ({ orders: Array.from({ length: 51 }, good) }),
      [400, 10002, 'orders must hold 1 to 50 entries'],
    ],
    [
      'with 10,000 empty orders',
      () => ({ orders: Array.from({ length: 10_000 }, () => ({})) }),
      [400, 10002, 'orders must hold 1 to 50 entries'],
    ],
    ['with orders as an object', () => ({ orders: { 0: good() } }), wrong('orders')],
    ['with an order of null', () => ({ orders: [null] }), wrong('orders[0]')],
    ['with an order as a list', () => ({ orders: [[]] }), BAD],
    ['without a grouping', () => ({ grouping: undefined }), missing('grouping')],
    ['with an unknown grouping', () => ({ grouping: 'all' }), BAD],
    [
      'with a builder without a fee',
      () => ({ builder: { b: `0x${'1'.repeat(40)}` } }),
      missing('builder.f'),
    ],
    ['with a builder without an address', () => ({ builder: { b: 'me', f: 1 } }), BAD],
    [
      'with one good and one bad order',
      () => ({ orders: [good(), { ...good(), s: '0' }] }),
      INVALID,
    ],
  ];
  test.each(actions)('an order action %s', async (_what, changes, expected) => {
    const action = JSON.parse(JSON.stringify({ ...orderAction(good()), ...changes() }));
    const signed = await alice.sign(action);
    await expectHarmless(() => world.client.executed(signed), expected);
  });
});

describe('cancels', () => {
  const entry = () => ({ a: world.btc.id, o: 1 });
  const actions: [string, () => Json, Expected][] = [
    ['without cancels', () => ({ type: 'cancel' }), missing('cancels')],
    ['with no entry', () => cancelAction(), [400, 10002, 'cancels must hold 1 to 200 entries']],
    [
      'with 201 entries',
      () => cancelAction(...Array.from({ length: 201 }, entry)),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'without an order id',
      () => ({ type: 'cancel', cancels: [{ a: 1 }] }),
      missing('cancels[0].o'),
    ],
    [
      'without an instrument',
      () => ({ type: 'cancel', cancels: [{ o: 1 }] }),
      missing('cancels[0].a'),
    ],
    [
      'with an order id in words',
      () => ({ type: 'cancel', cancels: [{ a: 1, o: 'first' }] }),
      wrong('cancels[0].o'),
    ],
    ['with a negative order id', () => ({ type: 'cancel', cancels: [{ a: 1, o: -1 }] }), BAD],
    [
      'with an order id beyond 2^53 as text',
      () => ({ type: 'cancel', cancels: [{ a: 1, o: '9007199254740993' }] }),
      BAD,
    ],
    ['with cancels as text', () => ({ type: 'cancel', cancels: 'all' }), wrong('cancels')],
    [
      'by cloid with no entry',
      () => ({ type: 'cancelByCloid', cancels: [] }),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'by cloid with 201 entries',
      () => ({
        type: 'cancelByCloid',
        cancels: Array.from({ length: 201 }, () => ({ asset: 0, cloid: `0x${'1'.repeat(32)}` })),
      }),
      [400, 10002, 'cancels must hold 1 to 200 entries'],
    ],
    [
      'by cloid without a cloid',
      () => ({ type: 'cancelByCloid', cancels: [{ asset: 0 }] }),
      missing('cancels[0].cloid'),
    ],
    [
      'by cloid in the spelling of cancel',
      () => ({ type: 'cancelByCloid', cancels: [{ a: 0, o: 1 }] }),
      BAD,
    ],
    [
      'by a malformed cloid',
      () => ({ type: 'cancelByCloid', cancels: [{ asset: world.btc.id, cloid: 'mine' }] }),
      [200, 10011, 'Invalid cloid format'],
    ],
  ];
  test.each(actions)('a cancel %s', async (_what, action, expected) => {
    const signed = await alice.sign(action());
    await expectHarmless(() => world.client.executed(signed), expected);
  });
});

describe('approveAgent', () => {
  const changed: [string, Json, Expected][] = [
    ['without a network', { serviceNetwork: undefined }, missing('serviceNetwork')],
    ['without a chain id', { chainId: undefined }, missing('chainId')],
    ['without a version', { apiVersion: undefined }, missing('apiVersion')],
    ['without an address', { agentAddress: undefined }, missing('agentAddress')],
    ['without its nonce', { nonce: undefined }, missing('nonce')],
    ['with a chain id as text', { chainId: '2511' }, wrong('chainId')],
    [
      'with an address of 39 digits',
      { agentAddress: `0x${'1'.repeat(39)}` },
      wrong('agentAddress'),
    ],
    [
      'with an address of 41 digits',
      { agentAddress: `0x${'1'.repeat(41)}` },
      wrong('agentAddress'),
    ],
    ['with an address without 0x', { agentAddress: '1'.repeat(40) }, wrong('agentAddress')],
    [
      'with an address that is no hex',
      { agentAddress: `0x${'g'.repeat(40)}` },
      wrong('agentAddress'),
    ],
    ['with an address of null', { agentAddress: null }, wrong('agentAddress')],
    ['with a label as a number', { agentName: 7 }, wrong('agentName')],
    [
      'for another network',
      { serviceNetwork: 'Elsewhere' },
      [200, 10005, 'Network mismatch: expected Oddlot-Testnet, got Elsewhere'],
    ],
  ];
  test.each(changed)('an approval %s', async (_what, changes, expected) => {
    const options = { agentAddress: world.stranger('x').address, nonce: nextNonce() };
    const { envelope } = await signApproveAgent(alice.key, options);
    const action = JSON.parse(JSON.stringify({ ...approveAgentAction(options), ...changes }));
    await expectHarmless(() => world.client.executed({ ...envelope, action }), expected);
  });

  test('an approval with a label of 65 characters', async () => {
    const options = { agentAddress: world.stranger('x').address, agentName: 'x'.repeat(65) };
    const signed = await signApproveAgent(alice.key, { ...options, nonce: nextNonce() });
    await expectHarmless(
      () => world.client.exchange(signed),
      [200, 10008, 'Agent name length exceeds maximum of 64 characters'],
    );
  });

  test('an approval signed for mainnet but sent as testnet', async () => {
    const network = { ...TESTNET, serviceNetwork: 'Oddlot-Mainnet', chainId: 869 };
    const options = { agentAddress: world.stranger('x').address, nonce: nextNonce() };
    const { envelope } = await signApproveAgent(alice.key, { ...options, network });
    const action = approveAgentAction(options);
    await expectHarmless(
      () => world.client.exchange({ ...envelope, action }),
      [200, 10006, 'Please deposit first'],
    );
  });
});

describe('envelopes', () => {
  const changed: [string, Json, Expected][] = [
    ['with an action as text', { action: 'order' }, wrong('action')],
    ['with an action as a list', { action: [] }, wrong('action')],
    ['with an action of null', { action: null }, BAD],
    ['with an action without a type', { action: {} }, missing('type')],
    ['with a type as a number', { action: { type: 1 } }, BAD],
    ['with a nonce as text', { nonce: '1' }, wrong('nonce')],
    ['with a nonce of null', { nonce: null }, BAD],
    ['with a negative nonce', { nonce: -5 }, BAD],
    ['with a malformed vault', { vaultAddress: '0x12' }, wrong('vaultAddress')],
    ['with a vault as a number', { vaultAddress: 5 }, wrong('vaultAddress')],
    ['with an expiry as text', { expiresAfter: 'never' }, wrong('expiresAfter')],
    ['with an unknown kind of confirm', { confirm: 'maybe' }, BAD],
    ['with confirm as a flag', { confirm: true }, BAD],
    ['with a chain id of text', { signatureChainId: '0x1' }, wrong('signatureChainId')],
  ];
  test.each(changed)('an envelope %s', async (_what, changes, expected) => {
    const { btc } = world;
    const good = order({ market: btc, side: 'buy', price: btc.at(-1000), size: btc.worth(20) });
    const { envelope } = await alice.sign(orderAction(good));
    const body = { ...envelope, confirm: 'executed', ...changes };
    await expectHarmless(() => world.client.post('/exchange', body), expected);
  });

  test('unknown envelope keys are ignored', async () => {
    const { envelope } = await alice.sign(cancelAction({ a: world.btc.id, o: 1 }));
    const reply = await world.client.post('/exchange', { ...envelope, isFrontend: true });
    expect(reply.json).toMatchObject({ status: 'ok' });
  });
});

describe('queries', () => {
  const someone = `0x${'1'.repeat(40)}`;
  const queries: [Json, Expected][] = [
    [{}, missing('type')],
    [{ type: 7 }, BAD],
    [{ type: '' }, [403, 10001, 'This action is not allowed.']],
    [{ type: 'order' }, [403, 10001, 'This action is not allowed.']],
    [{ type: 'clearinghouseState' }, missing('user')],
    [{ type: 'clearinghouseState', user: '0x1' }, wrong('user')],
    [{ type: 'clearinghouseState', user: null }, BAD],
    [{ type: 'clearinghouseState', user: someone, accountType: 'spot' }, BAD],
    [{ type: 'perpClearinghouseState', user: 'alice.eth' }, wrong('user')],
    [{ type: 'frontendOpenOrders', user: [someone] }, wrong('user')],
    [{ type: 'frontendOpenOrders', user: someone, coin: 'BTC' }, BAD],
    [{ type: 'activeAssetData', user: someone }, missing('coin')],
    [{ type: 'activeAssetData', user: someone, coin: 0 }, wrong('coin')],
    [
      { type: 'activeAssetData', user: someone, coin: '77777' },
      [200, 10404, 'Instrument not found'],
    ],
    [{ type: 'l2Book' }, missing('coin')],
    [{ type: 'l2Book', coin: 0 }, wrong('coin')],
    [{ type: 'l2Book', coin: 'BTC-USDC' }, BAD],
    [{ type: 'l2Book', coin: '-1' }, BAD],
    [{ type: 'l2Book', coin: '77777' }, [200, 10404, 'Instrument not found']],
    [{ type: 'l2Book', coin: '4294967296' }, [200, 10404, 'Instrument not found']],
    [{ type: 'perpMetaDetail' }, missing('assetName')],
    [{ type: 'perpMetaDetail', assetName: 'NOPE' }, [200, 10404]],
    [{ type: 'perpMetaDetail', assetName: 'BTC-USDC' }, [200, 10404]],
    [{ type: 'perpMetaDetail', assetName: 5 }, wrong('assetName')],
    [{ type: 'approvedAgents', user: `0x${'z'.repeat(40)}` }, wrong('user')],
    [{ type: 'agentOwner' }, missing('agent')],
    [{ type: 'agentOwner', agent: '' }, BAD],
    [{ type: 'actionStatus' }, BAD],
    [{ type: 'actionStatus', txHash: '0x12' }, wrong('txHash')],
    [{ type: 'actionStatus', traceId: 7 }, wrong('traceId')],
    [{ type: 'actionStatus', signer: someone }, BAD],
    [{ type: 'actionStatus', signer: someone, nonce: '1' }, wrong('nonce')],
    [{ type: 'stateHash', height: 'latest' }, wrong('height')],
    [{ type: 'stateHash', height: -1 }, BAD],
    [{ type: 'stateHash', height: 1e12 }, [200, 10404, 'Block not found']],
  ];
  test.each(queries)('the query %o', async (query, expected) => {
    await expectHarmless(() => world.client.info(query), expected);
  });

  test('a tick that is none of the book’s', async () => {
    const query = { type: 'l2Book', coin: world.btc.coin, tick: '0.00007' };
    const reply = await world.client.info(query);
    expect(reply.json.success, reply.text).toBe(false);
    expect([10000, 10002]).toContain(reply.json.code);
  });
});

describe('faucet and account status', () => {
  const requests: [string, Json, Expected][] = [
    ['/request-fund', {}, missing('user')],
    ['/request-fund', { user: 'alice' }, wrong('user')],
    ['/request-fund', { user: null }, BAD],
    ['/request-fund', { user: `0x${'1'.repeat(40)}`, accountType: 'spot' }, BAD],
    ['/account-status', { type: 'accountStatus' }, missing('user')],
    ['/account-status', { type: 'accountStatus', user: '0x1' }, wrong('user')],
    [
      '/account-status',
      { type: 'accountStatus', user: `0x${'1'.repeat(40)}`, channel: '0' },
      wrong('channel'),
    ],
    ['/account', { type: 'accountStatus', user: 'nobody' }, wrong('user')],
  ];
  test.each(requests)('%s %o', async (path, body, expected) => {
    await expectHarmless(() => world.client.post(path, body), expected);
  });
});

describe('garble', () => {
  const random = chance(11);

  /** The text with one to four bytes changed, dropped, doubled or moved. */
  function garbled(text: string): string {
    const characters = text.split('');
    for (let count = 1 + random.below(4); count > 0; count--) {
      const at = random.below(characters.length);
      const other = characters[random.below(characters.length)]!;
      const kind = random.below(4);
      if (kind === 0) characters[at] = other;
      if (kind === 1) characters.splice(at, 1);
      if (kind === 2) characters.splice(at, 0, other);
      if (kind === 3) characters[at] = String.fromCharCode(random.below(256));
    }
    return characters.join('');
  }

  test('a garbled order is refused or, where the garble is not part of it, harmless', async () => {
    const { btc } = world;
    const before = await factsOf(alice, bob);
    const good = order({ market: btc, side: 'buy', price: btc.at(-1000), size: btc.worth(20) });
    const bodies: string[] = [];
    for (let index = 0; index < 300; index++) {
      const { envelope } = await alice.sign(orderAction(good));
      bodies.push(garbled(JSON.stringify({ ...envelope, confirm: 'executed' })));
    }
    let taken = 0;
    for (const body of bodies) {
      const reply = await world.client.post('/exchange', body);
      expect(reply.status, `${body} ${reply.text}`).toBeLessThan(500);
      expect(['ok', 'err'], reply.text).toContain(reply.json.status);
      if (reply.json.status === 'err') expect(refusalText(reply.json)).not.toBe('');
      else taken += 1;
    }
    // A garbled unknown envelope key, say `confirm`, leaves a good order: it is there, once.
    const rows = (await alice.openOrders()).filter((row) => row.limitPx === btc.at(-1000));
    expect(rows).toHaveLength(taken);
    await alice.cancel(...rows.map((row) => ({ a: btc.id, o: row.oid })), { a: btc.id, o: 1 });
    expect(await factsOf(alice, bob)).toEqual(before);
  });

  test('garbled queries and frames leave the venue alive', async () => {
    const socket = await world.socket();
    const query = { type: 'clearinghouseState', user: alice.address, accountType: 'perp' };
    const subscription = { type: 'l2Book', coin: world.btc.coin };
    for (let index = 0; index < 200; index++) {
      const reply = await world.client.post('/info', garbled(JSON.stringify(query)));
      expect(reply.status, reply.text).toBeLessThan(500);
      expect(reply.json.success).toBe(reply.status === 200 && reply.json.code === 0);
      socket.send(garbled(JSON.stringify({ method: 'subscribe', subscription })));
    }
    expect(await socket.ask({ method: 'ping' }, (frame) => frame.method === 'PONG')).toEqual({
      method: 'PONG',
    });
  });
});

test('after all this the venue trades as before', async () => {
  const { eth } = world;
  const price = eth.at(0);
  const size = eth.worth(30);
  await bob.placed({ market: eth, side: 'sell', price, size });
  expect(await alice.placed({ market: eth, side: 'buy', price, size })).toMatchObject({
    state: 'filled',
  });
});
