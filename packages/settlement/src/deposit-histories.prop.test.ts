import { placedLogs } from '@oddlot/testing/custody';
import { checkInvariants } from '@oddlot/engine';
import fc from 'fast-check';
import { testTimeoutMs } from '@oddlot/testing/host';
import { beforeAll, expect, test } from 'vitest';
import { CONTRACT_SENDER, MODEL_BRIDGE } from '@oddlot/testing/venue/money/deposit-chain';
import {
  creditedTotal,
  expectBalances,
  expectCounted,
  isQuiet,
  sumOf,
} from '@oddlot/testing/venue/money/deposit-count';
import { anyStep, History } from '@oddlot/testing/venue/money/deposit-history';
import type { DepositRig } from '@oddlot/testing/venue/money/deposit-rig';

/**
 * Tests R-deposit under faults. The test runs the watcher, permits and relayer against a model of a
 * chain. The chain reorganises and loses or replaces transactions, its endpoints fail or return
 * false data, and the venue can be killed between any two steps. The expected credits are computed
 * from each transaction's effect on the final chain, without logs. `FC_SEED=7
 * DEPOSIT_HISTORIES=20000 npx vitest run deposit-histories` reproduces a run, with more histories.
 */

const PERMIT_FAILED = 10_014;
const HISTORIES = Number(process.env['DEPOSIT_HISTORIES'] ?? 20);

beforeAll(() => {
  const seed = process.env['FC_SEED'] ?? 'the fixed one';
  process.stdout.write(`deposit histories: FC_SEED=${seed} DEPOSIT_HISTORIES=${HISTORIES}\n`);
});

