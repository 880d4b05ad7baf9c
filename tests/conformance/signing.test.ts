import { describe, expect, test } from 'vitest';
import { encode } from '@msgpack/msgpack';
import { ethers } from 'ethers';
import { type Hex, bytesToHex, concatHex, recoverAddress } from 'viem';
import { type Actor, aSharedVenue, cancelAction, order, orderAction } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import {
  AGENT_TYPES,
  type JsonObject,
  type Signature,
  TESTNET,
  agentDigest,
  agentPreimage,
  domainOf,
  nextNonce,
  signAgentAction,
} from '../support/wallet.ts';

const world = aSharedVenue();

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const NO_ACCOUNT = 'No trading account found. Please deposit first.';

/** A valid action for any account that changes nothing. */
const harmless = () => cancelAction({ a: world.btc.id, o: 1 });

function expectAccepted(reply: Reply): void {
  expect(reply.json, reply.text).toMatchObject({ status: 'ok', code: 0 });
}

function expectRefused(reply: Reply, code: number, message: string): Json {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json).toMatchObject({ status: 'err', code, message });
  return reply.json.details;
}

function restingOrder(): JsonObject {
  const { btc } = world;
  return orderAction(
    order({ market: btc, side: 'buy', price: btc.at(-2000), size: btc.worth(20) }),
  );
}

async function expectOpenOrders(actor: Actor, count: number): Promise<void> {
  expect(await actor.openOrders()).toHaveLength(count);
}

