import { afterEach, describe, expect, test } from 'vitest';
import { bytesToHex, encodeMsgpack } from '@oddlot/protocol';
import { createClient, type Client, type ClientOptions } from '../client.ts';
import { SigningError, ValidationError } from '../errors.ts';
import { NonceSource } from '../nonce.ts';
import { FakeVenue } from '@oddlot/testing/sdk/fake-venue';
import { vectorOf } from '@oddlot/testing/sdk/vectors';
import { eip1193Wallet, privateKeyWallet, type Wallet } from '../wallet.ts';
import { limitOrder } from './order-entries.ts';

const running: FakeVenue[] = [];
afterEach(async () => {
  for (const venue of running.splice(0)) await venue.stop();
});

const SUCCESS = { status: 'ok', code: 0, data: { type: 'Any', data: { statuses: ['success'] } } };

async function aVenue(): Promise<FakeVenue> {
  const venue = await FakeVenue.start({ body: SUCCESS });
  running.push(venue);
  return venue;
}

const ACCOUNT = '0x1a642f0e3c3af545e7acbd38b07251b3990914f1';
const BUILDER = '0x1111111111111111111111111111111111111111';
const VAULT = '0x2222222222222222222222222222222222222222';
const SIGNERS = [
  '0xC48B812BB43401392C037381ACA934F4069C0517',
  '0x3325a78425f17a7e487eb5666b2bfd93abb06c70',
];
const AN_ORDER = limitOrder({ asset: 1, side: 'buy', price: '100', size: '0.5' });
const EXPIRY = vectorOf('order-vault-expiresAfter').expiresAfter!;

type Exchange = Client['exchange'];

const SENDS: Record<string, (exchange: Exchange) => Promise<{ txHash: string }>> = {
  'approveAgent-named': (exchange) =>
    exchange.approveAgent({
      agentAddress: '0x5050A4F4B3F9338C3472DCC01A87C76A144B3C9C',
      agentName: 'bot-1',
    }),
  approveBuilderFee: (exchange) =>
    exchange.approveBuilderFee({ builder: BUILDER, maxFeeRate: '0.05%' }),
  revokeBuilderFee: (exchange) => exchange.revokeBuilderFee({ builder: BUILDER }),
  claimBuilderRewards: (exchange) => exchange.claimBuilderRewards(),
  'order-alo-cloid-builder': (exchange) =>
    exchange.order({
      orders: [
        limitOrder({
          asset: 1,
          side: 'buy',
          price: '100',
          size: '0.5',
          tif: 'Alo',
          cloid: '80f969de-f58c-4e50-bae2-86fe818208a5',
        }),
      ],
      builder: { b: BUILDER, f: 10 },
    }),
  'tokenSend-own': (exchange) =>
    exchange.transferBetween({ from: 'perp', to: 'outcome', amount: '250.5' }),
  'tokenSend-other-signatureChainId': (exchange) =>
    exchange.sendTo({ destination: SIGNERS[1]!, amount: '10' }, { signatureChainId: 42_161 }),
  withdraw3: (exchange) => exchange.withdraw3({ destination: ACCOUNT, amount: '25' }),
  convertToMultiSigUser: (exchange) =>
    exchange.convertToMultiSigUser({ signers: { authorizedUsers: SIGNERS, threshold: 2 } }),
  'order-vault': (exchange) => exchange.forVault(VAULT).order({ orders: [AN_ORDER] }),
  'order-vault-expiresAfter': (exchange) =>
    exchange.forVault(VAULT).order({ orders: [AN_ORDER] }, { expiresAfter: EXPIRY }),
  'venueAdmin-setGate': (exchange) =>
    exchange.venueAdmin.setGate({
      channel: 1,
      mode: 'accessCode',
      blacklist: { add: ['0x6666666666666666666666666666666666666666'] },
      accessCodes: { add: [{ code: 'ALPHA-1', maxUses: 100 }] },
      grants: { add: [{ user: ACCOUNT, code: 'ALPHA-1' }] },
    }),
  'venueAdmin-registerVault': (exchange) =>
    exchange.venueAdmin.registerVault({
      vault: VAULT,
      leader: ACCOUNT,
      name: 'Alpha vault',
      shares: [{ user: ACCOUNT, shares: '1000' }],
    }),
};

/** Returns a wallet that records the digests it signs. */
function recordingWallet(privateKey: `0x${string}`): Wallet & { readonly digests: string[] } {
  const wallet = privateKeyWallet(privateKey);
  const digests: string[] = [];
  const sign: Wallet['sign'] = (request) => {
    digests.push(bytesToHex(request.digest));
    return wallet.sign(request);
  };
  return { ...wallet, sign, digests };
}

describe('the account, builder, vault and gate methods send the same requests as the vectors', () => {
  test.each(Object.entries(SENDS))('the request of "%s" matches its vector', async (name, send) => {
    const given = vectorOf(name);
    const venue = await aVenue();
    const wallet = recordingWallet(given.privateKey);
    const nonces = new NonceSource(() => given.nonce);
    // The vectors were signed without an expiry.
    const orderLifeMs = Infinity;
    const client = createClient({ url: venue.url, network: given, wallet, nonces, orderLifeMs });
    const reply = await send(client.exchange);
    const { path, text } = venue.received[0]!;
    const { action, signature, ...envelope } = JSON.parse(text);
    expect(path).toBe('/exchange');
    expect(text.startsWith(`{"action":${given.action},`)).toBe(true);
    if (given.scheme === 'agent') expect(bytesToHex(encodeMsgpack(action))).toBe(given.msgpack);
    expect(wallet.address).toBe(given.signer);
    expect(wallet.digests).toEqual([given.digest]);
    expect(signature).toEqual(given.signature);
    expect(reply.txHash).toBe(given.txHash);
    const { nonce, vaultAddress, signatureChainId, expiresAfter } = given;
    expect({ vaultAddress: null, signatureChainId: null, expiresAfter: null, ...envelope }).toEqual(
      { nonce, vaultAddress, signatureChainId, expiresAfter },
    );
  });
});