test(
  'R-deposit: in any history of faults, every deposit is credited exactly once, and none remains stuck',
  async () => {
    const histories = fc.record({
      endpoints: fc.integer({ min: 1, max: 3 }),
      steps: fc.array(anyStep(1_000_000), { minLength: 5, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ endpoints, steps }) => {
        const history = new History(endpoints);
        const { rig } = history;
        try {
          for (const step of steps) {
            const { deaths } = rig;
            await history.run(step);
            const { isCurrent, state } = rig.watcher.status;
            if (step.do === 'round' && rig.deaths === deaths && isQuiet(rig)) {
              expect([state, isCurrent]).toEqual(['ok', true]);
              expectCounted(rig);
            }
          }
          await history.heal();
          expect(rig.watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
          expectCounted(rig);
          expectBalances(rig);
          // Rereading the chain from the beginning must give the same result.
          rig.reopen({ isWatchedLost: true });
          for (let at = 0; at < 6; at++) await rig.round();
          expect(rig.watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
          expectCounted(rig);
          expectBalances(rig);
          expect(rig.relayer.waiting().map(({ key, trouble }) => [key, trouble])).toEqual([]);
          for (const [query, hashes] of history.sent) {
            const answer = await history.ask(query);
            // Another sender was faster, so the venue's own transaction failed, and its answer says
            // so.
            if (answer?.ok === false) {
              expect(answer.error.code).toBe(PERMIT_FAILED);
              continue;
            }
            const mined = rig.chain.blocks.flatMap((block) => block.mined);
            expect(mined.some(({ hash }) => hashes.has(hash))).toBe(true);
          }
        } finally {
          rig.close();
        }
      }),
      { numRuns: (HISTORIES * 4) / 5 },
    );
  },
  testTimeoutMs(300_000),
);

const SHALLOW = 2;
const DEEP = 6;

type Place = { readonly txHash: string; readonly logIndex: number; readonly account: string };

function creditedPlaces({ replica }: DepositRig): Map<string, bigint> {
  const all = [...(replica.state.bridge?.credited.values() ?? [])];
  return new Map(all.map(({ account, amount, txHash }) => [`${txHash}:${account}`, amount]));
}

/** Returns the credited deposits that are no longer on the chain. The whole chain is searched. */
function lostPlaces({ chain, replica }: DepositRig): readonly string[] {
  const isThere = ({ account, logIndex, txHash }: Place): boolean =>
    chain.blocks.some((block) => {
      const isEvent = block.mined.find(({ hash }) => hash === txHash)?.to === MODEL_BRIDGE;
      const at = placedLogs(block).find(
        ({ address: by, topics, transactionHash }) =>
          transactionHash === txHash &&
          (by === MODEL_BRIDGE) === isEvent &&
          topics[1]?.endsWith(account.slice(2)),
      );
      return at !== undefined && Number(at.logIndex) === logIndex;
    });
  const all = [...(replica.state.bridge?.credited.values() ?? [])];
  return all.filter((each) => !isThere(each)).map(({ account, txHash }) => `${txHash}:${account}`);
}

/** Accepts the current chain, as an operator would do after comparing it with other sources. */
async function accept(history: History): Promise<void> {
  const { rig } = history;
  const { reorganisation } = rig.watcher.status;
  expect(reorganisation?.is).toMatch(/^0x/);
  rig.accepted = reorganisation?.is;
  rig.reopen();
  await rig.round();
}

test(
  'R-deposit: if a chain drops confirmed blocks, crediting stops until an operator accepts the chain, and nothing is credited twice',
  async () => {
    const deep = fc.record({
      do: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: DEEP }),
      rest: fc.constantFrom('same' as const, 'drop' as const, 'pool' as const),
    });
    const step = fc.oneof(
      { weight: 12, arbitrary: anyStep(5_000_000) },
      { weight: 2, arbitrary: deep },
    );
    const histories = fc.record({
      endpoints: fc.integer({ min: 1, max: 3 }),
      steps: fc.array(step, { minLength: 8, maxLength: 40 }),
    });
    let stopped = 0;
    await fc.assert(
      fc.asyncProperty(histories, async ({ endpoints, steps }) => {
        const history = new History(endpoints, SHALLOW);
        const { rig } = history;
        const ever = new Map<string, bigint>();
        try {
          for (const each of steps) {
            if (each.do === 'reorg' && each.depth > SHALLOW) await history.settle();
            const { state: was } = rig.watcher.status;
            const before = creditedTotal(rig);
            const { deaths } = rig;
            await history.run(each);
            for (const [place, amount] of creditedPlaces(rig)) ever.set(place, amount);
            if (each.do === 'reorg') await rig.round();
            else if (each.do !== 'round') continue;
            if (rig.deaths !== deaths || !isQuiet(rig)) continue;
            const { reorganisation, state } = rig.watcher.status;
            if (state !== 'reorganised') continue;
            stopped += 1;
            if (each.do === 'round' && was === 'reorganised')
              expect(creditedTotal(rig)).toBe(before);
            const reported = reorganisation?.vanished.map(
              ({ account, source }) => `${source.txHash}:${account}`,
            );
            const accepted = rig.watcher.status.book.vanished.map(
              ({ account, source }) => `${source.txHash}:${account}`,
            );
            expect(new Set([...(reported ?? []), ...accepted])).toEqual(
              new Set([...lostPlaces(rig), ...accepted]),
            );
            if (steps.length % 2 === 0) await accept(history);
          }
          for (let times = 0; times < 4; times++) {
            await history.heal();
            if (rig.watcher.status.state === 'reorganised') await accept(history);
          }
          expect(rig.watcher.status).toMatchObject({ state: 'ok', isCurrent: true });
          expect(rig.relayer.waiting()).toEqual([]);
          const onChain = new Map<string, bigint>();
          for (const { hash, kind, usd, user } of rig.chain.blocks.at(-SHALLOW)?.state.received ??
            []) {
            if (kind === 'plain' && user === CONTRACT_SENDER) continue;
            onChain.set(`${hash}:${user}`, usd);
          }
          const all = new Map([...ever, ...onChain]);
          expect(creditedTotal(rig)).toBe(sumOf(all.values()));
          const lost = [...ever.keys()].filter((place) => !onChain.has(place));
          const reported = rig.watcher.status.book.vanished.map(
            ({ account, source }) => `${source.txHash}:${account}`,
          );
          expect(new Set(reported)).toEqual(new Set(lost));
          checkInvariants(rig.replica.state);
        } finally {
          rig.close();
        }
      }),
      { numRuns: HISTORIES / 5 },
    );
    // The test is meaningful only if some histories stopped.
    expect(stopped).toBeGreaterThan(HISTORIES / 10);
  },
  testTimeoutMs(300_000),
);
