import { describe, expect, test } from 'vitest';
import { ethers } from 'ethers';
import { type Actor, aSharedVenue, cancelAction, order, orderAction } from '../support/actors.ts';
import type { Json, Reply } from '../support/client.ts';
import { directAction, signDirect } from '../support/direct.ts';
import { direct, everythingOf, send, signerSet, transfer } from '../support/keys.ts';
import {
  APPROVE_AGENT_TYPES,
  type JsonObject,
  TESTNET,
  approveAgentAction,
  domainOf,
  nextNonce,
  signApproveAgent,
} from '../support/wallet.ts';
import { FIXED_PRICE_FLAGS, HOLDING } from '../support/venue-process.ts';

const world = aSharedVenue([...FIXED_PRICE_FLAGS, ...HOLDING]);

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

const builderFee = (builder: Actor) => ({ builder: builder.address, maxFeeRate: '0.1%' });

/** Every direct action except approveAgent, which has its own tests below. */
const DIRECT: readonly [string, (other: Actor) => JsonObject][] = [
  ['tokenSend', ({ address }) => transfer({ to: address, amount: '1' })],
  ['withdraw3', ({ address }) => ({ destination: address, amount: '2' })],
  ['approveBuilderFee', builderFee],
  ['revokeBuilderFee', ({ address }) => ({ builder: address })],
  ['convertToMultiSigUser', (other) => ({ signers: signerSet([other], 1) })],
];

describe('vaultAddress and expiresAfter are covered by the signature of agent-signed actions', () => {
  test('a vaultAddress of null is the same as no vaultAddress', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(harmless(), { vaultAddress: null, expiresAfter: null });
    expectAccepted(await world.client.executed(signed));
  });

  test('an unregistered vault is rejected by name', async () => {
    const alice = await world.trader('alice');
    const vaultAddress = world.unfunded('vault').address;
    const reply = await world.client.exchange(await alice.sign(harmless(), { vaultAddress }));
    expectRefused(reply, 10003, `Vault not registered: ${vaultAddress}`);
  });

  test('an action is accepted until expiresAfter', async () => {
    const alice = await world.trader('alice');
    const signed = await alice.sign(restingOrder(), { expiresAfter: Date.now() + 60_000 });
    const reply = await world.client.executed(signed);
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
    await expectOpenOrders(alice, 1);
  });

  test('an expired action is rejected with both times', async () => {
    const alice = await world.trader('alice');
    const expiresAfter = Date.now() - 60_000;
    const reply = await world.client.exchange(await alice.sign(restingOrder(), { expiresAfter }));
    expect(reply.json).toMatchObject({ status: 'err', code: 10016, name: 'EXPIRED' });
    expect(reply.json.message).toMatch(
      new RegExp(`^Action expired: expiresAfter ${expiresAfter}, consensus time \\d{13}$`),
    );
    await expectOpenOrders(alice, 0);
  });

  test('direct actions with a vaultAddress or an expiresAfter are rejected', async () => {
    const alice = await world.trader('alice');
    const agentAddress = world.unfunded('agent').address;
    const first = await signApproveAgent(alice.key, { agentAddress, nonce: nextNonce() });
    expectRefused(
      await world.client.exchange(first, { vaultAddress: agentAddress }),
      10003,
      'vaultAddress is not allowed for this action',
    );
    expectRefused(
      await world.client.exchange(first, { expiresAfter: Date.now() + 60_000 }),
      10016,
      'expiresAfter is not allowed for this action',
    );
    expect(await alice.agents()).toEqual([]);
  });
});