describe('agent-signed actions are hashed exactly as sent', () => {
  test("an account's own key may sign its orders", async () => {
    const alice = await world.trader('alice');
    expectAccepted(await world.client.executed(await alice.sign(restingOrder())));
    await expectOpenOrders(alice, 1);
  });

  test('an approved agent trades for its owner', async () => {
    const alice = await world.trader('alice');
    const agent = world.unfunded('agent of alice');
    expectAccepted(await alice.approveAgent(agent.address, 'bot'));
    expectAccepted(await world.client.executed(await agent.sign(restingOrder())));
    await expectOpenOrders(alice, 1);
    await expectOpenOrders(agent, 0);
  });

  test('an ethers wallet produces the same signature as viem', async () => {
    const alice = await world.trader('alice');
    const action = restingOrder();
    const nonce = nextNonce();
    const wallet = new ethers.Wallet(alice.key);
    const flat = await wallet.signTypedData(domainOf(TESTNET), AGENT_TYPES, {
      ...TESTNET,
      connectionId: ethers.keccak256(agentPreimage(action, { nonce })),
    });
    const { r, s, v } = ethers.Signature.from(flat);
    expectAccepted(await world.client.executed({ action, nonce, signature: { r, s, v } }));
    await expectOpenOrders(alice, 1);
  });

  test('a v of 0 or 1 means 27 or 28 and does not change the request hash', async () => {
    const alice = await world.trader('alice');
    const seen = new Set<number>();
    while (seen.size < 2) {
      const signed = await alice.sign(harmless());
      const { r, s, v } = signed.envelope.signature;
      if (seen.has(v)) continue;
      seen.add(v);
      const reply = await world.client.executed({
        ...signed.envelope,
        signature: { r, s, v: v - 27 },
      });
      expectAccepted(reply);
      expect(reply.json.txHash).toBe(signed.txHash);
    }
  });

  test('r and s may be sent without leading zeros', async () => {
    const alice = await world.trader('alice');
    const missing = new Set(['r', 's'] as const);
    while (missing.size > 0) {
      const signed = await alice.sign(harmless());
      for (const part of missing) {
        const digits = signed.envelope.signature[part].slice(2);
        if (!digits.startsWith('0')) continue;
        missing.delete(part);
        const signature = {
          ...signed.envelope.signature,
          [part]: `0x${digits.replace(/^0+/, '')}`,
        };
        const reply = await world.client.executed({ ...signed.envelope, signature });
        expectAccepted(reply);
        expect(reply.json.txHash).toBe(signed.txHash);
        break;
      }
    }
  });

  test('a high s is rejected, because each signature must have exactly one form', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign(restingOrder());
    const { r, s, v } = envelope.signature;
    const high = `0x${(CURVE_ORDER - BigInt(s)).toString(16).padStart(64, '0')}`;
    const reply = await world.client.exchange({
      ...envelope,
      signature: { r, s: high, v: v === 27 ? 28 : 27 },
    });
    expectRefused(reply, 10003, 'Invalid signature');
    await expectOpenOrders(alice, 0);
  });

  test('values that are not a point on the curve are rejected as an invalid signature', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign(restingOrder());
    const { r, s } = envelope.signature;
    const order256 = `0x${CURVE_ORDER.toString(16)}`;
    const impossible: Signature[] = [
      { r: '0x0', s, v: 27 },
      { r, s: '0x0', v: 27 },
      { r: order256, s, v: 27 },
      { r: `0x${'f'.repeat(64)}`, s, v: 28 },
      { r: `0x${'5'.padStart(64, '0')}`, s, v: 27 },
    ];
    for (const signature of impossible) {
      expectRefused(
        await world.client.exchange({ ...envelope, signature }),
        10003,
        'Invalid signature',
      );
    }
  });

  test('a value that is not a signature is rejected without an internal error', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign(restingOrder());
    const { r, s, v } = envelope.signature;
    const garbage: Json[] = [
      { r, s },
      { r, s, v: '27' },
      { r, s, v: 2 },
      { r, s, v: 26 },
      { r, s, v: 29 },
      { r, s, v: 255 },
      { r: 'zz', s, v },
      { r: `${r}00`, s, v },
      { r: r.slice(2), s, v },
      { r: '', s, v },
      { r: null, s, v },
      { r, s: 12, v },
      { r, s: '0x', v },
      'signature',
      [],
      null,
    ];
    for (const signature of garbage) {
      const reply = await world.client.post('/exchange', { ...envelope, signature });
      expect([10002, 10003], JSON.stringify([signature, reply.json])).toContain(reply.json.code);
      expect(reply.status).toBe(reply.json.code === 10002 ? 400 : 200);
    }
    await expectOpenOrders(alice, 0);
  });

  test('an unknown address is asked to deposit, and the error names the recovered address', async () => {
    const mallory = world.unfunded('mallory');
    const reply = await world.client.exchange(await mallory.sign(restingOrder()));
    expect(expectRefused(reply, 10006, NO_ACCOUNT)).toMatchObject({ got: mallory.address });
    expect(reply.json.name).toBe('NO_ACCOUNT');
  });

  const wrongNetworks = [
    { ...TESTNET, serviceNetwork: 'Oddlot-Mainnet' },
    { ...TESTNET, chainId: 869 },
    { ...TESTNET, apiVersion: 2 },
  ];
  test.each(wrongNetworks)('a signature for %o recovers an unknown address', async (network) => {
    const alice = await world.trader('alice');
    const action = restingOrder();
    const signed = await alice.sign(action, { network });
    const { nonce, signature } = signed.envelope;
    const recovered = await recoverAddress({
      hash: agentDigest(action, { nonce }).digest,
      signature: { r: signature.r as Hex, s: signature.s as Hex, v: BigInt(signature.v) },
    });
    const details = expectRefused(await world.client.exchange(signed), 10006, NO_ACCOUNT);
    expect(details.got).toBe(recovered.toLowerCase());
    await expectOpenOrders(alice, 0);
  });

  test("the action's type is part of the signed data", async () => {
    const alice = await world.trader('alice');
    const action = restingOrder();
    const { type: _type, ...rest } = action;
    const signed = await alice.sign(action, { packed: bytesToHex(encode(rest)) });
    expectRefused(await world.client.exchange(signed), 10006, NO_ACCOUNT);
  });

  test('changing any byte recovers another address', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const { envelope } = await alice.sign(restingOrder());
    const action = envelope.action as Json;
    const tampered = [
      { ...envelope, nonce: envelope.nonce + 1 },
      { ...envelope, action: { ...action, orders: [{ ...action.orders[0], b: false }] } },
      { ...envelope, action: { ...action, orders: [{ ...action.orders[0], s: btc.worth(21) }] } },
      {
        ...envelope,
        action: {
          ...action,
          orders: [
            {
              ...action.orders[0],
              p: `${action.orders[0].p}${action.orders[0].p.includes('.') ? '0' : '.0'}`,
            },
          ],
        },
      },
      { ...envelope, expiresAfter: Date.now() + 60_000 },
    ];
    for (const body of tampered) {
      expectRefused(await world.client.exchange(body), 10006, NO_ACCOUNT);
    }
    await expectOpenOrders(alice, 0);
  });
});

