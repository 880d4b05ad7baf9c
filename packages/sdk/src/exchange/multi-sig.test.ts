import { afterEach, describe, expect, test } from 'vitest';
import { bytesToHex, type Network, type SignatureHex } from '@oddlot/protocol';
import { createClient, type Client } from '../client.ts';
import { SigningError, ValidationError } from '../errors.ts';
import { NonceSource } from '../nonce.ts';
import { FakeVenue, type Answer } from '@oddlot/testing/sdk/fake-venue';
import { vectorOf, VECTORS, type Vector } from '@oddlot/testing/sdk/vectors';
import { privateKeyWallet, type Wallet } from '../wallet.ts';
import { conversion } from './signer-set.ts';
import { limitOrder } from './order-entries.ts';
import {
  type MultiSigProposal,
  multiSigRequest,
  proposalSigner,
  type ProposeParameters,
  signProposal,
} from './multi-sig.ts';

/** The signers use the keys from the vectors, which were generated with other libraries. */

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

const SUCCESS = { status: 'ok', code: 0, data: { type: 'Any', data: { statuses: ['success'] } } };

async function aVenue(...script: Answer[]): Promise<FakeVenue> {
  const venue = await FakeVenue.start(...script, { body: SUCCESS });
  running.push(venue);
  return venue;
}

/** Creates a client for a vector's sender. */
function senderOf(given: Vector, venue: FakeVenue): Client {
  const wallet = privateKeyWallet(given.privateKey);
  const nonces = new NonceSource(() => given.nonce);
  const backoff = { baseMs: 1, maxMs: 1, random: () => 0 };
  return createClient({ url: venue.url, network: given, wallet, nonces, backoff });
}

function walletsOf(given: Vector): Wallet[] {
  return (given.inner?.signers ?? []).map(({ privateKey }) => privateKeyWallet(privateKey));
}

const GROUP = '0x0CB030D11A8BE48B60418857874DEEE61D1071E0';
const AN_ORDER = {
  type: 'order' as const,
  orders: [limitOrder({ asset: 1, side: 'buy', price: '100', size: '0.5' })],
  grouping: 'na' as const,
};

/** The parameters with which each vector's sender creates its proposal. */
const PROPOSED: Record<string, Omit<ProposeParameters, 'multiSigUser'>> = {
  'multiSig-order': { action: AN_ORDER },
  'multiSig-order-vault-expiresAfter': {
    action: AN_ORDER,
    vaultAddress: '0x2222222222222222222222222222222222222222',
    expiresAfter: 1_767_225_605_000,
  },
  'multiSig-approveAgent': {
    action: {
      type: 'approveAgent',
      agentAddress: '0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c',
      agentName: null,
    },
  },
  'multiSig-withdraw3-signatureChainId': {
    action: {
      type: 'withdraw3',
      destination: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1',
      amount: '25',
    },
    signatureChainId: 42_161,
  },
  'multiSig-convert-back': { action: conversion(null) },
};

test('the tests propose every wrapper in the vectors', () => {
  const wrappers = VECTORS.filter(({ scheme }) => scheme === 'multiSig');
  expect(Object.keys(PROPOSED)).toEqual(wrappers.map(({ name }) => name));
});

describe.each(Object.entries(PROPOSED))('the multi-sig proposal "%s"', (name, parameters) => {
  const given = vectorOf(name);
  const network: Network = given;

  test('each signer signs the proposal, which is sent as in the vector', async () => {
    const venue = await aVenue();
    const { exchange } = senderOf(given, venue);
    const made = await exchange.multiSig.propose({ multiSigUser: GROUP, ...parameters });
    const proposal = JSON.parse(JSON.stringify(made)) as MultiSigProposal;
    expect(bytesToHex(multiSigRequest(proposal, network).digest)).toBe(given.inner?.digest);
    const signatures: SignatureHex[] = [];
    for (const wallet of walletsOf(given)) {
      signatures.push(await signProposal(proposal, { wallet, network }));
      expect(proposalSigner(proposal, signatures.at(-1)!, network)).toBe(wallet.address);
    }
    const reply = await exchange.multiSig.send(proposal, signatures);
    const { text } = venue.received[0]!;
    expect(text.startsWith(`{"action":${given.action},`)).toBe(true);
    const { signature, vaultAddress = null, expiresAfter = null, ...rest } = JSON.parse(text);
    expect(signature).toEqual(given.signature);
    expect({ vaultAddress, expiresAfter }).toEqual({
      vaultAddress: given.vaultAddress,
      expiresAfter: given.expiresAfter,
    });
    expect(rest.signatureChainId ?? null).toBe(given.signatureChainId);
    expect(reply).toMatchObject({ txHash: given.txHash, nonce: given.nonce });
  });
});