describe('direct actions are signed as typed data', () => {
  const approval = () => ({
    agentAddress: world.unfunded('agent').address,
    agentName: 'desk',
    nonce: nextNonce(),
  });

  test('an ethers wallet can approve an agent', async () => {
    const alice = await world.trader('alice');
    const options = approval();
    const flat = await new ethers.Wallet(alice.key).signTypedData(
      domainOf(TESTNET),
      APPROVE_AGENT_TYPES,
      {
        ...TESTNET,
        agentAddress: options.agentAddress,
        agentName: options.agentName,
        nonce: options.nonce,
      },
    );
    const { r, s, v } = ethers.Signature.from(flat);
    const reply = await world.client.executed({
      action: approveAgentAction(options),
      nonce: options.nonce,
      signature: { r, s, v },
    });
    expectAccepted(reply);
    expect(reply.json.data.type).toBe('ApproveAgent');
    expect(await alice.agents()).toMatchObject([{ agentAddress: options.agentAddress }]);
  });

  test('R-tx: the request hash covers both the typed data and the signature', async () => {
    const alice = await world.trader('alice');
    const signed = await signApproveAgent(alice.key, approval());
    const reply = await world.client.executed(signed);
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
  });

  const mismatches = [
    [
      { serviceNetwork: 'Oddlot-Mainnet' },
      'Network mismatch: expected Oddlot-Testnet, got Oddlot-Mainnet',
    ],
    [{ serviceNetwork: '' }, 'Network mismatch: expected Oddlot-Testnet, got '],
    [{ chainId: 869 }, 'Chain ID mismatch: expected 2511, got 869'],
    [{ apiVersion: 2 }, 'API version mismatch: expected 1, got 2'],
  ] as const;
  test.each(mismatches)(
    "an approval with another network's constants is rejected by name: %o",
    async (wrong, message) => {
      const alice = await world.trader('alice');
      const network = { ...TESTNET, ...wrong };
      const signed = await signApproveAgent(alice.key, { ...approval(), network });
      expectRefused(await world.client.exchange(signed), 10005, message);
      expect(await alice.agents()).toEqual([]);
    },
  );

  test('the network is checked before the nonce', async () => {
    const alice = await world.trader('alice');
    const network = { ...TESTNET, chainId: 1 };
    const options = { ...approval(), actionNonce: 7, network };
    const reply = await world.client.exchange(await signApproveAgent(alice.key, options));
    expectRefused(reply, 10005, 'Chain ID mismatch: expected 2511, got 1');
  });

  test('the inner nonce must equal the outer nonce', async () => {
    const alice = await world.trader('alice');
    const options = approval();
    const signed = await signApproveAgent(alice.key, {
      ...options,
      actionNonce: options.nonce - 1,
    });
    expectRefused(
      await world.client.exchange(signed),
      10004,
      'Action nonce does not match envelope nonce',
    );
  });

  test("signatureChainId is the domain's chain id and does not change the action", async () => {
    const alice = await world.trader('alice');
    const options = { ...approval(), signatureChainId: 421_614 };
    const signed = await signApproveAgent(alice.key, options);
    const reply = await world.client.executed(signed);
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(signed.txHash);
    expect(await alice.agents()).toMatchObject([{ agentAddress: options.agentAddress }]);
  });

  test('a domain other than the announced one recovers an unknown address', async () => {
    const alice = await world.trader('alice');
    const signed = await signApproveAgent(alice.key, { ...approval(), signatureChainId: 1 });
    const { signatureChainId: _unsaid, ...envelope } = signed.envelope;
    expectRefused(await world.client.exchange(envelope), 10006, 'Please deposit first');
    expect(await alice.agents()).toEqual([]);
  });

  test('a direct action hashed as if agent-signed recovers an unknown address', async () => {
    const alice = await world.trader('alice');
    const options = approval();
    const signed = await alice.sign(approveAgentAction(options), { nonce: options.nonce });
    expectRefused(await world.client.exchange(signed), 10006, 'Please deposit first');
  });

  test('the label is hashed as sent, in any script', async () => {
    const alice = await world.trader('alice');
    const agentName = 'žluťoučký 🐎 "quoted"';
    const signed = await signApproveAgent(alice.key, { ...approval(), agentName });
    expectAccepted(await world.client.executed(signed));
    expect(await alice.agents()).toMatchObject([{ agentName }]);
  });

  test('a checksummed address is accepted and returned in lower case', async () => {
    const alice = await world.trader('alice');
    const options = approval();
    const agentAddress = ethers.getAddress(options.agentAddress);
    expectAccepted(
      await world.client.executed(await signApproveAgent(alice.key, { ...options, agentAddress })),
    );
    expect(await alice.agents()).toMatchObject([{ agentAddress: options.agentAddress }]);
  });
});

describe.each(DIRECT)('direct action %s', (type, fields) => {
  test('a direct action is valid only on the chain named in the envelope', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    if (type === 'revokeBuilderFee') {
      expectAccepted(await send(alice, 'approveBuilderFee', builderFee(bob)));
    }
    const elsewhere = await direct(alice, type, fields(bob), { signatureChainId: 42_161 });
    const before = await everythingOf([alice, bob]);
    const { signatureChainId: _unsaid, ...unsaid } = elsewhere.envelope;
    for (const envelope of [unsaid, { ...unsaid, signatureChainId: 1 }]) {
      const reply = await world.client.executed(envelope);
      expectRefused(reply, 10006, 'No trading account found. Please deposit first.');
      expect(reply.json.details.got).not.toBe(alice.address);
    }
    expect(await everythingOf([alice, bob])).toEqual(before);
    const reply = await world.client.executed(elsewhere);
    expectAccepted(reply);
    expect(reply.json.txHash).toBe(elsewhere.txHash);
    expect(await everythingOf([alice, bob])).not.toEqual(before);
  });

  test('a direct action with another network or a different inner nonce is rejected', async () => {
    const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
    const nonce = nextNonce();
    const action = directAction(type, nonce, fields(bob));
    const wrong: readonly [JsonObject, number, string][] = [
      [
        { serviceNetwork: 'Oddlot-Mainnet' },
        10005,
        'Network mismatch: expected Oddlot-Testnet, got Oddlot-Mainnet',
      ],
      [{ chainId: 869 }, 10005, 'Chain ID mismatch: expected 2511, got 869'],
      [{ apiVersion: 2 }, 10005, 'API version mismatch: expected 1, got 2'],
      [{ nonce: nonce + 1 }, 10004, 'Action nonce does not match envelope nonce'],
    ];
    for (const [change, code, message] of wrong) {
      const signed = await signDirect(alice.key, { ...action, ...change }, { nonce });
      expectRefused(await world.client.executed(signed), code, message);
    }
  });
});
