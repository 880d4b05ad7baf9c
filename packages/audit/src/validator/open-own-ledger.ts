import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChainClient, urlEndpoint } from '@oddlot/custody/chain';
import type { OwnLedger, ValidatorSettings } from '@oddlot/custody/validator';
import { makeFolder } from '@oddlot/host/durable';
import type { Logger } from '@oddlot/host/log';
import { Snapshotter } from '@oddlot/replica/folder-follower';
import { EraStore, SnapshotStore } from '@oddlot/replica/log/checked-stores';
import type { Hex } from 'viem';
import { BridgeEvidence } from '../chain/bridge-evidence.ts';
import { findingText } from '../checks/finding.ts';
import type { Policy } from '../checks/command-checker.ts';
import { beginningOf, LogFollower } from '../follow/log-follower.ts';
import { HttpLog } from '../follow/http-log.ts';
import { AuditedReplica, type Checkpoint } from '../replica/audited-replica.ts';
import { OwnSnapshots, PinnedHead } from './own-snapshots.ts';
import { ReplicaLedger, WithdrawalRequests } from './replica-ledger.ts';

const USDC = 1_000_000n;
const CHAIN_MS_MAX = 5_000;
const SNAPSHOT_EVERY_BLOCKS = 20_000;
const SNAPSHOT_EVERY_COMMANDS = 500_000;

/** Opens an audited replica in a validator's folder and follows the configured log. */
export async function openOwnLedger(
  config: ValidatorSettings,
  { log, now }: { readonly log: Logger; readonly now: () => number },
): Promise<OwnLedger> {
  for (const why of warnings(config)) log.warn(why);
  const source = new HttpLog(String(config.log));
  const requests = new WithdrawalRequests();
  const pinned = new PinnedHead(join(folder(config, ''), 'signed-head'));
  const snapshots = new SnapshotStore({ directory: folder(config, 'snapshots') });
  const own = new OwnSnapshots({
    file: join(folder(config, ''), 'own-snapshots'),
    accepted: config.acceptSnapshot,
    hasSigned: pinned.head !== undefined,
  });
  const replica = await AuditedReplica.open({
    policy: policyOf(config),
    log: beginningOf(source),
    snapshots,
    eras: new EraStore({ directory: folder(config, 'eras') }),
    chain: evidenceOf(config),
    checkpoints: checkpointsOf(config, pinned),
    now,
    draw,
    projections: [requests],
    faultOf: own.faultOf,
    onPassedOver: (what, why) => log.warn({ what, why }, 'unusable snapshot skipped'),
  });
  const snapshotter = new Snapshotter({
    replica: replica.replica,
    snapshots,
    everyBlocks: SNAPSHOT_EVERY_BLOCKS,
    everyCommands: SNAPSHOT_EVERY_COMMANDS,
    hasSpace: () => true,
    pause: () => nextTurn(),
    onFailed: (err) => log.error({ err }, 'snapshot could not be written; retrying'),
  });
  await snapshotter.open();
  const write = async (): Promise<void> => {
    const written = await snapshotter.write();
    if (written !== undefined) own.add(written.content);
  };
  const follower = new LogFollower({
    source,
    replica,
    onApplied: () => (snapshotter.isDue ? write() : undefined),
    onFinding: (finding) => log.fatal({ finding }, `signing stopped: ${findingText(finding)}`),
    onWaits: (why) => {
      if (why === undefined) log.info("following the venue's log");
      else log.warn({ why }, 'next block cannot be applied yet; waiting');
    },
  });
  follower.start();
  return new ReplicaLedger({
    replica,
    follower,
    requests,
    pinned,
    feeMax: BigInt(config.withdrawFeeMaxUsdc) * USDC,
    stop: async () => {
      await follower.stop();
      // After a finding, the state is not saved.
      if (follower.finding === undefined) await write();
    },
  });
}

function folder({ data }: ValidatorSettings, name: string): string {
  const path = join(data, 'replica', name);
  makeFolder(path);
  return path;
}

function checkpointsOf(
  { genesis }: ValidatorSettings,
  { head }: PinnedHead,
): readonly Checkpoint[] {
  return [
    ...(genesis === undefined ? [] : [{ height: 1, hash: genesis, by: 'genesis' }]),
    ...(head === undefined ? [] : [{ ...head, by: 'last signed block' }]),
  ];
}

function policyOf(config: ValidatorSettings): Policy {
  const { prices, sampleOneIn, serviceNetwork, testMoney, vouchedBlock } = config;
  const [height, hash] = vouchedBlock?.split(':') ?? [];
  const vouched =
    height === undefined || hash === undefined ? undefined : { height: Number(height), hash };
  return { serviceNetwork, venuePrices: prices === 'venue', testMoney, sampleOneIn, vouched };
}

function evidenceOf(config: ValidatorSettings): BridgeEvidence {
  const { chain, chainConfirmations: confirmations, chainFrom: fromBlock, chainId } = config;
  const endpoints = chain.map((url) => urlEndpoint(url, CHAIN_MS_MAX));
  const client = new ChainClient({ endpoints, chainId, confirmations });
  return new BridgeEvidence({ client, bridge: config.bridge as Hex, fromBlock });
}

/** Returns an unpredictable number in [0, 1). */
function draw(): number {
  return randomBytes(4).readUInt32LE(0) / 2 ** 32;
}

function warnings({
  genesis,
  prices,
  sampleOneIn,
  testMoney,
  vouchedBlock,
}: ValidatorSettings): readonly string[] {
  const all: [boolean, string][] = [
    [
      genesis === undefined,
      'genesis: not set, so the first log that this validator receives is trusted',
    ],
    [prices === 'venue', "prices: the venue's own prices are trusted"],
    [testMoney, 'testMoney: test funds created by the venue are accepted'],
    [sampleOneIn > 1, `sampleOneIn: only one of ${sampleOneIn} order signatures is verified`],
    [
      vouchedBlock !== undefined,
      'vouchedBlock: the log up to this block is applied without deriving its commands',
    ],
  ];
  return all.flatMap(([holds, why]) => (holds ? [why] : []));
}