describe('a multi-sig proposal is sent only by its sender and only if it is valid', () => {
  const given = vectorOf('multiSig-approveAgent');
  const { action } = PROPOSED['multiSig-approveAgent']!;

  async function proposed(venue: FakeVenue) {
    const { exchange } = senderOf(given, venue);
    const proposal = await exchange.multiSig.propose({ multiSigUser: GROUP, action });
    const [first, second] = walletsOf(given) as [Wallet, Wallet];
    const options = { network: given };
    const signatures = [
      await signProposal(proposal, { ...options, wallet: first }),
      await signProposal(proposal, { ...options, wallet: second }),
    ] as const;
    return { exchange, proposal, signatures };
  }

  test('a rate-limited proposal is resent unchanged, because its signers signed its nonce', async () => {
    const venue = await aVenue({
      status: 429,
      headers: { 'retry-after': '0' },
      body: { status: 'err', code: 10_029, response: 'rate limit exceeded' },
    });
    const { exchange, proposal, signatures } = await proposed(venue);
    await exchange.multiSig.send(proposal, signatures);
    expect(venue.received.length).toBe(2);
    expect(venue.received[1]?.text).toBe(venue.received[0]?.text);
  });

  test('the sender of a proposal can also sign it as one of its signers', async () => {
    const { exchange, proposal, signatures } = await proposed(await aVenue());
    expect(await exchange.multiSig.sign(proposal)).toEqual(signatures[0]);
  });

  test.each<[string, (made: Awaited<ReturnType<typeof proposed>>) => unknown, string]>([
    [
      'signed twice by one',
      ({ exchange, proposal, signatures: [one] }) => exchange.multiSig.send(proposal, [one, one]),
      'Signed twice by 0x3325a78425f17a7e487eb5666b2bfd93abb06c70: signatures[1]',
    ],
    [
      'without signatures',
      ({ exchange, proposal, signatures: [one] }) =>
        exchange.multiSig.send(proposal, [{ ...one, r: `0x${'0'.repeat(64)}` }]),
      'Invalid signature: signatures[0]',
    ],
    [
      'without a signature',
      ({ exchange, proposal }) => exchange.multiSig.send(proposal, []),
      'signatures must hold 1 to 10 entries',
    ],
    [
      'whose inner nonce is not its own',
      ({ exchange, proposal }) => exchange.multiSig.sign({ ...proposal, nonce: 5 }),
      'Action nonce does not match envelope nonce',
    ],
    [
      'of another network',
      ({ exchange, proposal }) =>
        exchange.multiSig.sign({
          ...proposal,
          action: { ...proposal.action, serviceNetwork: 'Elsewhere' } as typeof proposal.action,
        }),
      'Network mismatch: expected Service-Testnet, got Elsewhere',
    ],
    [
      'for a vault, where no vault can act',
      ({ exchange, proposal }) => exchange.multiSig.sign({ ...proposal, vaultAddress: GROUP }),
      'vaultAddress is not allowed for this action',
    ],
  ])('%s is rejected before anything is sent', async (_, act, message) => {
    const venue = await aVenue();
    const refused = act(await proposed(venue)) as Promise<unknown>;
    await expect(refused).rejects.toThrow(ValidationError);
    await expect(refused).rejects.toThrow(message);
    expect(venue.received).toEqual([]);
  });

  test('only its outer signer can send a proposal', async () => {
    const venue = await aVenue();
    const { proposal, signatures } = await proposed(venue);
    const other = createClient({
      url: venue.url,
      network: given,
      wallet: walletsOf(given)[1],
    });
    const refused = other.exchange.multiSig.send(proposal, signatures);
    await expect(refused).rejects.toThrow(SigningError);
    await expect(refused).rejects.toThrow(`The proposal must be sent by ${proposal.outerSigner}`);
  });

  test('a client without a wallet can create a proposal', async () => {
    const venue = await aVenue();
    const { exchange } = createClient({ url: venue.url, network: given });
    const outerSigner = given.signer.toUpperCase().replace('0X', '0x');
    const proposal = await exchange.multiSig.propose({ multiSigUser: GROUP, action, outerSigner });
    expect(proposal).toMatchObject({
      multiSigUser: GROUP.toLowerCase(),
      outerSigner: given.signer,
    });
    await expect(exchange.multiSig.sign(proposal)).rejects.toThrow('no wallet');
  });
});
