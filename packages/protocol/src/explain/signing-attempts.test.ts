import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { present } from '@oddlot/units';
import { LIMITS } from '../limits.ts';
import { bytesToHex, concatBytes, hexToBytes } from '../bytes.ts';
import { encodeMsgpack } from '../json/msgpack.ts';
import { hashAction, type ActionToHash } from '../signing/hash-envelope.ts';
import { createHasher, nobleKeccak } from '../signing/hasher.ts';
import type { Network } from '../network.ts';
import { MISTAKES } from '../info/venue-answers.ts';
import {
  agentRecipe,
  digestOf,
  type ExplainContext,
  type Recipe,
  recipeOf,
  type Subject,
} from './recipe.ts';
import { signingAttempts, type SigningAttempt } from './signing-attempts.ts';

/**
 * Each row has the data that a client signed by mistake, written by hand. The test checks that its
 * digest is among the attempts.
 */

const NETWORK: Network = { serviceNetwork: 'Service-Testnet', chainId: 2511, apiVersion: 1 };
const OTHER: Network = { serviceNetwork: 'Service-Mainnet', chainId: 869, apiVersion: 1 };
const SETTLEMENT = 42_161;
const VAULT = `0x${'5a'.repeat(20)}`;
const CONTEXT: ExplainContext = {
  otherNetworks: [OTHER],
  settlementChainId: SETTLEMENT,
  vaults: [`0x${'5b'.repeat(20)}`, VAULT],
};
const NONCE = 1_767_225_600_123;

type Envelope = ActionToHash['envelope'];

