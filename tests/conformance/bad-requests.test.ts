import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Actor,
  aSharedVenue,
  cancelAction,
  factsOf,
  order,
  orderAction,
  twoFundedTraders,
} from '../support/actors.ts';
import { type Json, refusalText } from '../support/client.ts';
import { BAD, type Expected, expectHarmless, missing, wrong } from '../support/refusals.ts';
import { seededRandom } from '../support/seeded.ts';
import { approveAgentAction, nextNonce, signApproveAgent, TESTNET } from '../support/wallet.ts';

const world = aSharedVenue();

let alice: Actor;
let bob: Actor;

beforeAll(async () => {
  [alice, bob] = await twoFundedTraders(world);
});

describe('approveAgent rejects invalid fields', () => {
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
      'with an address that is not hexadecimal',
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
  test.each(changed)('the venue rejects an approval %s', async (_what, changes, expected) => {
    const options = { agentAddress: world.unfunded('x').address, nonce: nextNonce() };
    const { envelope } = await signApproveAgent(alice.key, options);
    const action = JSON.parse(JSON.stringify({ ...approveAgentAction(options), ...changes }));
    await expectHarmless(
      [alice, bob],
      () => world.client.executed({ ...envelope, action }),
      expected,
    );
  });

  test('a label with 65 characters is rejected', async () => {
    const options = { agentAddress: world.unfunded('x').address, agentName: 'x'.repeat(65) };
    const signed = await signApproveAgent(alice.key, { ...options, nonce: nextNonce() });
    await expectHarmless([alice, bob], () => world.client.exchange(signed), [
      200,
      10008,
      'Agent name length exceeds maximum of 64 characters',
    ]);
  });

  test('an approval signed for mainnet but sent as testnet is rejected', async () => {
    const network = { ...TESTNET, serviceNetwork: 'Oddlot-Mainnet', chainId: 869 };
    const options = { agentAddress: world.unfunded('x').address, nonce: nextNonce() };
    const { envelope } = await signApproveAgent(alice.key, { ...options, network });
    const action = approveAgentAction(options);
    await expectHarmless([alice, bob], () => world.client.exchange({ ...envelope, action }), [
      200,
      10006,
      'Please deposit first',
    ]);
  });
});

describe('invalid envelopes are rejected', () => {
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
  test.each(changed)('the venue rejects an envelope %s', async (_what, changes, expected) => {
    const { btc } = world;
    const good = order({ market: btc, side: 'buy', price: btc.at(-1000), size: btc.worth(20) });
    const { envelope } = await alice.sign(orderAction(good));
    const body = { ...envelope, confirm: 'executed', ...changes };
    await expectHarmless([alice, bob], () => world.client.post('/exchange', body), expected);
  });

  test('unknown envelope keys are ignored', async () => {
    const { envelope } = await alice.sign(cancelAction({ a: world.btc.id, o: 1 }));
    const reply = await world.client.post('/exchange', { ...envelope, isFrontend: true });
    expect(reply.json).toMatchObject({ status: 'ok' });
  });
});

describe('invalid queries are rejected', () => {
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
  test.each(queries)('the venue rejects the query %o', async (query, expected) => {
    await expectHarmless([alice, bob], () => world.client.info(query), expected);
  });

  test('a tick that the book does not offer is rejected', async () => {
    const query = { type: 'l2Book', coin: world.btc.coin, tick: '0.00007' };
    const reply = await world.client.info(query);
    expect(reply.json.success, reply.text).toBe(false);
    expect([10000, 10002]).toContain(reply.json.code);
  });
});

describe('the faucet and the account status reject invalid requests', () => {
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
  test.each(requests)('the endpoint %s rejects %o', async (path, body, expected) => {
    await expectHarmless([alice, bob], () => world.client.post(path, body), expected);
  });
});

describe('corrupted requests do no harm', () => {
  const random = seededRandom(11);

  /** Returns the text with one to four bytes changed, removed, duplicated or moved. */
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

  test('a corrupted order is rejected unless the corruption leaves it intact', async () => {
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
    // The order stays valid if the corruption affects only an optional envelope key such as
    // `confirm`.
    const rows = (await alice.openOrders()).filter((row) => row.limitPx === btc.at(-1000));
    expect(rows).toHaveLength(taken);
    await alice.cancel(...rows.map((row) => ({ a: btc.id, o: row.oid })), { a: btc.id, o: 1 });
    expect(await factsOf(alice, bob)).toEqual(before);
  });

  test('corrupted queries and frames do not stop the venue', async () => {
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

test('trading still works after the corrupted requests', async () => {
  const { eth } = world;
  const price = eth.at(0);
  const size = eth.worth(30);
  await bob.placed({ market: eth, side: 'sell', price, size });
  expect(await alice.placed({ market: eth, side: 'buy', price, size })).toMatchObject({
    state: 'filled',
  });
});