const KEY = `0x${'11'.repeat(32)}` as const;

function clientOf(venue: FakeVenue, options: Partial<ClientOptions> = {}): Client {
  const wallet = privateKeyWallet(KEY);
  return createClient({ url: venue.url, network: 'testnet', wallet, ...options });
}

test('treasurySend is sent with its keys in signing order', async () => {
  const venue = await aVenue();
  const parameters = { amount: '5', destination: BUILDER };
  await clientOf(venue).exchange.venueAdmin.treasurySend(parameters);
  const action = `{"type":"venueAdmin","treasurySend":{"destination":"${BUILDER}","amount":"5"}}`;
  expect(venue.received[0]?.text.startsWith(`{"action":${action},`)).toBe(true);
});

test('setOperators is sent with its keys in signing order', async () => {
  const venue = await aVenue();
  const parameters = { remove: [BUILDER], role: 'deployers' as const };
  await clientOf(venue).exchange.venueAdmin.setOperators(parameters);
  const action = `{"type":"venueAdmin","setOperators":{"role":"deployers","remove":["${BUILDER}"]}}`;
  expect(venue.received[0]?.text.startsWith(`{"action":${action},`)).toBe(true);
});

test('the signers text null makes an account an ordinary one again', async () => {
  const venue = await aVenue();
  await clientOf(venue).exchange.convertToMultiSigUser({ signers: null });
  expect(JSON.parse(venue.received[0]!.text).action.signers).toBe('null');
});

test('a wallet on another chain signs direct actions for that chain, and the request contains the chain', async () => {
  const given = vectorOf('tokenSend-other-signatureChainId');
  const key = privateKeyWallet(given.privateKey);
  const venue = await aVenue();
  const wallet = { ...key, isInteractive: true, chainId: async () => 42_161 };
  const nonces = new NonceSource(() => given.nonce);
  const { exchange } = createClient({ url: venue.url, network: given, wallet, nonces });
  await exchange.sendTo({ destination: SIGNERS[1]!, amount: '10' });
  const envelope = JSON.parse(venue.received[0]!.text);
  expect(envelope.signatureChainId).toBe(42_161);
  expect(envelope.signature).toEqual(given.signature);
});

describe('malformed account actions are rejected', () => {
  const twice = { authorizedUsers: [BUILDER, BUILDER], threshold: 1 };
  const missing = { authorizedUsers: [BUILDER], threshold: 2 };
  test.each<[string, (exchange: Exchange) => Promise<unknown>]>([
    ['a rate without a percent sign', (e) => e.approveBuilderFee(rate('0.05'))],
    ['a rate of zero', (e) => e.approveBuilderFee(rate('0%'))],
    ['a rate above one percent', (e) => e.approveBuilderFee(rate('1.01%'))],
    ['a signer named twice', (e) => e.convertToMultiSigUser({ signers: twice })],
    ['more signatures than signers', (e) => e.convertToMultiSigUser({ signers: missing })],
    ['an amount that is not a decimal', (e) => e.sendTo({ destination: BUILDER, amount: '1e3' })],
    ['an invalid address', (e) => e.withdraw3({ destination: '0x12', amount: '5' })],
    ['a code that is not a string', (e) => e.venueAdmin.setGate(code(1 as never))],
  ])('%s is rejected before anything is sent', async (_, send) => {
    const venue = await aVenue();
    await expect(send(clientOf(venue).exchange)).rejects.toThrow(ValidationError);
    expect(venue.received).toEqual([]);
  });

  const rate = (maxFeeRate: string) => ({ builder: BUILDER, maxFeeRate });
  const code = (text: string) => ({
    channel: 0 as const,
    accessCodes: { add: [{ code: text, maxUses: 1 }] },
  });
});

test('a browser wallet never signs trades for a vault, because only its agent may do so', async () => {
  const venue = await aVenue();
  const provider = { request: async () => '0x1' };
  const wallet = eip1193Wallet(provider, ACCOUNT);
  const sent = clientOf(venue, { wallet }).exchange.forVault(VAULT).cancelAll();
  await expect(sent).rejects.toThrow(SigningError);
  await expect(sent).rejects.toThrow('Approve an agent with this wallet');
});

describe('clients that share a signer use different nonces', () => {
  test('clients with one signer never share a nonce, even in concurrent requests', async () => {
    const venue = await aVenue();
    const wallet = privateKeyWallet(KEY);
    const clients = [clientOf(venue, { wallet }), clientOf(venue, { wallet })];
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) => clients[index % 2]!.exchange.cancelAll()),
    );
    const sent = venue.received.map(({ text }) => JSON.parse(text).nonce as number);
    expect(new Set(sent).size).toBe(40);
    expect(new Set(replies.map(({ nonce }) => nonce))).toEqual(new Set(sent));
  });

  test('clients use a nonce source passed to them', async () => {
    const venue = await aVenue();
    const nonces = new NonceSource(() => 7);
    const clients = [clientOf(venue, { nonces }), clientOf(venue, { nonces })];
    for (const { exchange } of clients) await exchange.cancelAll();
    expect(venue.received.map(({ text }) => JSON.parse(text).nonce)).toEqual([7, 8]);
  });
});