const ORDER = {
  type: 'order',
  grouping: 'na',
  orders: [{ a: 1, b: true, p: '100', s: '0.5', r: false, t: { limit: { tif: 'Gtc' } } }],
};
const DIRECT = { serviceNetwork: 'Service-Testnet', chainId: 2511, apiVersion: 1 };
const SEND = {
  type: 'tokenSend',
  ...DIRECT,
  destination: `0x${'ab'.repeat(20)}`,
  token: 0,
  amount: '10.50',
  fromAccountType: 'perp',
  toAccountType: 'perp',
  nonce: NONCE,
};
const WRAPPER = {
  type: 'multiSig',
  signatures: [{ r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}`, v: 27 }],
  payload: { multiSigUser: `0x${'cd'.repeat(20)}`, outerSigner: VAULT, action: ORDER },
};

function subjectOf(
  action: Record<string, unknown>,
  more: Partial<Envelope> = {},
  context = CONTEXT,
): Subject {
  const request = { msgpack: encodeMsgpack(action), action, envelope: { nonce: NONCE, ...more } };
  const { scheme } = hashAction(request, createHasher(NETWORK));
  const signature = { r: '0x1', s: '0x1', v: 27 } as const;
  const base = recipeOf(request, NETWORK);
  return { scheme, request, signature, base, network: NETWORK, context, keccak: nobleKeccak };
}

function attemptsOf(...subject: Parameters<typeof subjectOf>): SigningAttempt[] {
  return [...signingAttempts(subjectOf(...subject))];
}

test('the digest of a recipe equals the one computed by the venue', () => {
  for (const action of [ORDER, SEND, WRAPPER]) {
    for (const more of [{}, { vaultAddress: VAULT, expiresAfter: 7, signatureChainId: 5 }]) {
      const envelope = { nonce: NONCE, ...more };
      const request = { msgpack: encodeMsgpack(action), action, envelope };
      const hasher = createHasher(NETWORK);
      const digest = digestOf(recipeOf(request, NETWORK), hasher.keccak);
      expect(digest).toEqual(hashAction(request, hasher).digest);
    }
  }
});

const parts = (recipe: Recipe, changed: Partial<NonNullable<Recipe['hashed']>>): Recipe => ({
  ...recipe,
  hashed: { ...present(recipe.hashed, 'a preimage'), ...changed },
});
const packed =
  (value: unknown) =>
  (recipe: Recipe): Recipe =>
    parts(recipe, { msgpack: encodeMsgpack(value) });
const domain =
  (chainId: number) =>
  (recipe: Recipe): Recipe => ({
    ...recipe,
    domain: { ...recipe.domain, chainId },
  });
const inBoth =
  (chainId: number) =>
  (recipe: Recipe): Recipe => ({
    ...domain(chainId)(recipe),
    values: { ...recipe.values, chainId },
  });
const named =
  (chainId: number) =>
  (recipe: Recipe): Recipe => ({
    ...inBoth(chainId)(recipe),
    domain: { ...recipe.domain, chainId, name: OTHER.serviceNetwork },
    values: { ...recipe.values, chainId, serviceNetwork: OTHER.serviceNetwork },
  });
const values =
  (changed: Record<string, unknown>) =>
  (recipe: Recipe): Recipe => ({
    ...recipe,
    values: { ...recipe.values, ...changed },
  });
/** Returns the recipe for the venue named in a direct action itself. */
const elsewhere = (recipe: Recipe): Recipe => ({
  ...recipe,
  domain: { ...recipe.domain, name: 'Elsewhere-3fa9c1d2' },
});
const bytes = (...list: number[]): Uint8Array => Uint8Array.of(...list);
const nonceOf = (value: number): Uint8Array => {
  const out = new DataView(new ArrayBuffer(8));
  out.setBigUint64(0, BigInt(value));
  return new Uint8Array(out.buffer);
};

type Row = readonly [
  expected: string,
  action: Record<string, unknown>,
  signed: (recipe: Recipe, request: ActionToHash) => Recipe,
  more?: Partial<Envelope>,
];

describe('each signing mistake has an attempt that finds it', () => {
  const [order] = ORDER.orders;
  const { t, r, s, p, b, a } = present(order, 'an order');
  const { type, grouping, orders } = ORDER;
  const checksum = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const built = { ...ORDER, builder: { b: checksum.toLowerCase(), f: 10 } };
  const rest = { grouping, orders };
  const set = (user: string): string => JSON.stringify({ authorizedUsers: [user], threshold: 1 });
  const convert = { type: 'convertToMultiSigUser', ...DIRECT, nonce: NONCE };

  const rows: Record<string, readonly Row[]> = {
    'an agent-signed action': [
      [
        'keyOrder: the canonical key order',
        { grouping, orders: [{ t, r, s, p, b, a }], type },
        packed(ORDER),
      ],
      ['keyOrder: sorted keys', ORDER, packed({ grouping, orders: [{ a, b, p, r, s, t }], type })],
      [
        'keyOrder: type, orders, grouping, builder',
        built,
        packed({ type, orders, grouping, builder: built.builder }),
      ],
      ['missingType: without type', ORDER, packed(rest)],
      ['chainId: 869 in the domain', ORDER, domain(869)],
      ['chainId: 869 in domain and struct', ORDER, inBoth(869)],
      ['chainId: 1 in domain and struct', ORDER, inBoth(1)],
      ['chainId: 42161 in domain and struct', ORDER, inBoth(SETTLEMENT)],
      ['chainId: 5 in domain and struct', ORDER, inBoth(5), { signatureChainId: 5 }],
      ['networkName: Service-Mainnet in domain and struct', ORDER, named(2511)],
      ['networkName: Service-Mainnet and 869 in domain and struct', ORDER, named(869)],
      [
        'vaultFlag: without the vault',
        ORDER,
        (recipe) => parts(recipe, { vault: bytes(0) }),
        { vaultAddress: VAULT },
      ],
      [
        'vaultFlag: the zero address as vault',
        ORDER,
        (recipe) => parts(recipe, { vault: concatBytes(bytes(1), new Uint8Array(20)) }),
      ],
      ['vaultFlag: no vault byte', ORDER, (recipe) => parts(recipe, { vault: bytes() })],
      [
        `vaultFlag: vault ${VAULT}`,
        ORDER,
        (recipe) => parts(recipe, { vault: concatBytes(bytes(1), hexToBytes(VAULT)) }),
      ],
      ['nonce: nonce + 1', ORDER, (recipe) => parts(recipe, { nonce: nonceOf(NONCE + 1) })],
      ['nonce: nonce - 1', ORDER, (recipe) => parts(recipe, { nonce: nonceOf(NONCE - 1) })],
      ['nonce: seconds', ORDER, (recipe) => parts(recipe, { nonce: nonceOf(1_767_225_600) })],
      [
        'nonce: little-endian bytes',
        ORDER,
        (recipe) => parts(recipe, { nonce: nonceOf(NONCE).reverse() }),
      ],
      ['nonce: 4 bytes', ORDER, (recipe) => parts(recipe, { nonce: nonceOf(NONCE).slice(4) })],
      [
        'nonce: seconds in 4 bytes',
        ORDER,
        (recipe) => parts(recipe, { nonce: nonceOf(1_767_225_600).slice(4) }),
      ],
      [
        'nonce: action.nonce',
        { ...ORDER, nonce: 77 },
        (recipe) => parts(recipe, { nonce: nonceOf(77) }),
      ],
      [
        'trailingZeros: decimals in canonical form',
        { ...ORDER, orders: [{ ...order, p: '0100.00', s: '0.50' }] },
        packed(ORDER),
      ],
      [
        'addressCase: addresses in lower case',
        { ...ORDER, builder: { b: checksum, f: 10 } },
        packed(built),
      ],
      [
        'addressCase: addresses in checksum case',
        built,
        packed({ ...ORDER, builder: { b: checksum, f: 10 } }),
      ],
      ['agentSignedAsDirect: chain id 5 in the domain', ORDER, domain(5), { signatureChainId: 5 }],
      ['agentSignedAsDirect: chain id 42161 in the domain', ORDER, domain(SETTLEMENT)],
      ['agentSignedAsDirect: chain id 1 in the domain', ORDER, domain(1)],
      [
        'expiresAfter: without the expiry',
        ORDER,
        (recipe) => parts(recipe, { expiry: bytes() }),
        { expiresAfter: NONCE },
      ],
      [
        'expiresAfter: an expiry of 0',
        ORDER,
        (recipe) => parts(recipe, { expiry: new Uint8Array(9) }),
      ],
      [
        'expiresAfter: an expiry byte alone',
        ORDER,
        (recipe) => parts(recipe, { expiry: bytes(0) }),
      ],
      [
        'expiresAfter: action.expiresAfter',
        { ...ORDER, expiresAfter: NONCE },
        (recipe) => parts(recipe, { expiry: concatBytes(bytes(0), nonceOf(NONCE)) }),
      ],
    ],
    'a direct action': [
      ['chainId: 869 in the domain', SEND, domain(869)],
      ['chainId: 1 in the domain', SEND, domain(1)],
      ['chainId: 42161 in the domain', SEND, domain(SETTLEMENT)],
      ['chainId: 42161 in domain and struct', SEND, inBoth(SETTLEMENT)],
      ['chainId: 5 in domain and struct', SEND, inBoth(5), { signatureChainId: 5 }],
      ['chainId: 2511 in the domain', SEND, domain(2511), { signatureChainId: 5 }],
      ['networkName: Service-Mainnet in domain and struct', SEND, named(2511)],
      [
        'networkName: Elsewhere-3fa9c1d2 in domain and struct',
        { ...SEND, serviceNetwork: 'Elsewhere-3fa9c1d2' },
        elsewhere,
      ],
      ['nonce: nonce + 1', SEND, values({ nonce: NONCE + 1 })],
      ['nonce: seconds', SEND, values({ nonce: 1_767_225_600 })],
      ["nonce: the envelope's nonce", SEND, values({ nonce: 99 }), { nonce: 99 }],
      ['trailingZeros: decimals in canonical form', SEND, values({ amount: '10.5' })],
      [
        'trailingZeros: decimals in canonical form',
        { type: 'approveBuilderFee', ...DIRECT, builder: VAULT, maxFeeRate: '0.10%', nonce: NONCE },
        values({ maxFeeRate: '0.1%' }),
      ],
      [
        'addressCase: addresses in checksum case',
        { ...convert, signers: set(checksum.toLowerCase()) },
        values({ signers: set(checksum) }),
      ],
      [
        'directSignedAsAgent: hashed as an agent-signed action',
        SEND,
        (_, request) => agentRecipe(request, NETWORK),
      ],
      [
        'directSignedAsAgent: hashed as an agent-signed action under chain id 5',
        SEND,
        (_, request) => domain(5)(agentRecipe(request, NETWORK)),
        { signatureChainId: 5 },
      ],
    ],
    'a multiSig wrapper': [
      [
        'keyOrder: the canonical key order',
        { payload: WRAPPER.payload, type: 'multiSig', signatures: WRAPPER.signatures },
        packed({ signatures: WRAPPER.signatures, payload: WRAPPER.payload }),
      ],
      [
        'keyOrder: the canonical key order',
        { ...WRAPPER, payload: { ...WRAPPER.payload, action: { orders, grouping, type } } },
        packed({ signatures: WRAPPER.signatures, payload: WRAPPER.payload }),
      ],
      ['missingType: with type', WRAPPER, packed(WRAPPER)],
      ['chainId: 1 in the domain', WRAPPER, domain(1)],
      ['networkName: Service-Mainnet and 869 in domain and struct', WRAPPER, named(869)],
      [
        'networkName: Elsewhere-3fa9c1d2 in domain and struct',
        {
          ...WRAPPER,
          payload: {
            ...WRAPPER.payload,
            action: { ...SEND, serviceNetwork: 'Elsewhere-3fa9c1d2' },
          },
        },
        (recipe) => values({ serviceNetwork: 'Elsewhere-3fa9c1d2' })(elsewhere(recipe)),
      ],
      [
        'vaultFlag: without the vault',
        WRAPPER,
        (recipe) => parts(recipe, { vault: bytes(0) }),
        { vaultAddress: VAULT },
      ],
      [
        'nonce: nonce - 1',
        WRAPPER,
        (recipe) => values({ nonce: NONCE - 1 })(parts(recipe, { nonce: nonceOf(NONCE - 1) })),
      ],
      [
        'nonce: action.nonce',
        { ...WRAPPER, payload: { ...WRAPPER.payload, action: { ...SEND, nonce: 99 } } },
        (recipe) => values({ nonce: 99 })(parts(recipe, { nonce: nonceOf(99) })),
      ],
      [
        'directSignedAsAgent: hashed as an agent-signed action',
        WRAPPER,
        (_, request) => agentRecipe(request, NETWORK),
      ],
      [
        'expiresAfter: without the expiry',
        WRAPPER,
        (recipe) => parts(recipe, { expiry: bytes() }),
        { expiresAfter: NONCE },
      ],
    ],
  };

  describe.each(Object.entries(rows))('the attempts for %s', (_kind, of) => {
    test.each(of.map((row) => [row[0], row] as const))(
      'the attempts include the mistake "%s"',
      (expected, [, action, signed, more]) => {
        const subject = subjectOf(action, more);
        const digest = bytesToHex(digestOf(signed(subject.base, subject.request), nobleKeccak));
        const tried = [...signingAttempts(subject)];
        const found = tried.filter((attempt) => bytesToHex(attempt.digest) === digest);
        expect(found.map(({ mistake, variant }) => `${mistake}: ${variant}`)).toEqual([expected]);
        expect(found[0]?.signature).toBe(subject.signature);
        expect(found[0]?.hint).toMatch(/^[A-Z][^.]*\.$/);
      },
    );
  });

  test.each([ORDER, SEND, WRAPPER])(
    'the attempts for $type include the other v (vParity)',
    (action) => {
      const subject = subjectOf(action);
      const flipped = [...signingAttempts(subject)].filter(({ mistake }) => mistake === 'vParity');
      const signature = { ...subject.signature, v: 28 };
      const digest = digestOf(subject.base, nobleKeccak);
      expect(flipped).toMatchObject([{ variant: 'v 28', signature, digest }]);
    },
  );
});

describe('the list of attempts is ordered, complete and limited', () => {
  test('attempts follow the order of the mistakes', () => {
    for (const action of [ORDER, SEND, WRAPPER]) {
      const places = attemptsOf(action).map(({ mistake }) => MISTAKES.indexOf(mistake));
      expect(places).toEqual([...places].sort((one, other) => one - other));
    }
  });

  test('the attempts cover every mistake possible with the scheme', () => {
    const namesOf = (action: Record<string, unknown>): string[] => [
      ...new Set(attemptsOf(action).map(({ mistake }) => mistake)),
    ];
    const never = (...names: string[]) => MISTAKES.filter((each) => !names.includes(each));
    const padded = { ...ORDER, orders: [{ ...ORDER.orders[0], s: '0.50' }] };
    const built = { ...padded, builder: { b: VAULT, f: 1 } };
    expect(namesOf(built)).toEqual(never('directSignedAsAgent'));
    expect(namesOf(SEND)).toEqual(
      never(
        'keyOrder',
        'missingType',
        'vaultFlag',
        'addressCase',
        'agentSignedAsDirect',
        'expiresAfter',
      ),
    );
    const wrapped = { ...WRAPPER, payload: { ...WRAPPER.payload, action: built } };
    expect(namesOf(wrapped)).toEqual(never('agentSignedAsDirect'));
  });

  test('no digest is attempted twice', () => {
    const context = { ...CONTEXT, settlementChainId: 869 };
    const variants = attemptsOf(ORDER, {}, context).map(({ variant }) => variant);
    expect(variants.filter((variant) => variant.startsWith('869'))).toEqual([
      '869 in the domain',
      '869 in domain and struct',
    ]);
    // The request was sent in canonical order and without addresses, so these candidates are
    // identical to the received request.
    expect(variants).not.toContain('the canonical key order');
    expect(variants).not.toContain('addresses in lower case');
  });

  test('attempts are limited by the number of vaults and bytes', () => {
    const vaults = Array.from(
      { length: 150 },
      (_, index) => `0x${String(index).padStart(40, '0')}`,
    );
    const context = { ...CONTEXT, vaults };
    const tried = attemptsOf(ORDER, {}, context).filter(({ variant }) =>
      variant.startsWith('vault '),
    );
    // One of the vaults is the zero address, which has already been tried as a separate mistake.
    expect(tried.length).toBe(LIMITS.explainVaultsMax - 1);
    const admin = { type: 'venueAdmin', treasurySend: { destination: VAULT, amount: '1' } };
    const forNone = attemptsOf(admin, {}, context).map(({ variant }) => variant);
    expect(forNone.filter((variant) => variant.startsWith('vault '))).toEqual([]);
    const huge = subjectOf({ ...ORDER, memo: 'x'.repeat(LIMITS.explainBytesMax / 4) });
    // The hash function does not matter here, and this one is fast.
    const keccak = (bytes: Uint8Array) => createHash('sha3-256').update(bytes).digest();
    const variants = [...signingAttempts({ ...huge, keccak })].map(({ variant }) => variant);
    expect(variants).toEqual(['sorted keys', 'type, orders, grouping, builder']);
  });
});