describe('the action is hashed exactly as received', () => {
  test('the action is hashed with its keys in the order sent', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const actions = [
      { type: 'order', orders: [], grouping: 'na' },
      { grouping: 'na', orders: [], type: 'order' },
      { orders: [], type: 'order', grouping: 'na' },
    ];
    for (const action of actions) {
      const scrambled = {
        t: { limit: { tif: 'Gtc' } },
        s: btc.worth(20),
        r: false,
        p: btc.at(-2000),
        b: true,
        a: btc.id,
      };
      const signed = await alice.sign({ ...action, orders: [scrambled] });
      expectAccepted(await world.client.executed(signed));
    }
    await expectOpenOrders(alice, 3);
  });

  test('the action is hashed with trailing zeros, numeric strings and upper case left unchanged', async () => {
    const alice = await world.trader('alice');
    const { btc } = world;
    const price = btc.at(-2000);
    const padded = order({
      market: btc,
      side: 'buy',
      price: price.includes('.') ? `${price}000` : `${price}.000`,
      size: `${btc.worth(20)}0`,
      tif: 'GTC',
    });
    expectAccepted(await world.client.executed(await alice.sign(orderAction(padded))));
    const [row] = await alice.openOrders();
    expect(row).toMatchObject({ limitPx: price, sz: btc.worth(20), tif: 'GTC' });
    const cancel = cancelAction({ a: btc.id, o: String(row.oid) });
    expectAccepted(await world.client.executed(await alice.sign(cancel)));
    await expectOpenOrders(alice, 0);
  });

  test.each<[string, JsonObject]>([
    [
      'numbers',
      {
        memo: null,
        small: -5,
        large: 5_000_000_000,
        larger: -5_000_000_000,
        largest: Number.MAX_SAFE_INTEGER,
        edges: [127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296],
        negativeEdges: [-1, -32, -33, -128, -129, -32_768, -32_769, -2_147_483_648, -2_147_483_649],
      },
    ],
    [
      'words',
      { words: ['', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(255), 'x'.repeat(256), 'é世🎲'] },
    ],
    [
      'lists and objects',
      {
        list: Array.from({ length: 20 }, (_, index) => index),
        wide: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index])),
        nested: { yes: true, no: false, empty: {}, none: [] },
      },
    ],
  ])('hashes unknown keys like any client: %s', async (_, unknown) => {
    const alice = await world.trader('alice');
    const signed = await alice.sign({ ...harmless(), ...unknown });
    const reply = await world.client.executed(signed);
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
  });

  test('the action is hashed with integer-like keys in their original positions', async () => {
    const alice = await world.trader('alice');
    // A JavaScript object would move "7" and "10" to the front, so the test builds the JSON text
    // and the hash input by hand.
    const entries: [string, unknown][] = [
      ['type', 'cancel'],
      ['10', 'ten'],
      ['cancels', [{ a: world.btc.id, o: 1 }]],
      ['7', 'seven'],
    ];
    const packed = concatHex([
      `0x8${entries.length}`,
      ...entries.flat().map((part) => bytesToHex(encode(part))),
    ]);
    const nonce = nextNonce();
    const signed = await signAgentAction(alice.key, {}, { nonce, packed });
    const action = entries.map(([key, value]) => `"${key}":${JSON.stringify(value)}`).join(',');
    const reply = await world.client.post(
      '/exchange',
      `{"action":{${action}},"nonce":${nonce},"signature":${JSON.stringify(signed.envelope.signature)},"confirm":"executed"}`,
    );
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
  });

  test('the action is hashed with escapes resolved and with a key named __proto__ in its position', async () => {
    const alice = await world.trader('alice');
    const entries: [string, unknown][] = [
      ['type', 'cancel'],
      ['__proto__', { a: 1 }],
      ['cancels', [{ a: world.btc.id, o: 1 }]],
      ['mémo', 'line\nbreak'],
    ];
    const packed = concatHex([
      `0x8${entries.length}`,
      ...entries.flat().map((part) => bytesToHex(encode(part))),
    ]);
    const nonce = nextNonce();
    const signed = await signAgentAction(alice.key, {}, { nonce, packed });
    const action =
      `{ "type" : "c\\u0061ncel", "__proto__":{"a":1},` +
      `\n\t"cancels":[{"a":${world.btc.id},"o":1}],"m\\u00e9mo":"line\\nbreak"}`;
    const reply = await world.client.post(
      '/exchange',
      `{"confirm":"executed","signature":${JSON.stringify(signed.envelope.signature)},"action":${action},"nonce":${nonce}}`,
    );
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
  });

  test('an action with non-integer numbers is rejected', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign({ ...harmless(), rate: 1.5 });
    const reply = await world.client.exchange(envelope);
    expect([reply.status, reply.json.code]).toEqual([400, 10002]);
  });

  test('a lone surrogate is rejected without an internal error', async () => {
    const alice = await world.trader('alice');
    const { envelope } = await alice.sign(harmless());
    const body = JSON.stringify(envelope).replace('"cancel"', '"cancel","memo":"\\ud800"');
    const reply = await world.client.post('/exchange', body);
    expect(reply.status).toBeLessThan(500);
    expect(reply.json.status).toBe('err');
  });
});
