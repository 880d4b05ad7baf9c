import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  UNPRIVILEGED_KEY,
  BridgeWorld,
  CAROL,
  CODES,
  payoutOf,
  refused,
  THRESHOLD,
  VALIDATORS,
  type CodeName,
} from '@oddlot/testing/contracts/bridge-world';
import { Evm } from '@oddlot/testing/contracts/evm';
import { keyOf, sortKeys, type Key } from '@oddlot/testing/contracts/keys';
import {
  signMessage,
  type Domain,
  type Payout,
  type Signature,
} from '@oddlot/testing/contracts/sign';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);
/** Every signature (r, s) has a second form (r, order − s). */
const GROUP_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const STRANGERS = sortKeys(['x', 'y'].map((name) => keyOf(`stranger ${name}`)));

let world: BridgeWorld;

beforeAll(async () => {
  world = await BridgeWorld.open();
  await world.fill(1_000_000_000n);
});

/** The defects of a signature or of the content signed. */
const FLAWS = [
  'none',
  'other id',
  'other destination',
  'other user',
  'other amount',
  'other chain',
  'other contract',
  'other message',
  'twin',
  'other v',
  'zero',
] as const;

type Slip = { readonly key: Key; readonly flaw: (typeof FLAWS)[number] };

/** A change that invalidates a valid list of signatures, at a position derived from its length. */
type Change = { readonly what: (typeof CHANGES)[number]; readonly at: number };
const CHANGES = ['flaw', 'stranger', 'repeat', 'swap', 'drop', 'insert'] as const;

const change = fc.record({
  what: fc.constantFrom(...CHANGES),
  at: fc.nat({ max: 11 }),
  flaw: fc.constantFrom(...FLAWS),
});

function spoil(slips: Slip[], { what, at, flaw }: Change & Pick<Slip, 'flaw'>): Slip[] {
  const place = at % Math.max(slips.length, 1);
  const here = slips[place];
  if (here === undefined) return slips;
  const stranger = {
    key: STRANGERS[at % STRANGERS.length] ?? UNPRIVILEGED_KEY,
    flaw: 'none',
  } as const;
  switch (what) {
    case 'flaw':
      return slips.with(place, { ...here, flaw });
    case 'stranger':
      return slips.with(place, stranger);
    case 'repeat':
      return slips.toSpliced(place, 0, here);
    case 'swap':
      return slips.with(place, slips[0] ?? here).with(0, here);
    case 'drop':
      return slips.toSpliced(place, 1);
    case 'insert':
      return slips.toSpliced(place, 0, stranger);
  }
}

/** Computes the expected result by an independent rule. */
function isGood(slips: readonly Slip[]): boolean {
  const signers = slips.map(({ key }) => key.address.toLowerCase());
  return (
    slips.length >= Number(THRESHOLD) &&
    slips.every(({ key, flaw }) => flaw === 'none' && VALIDATORS.includes(key)) &&
    new Set(signers).size === signers.length &&
    signers.join() === signers.toSorted().join()
  );
}

test('R-withdraw: a payout needs a threshold of sorted, distinct validator signatures over its content', async () => {
  const seen = new Map<string, number>();
  const payout = payoutOf(1n);
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...VALIDATORS], { minLength: 1 }),
      fc.array(change, { maxLength: 2 }),
      async (signers, changes) => {
        const good: Slip[] = signers.map((key) => ({ key, flaw: 'none' }));
        const slips = changes.reduce(spoil, good);
        const signatures: Signature[] = [];
        for (const { key, flaw } of slips) signatures.push(await signFlawed(key, flaw, payout));
        const { ok, error } = await world.evm.undone(() =>
          world.call(UNPRIVILEGED_KEY, 'payOut', [payout, signatures]),
        );
        expect(ok, error).toBe(isGood(slips));
        seen.set(error ?? 'paid', (seen.get(error ?? 'paid') ?? 0) + 1);
      },
    ),
    { numRuns: RUNS },
  );
  // The random lists cover every possible result of the signature check.
  const answers: readonly CodeName[] = [
    'TOO_FEW_SIGNATURES',
    'BAD_SIGNATURE',
    'NOT_A_VALIDATOR',
    'UNSORTED_SIGNATURES',
  ];
  for (const answer of ['paid', ...answers.map((name) => refused(name))]) {
    expect(seen.get(answer) ?? 0, answer).toBeGreaterThan(0);
  }
});

async function signFlawed(key: Key, flaw: Slip['flaw'], payout: Payout): Promise<Signature> {
  const { domain, token } = world;
  const sign = async (over: Partial<Payout> = {}, other: Partial<Domain> = {}) => {
    const message = { ...payout, ...over };
    const [signature] = await signMessage([key], { ...domain, ...other }, 'Payout', message);
    return signature ?? { r: 0n, s: 0n, v: 0 };
  };
  switch (flaw) {
    case 'none':
      return sign();
    case 'other id':
      return sign({ withdrawalId: payout.withdrawalId + 1n });
    case 'other destination':
      return sign({ destination: CAROL.address });
    case 'other user':
      return sign({ user: CAROL.address });
    case 'other amount':
      return sign({ usd: payout.usd + 1n });
    case 'other chain':
      return sign({}, { chainId: 42_161 });
    case 'other contract':
      return sign({}, { verifyingContract: token.address });
    case 'other message': {
      const { withdrawalId } = payout;
      const [signature] = await signMessage([key], domain, 'Cancellation', { withdrawalId });
      return signature ?? { r: 0n, s: 0n, v: 0 };
    }
    case 'twin': {
      const { r, s, v } = await sign();
      return { r, s: GROUP_ORDER - s, v: 55 - v };
    }
    case 'other v':
      return { ...(await sign()), v: 0 };
    case 'zero':
      return { r: 0n, s: 0n, v: 27 };
  }
}

test('signatures for one bridge are invalid on an identical bridge, whether on the same chain or another', async () => {
  const payout = payoutOf(1n);
  const signatures = await world.signPayout(payout);
  const neighbour = await BridgeWorld.open({ evm: world.evm });
  // Identical deployments have the same addresses, so only the chain differs here.
  const otherChain = await BridgeWorld.open({ evm: await Evm.open(42_161) });
  expect(otherChain.bridge.address).toBe(world.bridge.address);
  for (const other of [neighbour, otherChain]) {
    await other.fill(1_000_000_000n);
    const { error } = await other.call(UNPRIVILEGED_KEY, 'payOut', [payout, signatures]);
    expect(error).toBe(refused('NOT_A_VALIDATOR'));
  }
  const { ok } = await world.call(UNPRIVILEGED_KEY, 'payOut', [payout, signatures]);
  expect(ok).toBe(true);
  const replayed = await world.call(UNPRIVILEGED_KEY, 'payOut', [payout, signatures]);
  expect(replayed.error).toBe(`Refused(${CODES.ALREADY_PAID})`);
});
