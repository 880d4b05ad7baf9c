import {
  ALICE,
  UNPRIVILEGED_KEY,
  BOB,
  BridgeWorld,
  DELAY_SECONDS,
  GUARDIAN,
  LARGE_USD,
  MINTER,
  payoutOf,
  VALIDATORS,
  bridgeCode,
} from './bridge-world.ts';
import type { Outcome } from './evm.ts';
import { keyOf, type Key } from './keys.ts';
import { signPermit } from './sign.ts';

/**
 * Returns the gas cost of each bridge function as rows of the Markdown table that `npm run
 * gas-table` prints. Two of three validators sign. Real calls differ by a few hundred gas,
 * depending on the bytes of their arguments.
 */
export async function gasTable(): Promise<string[]> {
  const rows = ['| Call | Gas |', '|---|---|'];
  const add = (call: string, gas: bigint): void => {
    rows.push(`| ${call} | ${String(gas).replace(/\B(?=(\d{3})+$)/g, ',')} |`);
  };
  const world = await BridgeWorld.open();
  add(
    'deploy the bridge',
    (await world.evm.deploy(UNPRIVILEGED_KEY, bridgeCode(world.token))).gasUsed,
  );
  const measured = async (call: string, run: Promise<Outcome>): Promise<void> => {
    const { ok, error, gasUsed } = await run;
    if (!ok) throw new Error(`${call}: ${error}`);
    add(call, gasUsed);
  };
  await measureDeposits(world, measured);
  await measurePayouts(world, measured);
  await measureRoles(world, measured);
  return rows;
}

type Measured = (call: string, run: Promise<Outcome>) => Promise<void>;

async function measureDeposits(world: BridgeWorld, measured: Measured): Promise<void> {
  await world.fund(ALICE, 100_000_000n);
  await world.tokenCall(ALICE, 'approve', [world.bridge.address, 50_000_000n]);
  await measured('`deposit`, the first ever', world.call(ALICE, 'deposit', [5_000_000n]));
  await measured('`deposit`', world.call(ALICE, 'deposit', [5_000_000n]));
  await measured('`depositFor`', world.call(ALICE, 'depositFor', [BOB.address, 5_000_000n]));
  await measured('`batchedDepositWithPermit` of 1', permits(world, [keyOf('permit 0')]));
  const ten = Array.from({ length: 10 }, (_, i) => keyOf(`permit ${i + 1}`));
  await measured('`batchedDepositWithPermit` of 10', permits(world, ten));
}

async function permits(world: BridgeWorld, users: readonly Key[]): Promise<Outcome> {
  const place = { token: world.token, spender: world.bridge.address };
  const signed = [];
  for (const user of users) {
    await world.fund(user, 10_000_000n);
    signed.push(await signPermit(world.evm, place, { user, usd: 5_000_000n }));
  }
  return world.call(UNPRIVILEGED_KEY, 'batchedDepositWithPermit', [signed]);
}

async function measurePayouts(world: BridgeWorld, measured: Measured): Promise<void> {
  await world.fill(10n * LARGE_USD);
  const signers = VALIDATORS.slice(0, 2);
  await measured('`payOut` to a new holder', world.payOut(payoutOf(1n), signers));
  await measured('`payOut`', world.payOut(payoutOf(2n), signers));
  const ten = Array.from({ length: 10 }, (_, i) => payoutOf(BigInt(i + 10)));
  const signatures = await Promise.all(ten.map((payout) => world.signPayout(payout, signers)));
  await measured(
    '`batchPayOut` of 10',
    world.call(UNPRIVILEGED_KEY, 'batchPayOut', [ten, signatures]),
  );
  const large = payoutOf(3n, { usd: LARGE_USD });
  await measured('`payOut` that is queued', world.payOut(large, signers));
  world.evm.timeSeconds += DELAY_SECONDS;
  await measured('`finish`', world.call(UNPRIVILEGED_KEY, 'finish', [3n]));
  await measured('`cancel`', world.cancel(4n, signers));
  await world.payOut(payoutOf(5n, { usd: LARGE_USD }), signers);
  await measured('`cancelQueued`', world.call(GUARDIAN, 'cancelQueued', [5n]));
}

async function measureRoles(world: BridgeWorld, measured: Measured): Promise<void> {
  const signers = VALIDATORS.slice(0, 2);
  await measured('`pause`, the first', world.call(GUARDIAN, 'pause'));
  await measured('`unpauseBySignatures`', world.unpause(1n, signers));
  await world.call(GUARDIAN, 'pause');
  await measured('`unpause`', world.call(GUARDIAN, 'unpause'));
  const validators = ['a', 'b', 'c'].map((name) => keyOf(`next ${name}`));
  const next = { validators, threshold: 2n, guardian: MINTER, nonce: 0n };
  await measured('`rotate` to three others', world.rotate(next, signers));
}

if (import.meta.main) console.log((await gasTable()).join('\n'));
