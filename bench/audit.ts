import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '@oddlot/engine';
import { address, instrumentId, timeMs } from '@oddlot/units';
import { AuditedReplica } from '../packages/audit/src/replica/audited-replica.ts';
import type { LogEntry, LoggedCommand } from '../packages/replica/src/block.ts';
import { sentRequest } from '../packages/api/src/read-request.ts';
import { authorityFrom, createRecoverer } from '../packages/api/src/recoverer.ts';
import { genesisCommands } from '../packages/replica/src/genesis-commands.ts';
import { EraStore, SnapshotStore } from '../packages/replica/src/log/checked-stores.ts';
import { FollowingReplica } from '../packages/replica/src/following-replica.ts';
import { actionToCommand, instrumentLookup } from '../packages/translate/src/action-to-command.ts';
import {
  collectGarbage,
  cpuMsOf,
  median,
  noted,
  same,
  show,
  sized,
  skipped,
  type Row,
  type Scale,
} from './report.ts';
import { createRequestSigner, loadSecp256k1, NETWORK, orderAction } from './signed-requests.ts';

/**
 * Measures the cost of a verifying replica, which derives every command from its request and
 * recovers the signer of every request or of a sample. The baseline applies the same log without
 * checks.
 */

const START_MS = 1_767_225_600_000;
const BLOCK_ORDERS = 200;
const ACCOUNTS = 20;
const SAMPLE = 20;

export async function auditSection(scale: Scale): Promise<readonly Row[]> {
  const secp256k1 = loadSecp256k1();
  if (secp256k1 === undefined) return [skipped('audit', 'the binding is not installed')];
  const orders = sized(scale, { full: 40_000, quick: 8_000, tiny: 400 });
  const rounds = sized(scale, { full: 5, quick: 3, tiny: 1 });
  const directory = await mkdtemp(join(tmpdir(), 'oddlot-bench-'));
  try {
    const entries = await signedLog(directory, orders);
    const plain: number[] = [];
    const whole: number[] = [];
    const sampled: number[] = [];
    for (let round = 0; round < rounds; round++) {
      collectGarbage();
      const own = await plainly(directory, entries);
      plain.push((own.cpuMs * 1_000) / orders);
      for (const [sampleOneIn, costs] of [
        [1, whole],
        [SAMPLE, sampled],
      ] as const) {
        collectGarbage();
        const checked = await audited(directory, entries, sampleOneIn);
        same('the hash of the last block', checked.hash, own.hash);
        costs.push((checked.cpuMs * 1_000) / orders);
      }
    }
    return rowsOf(median(plain), median(whole), median(sampled));
  } finally {
    await rm(directory, { recursive: true });
  }
}

function rowsOf(plain: number, whole: number, sampled: number): readonly Row[] {
  const beside = `${show(whole)} µs an order against ${show(plain)} µs`;
  const partly = `${show(sampled)} µs an order against ${show(plain)} µs`;
  return [
    noted(
      'an independent replica, against one that checks nothing',
      `CPU; ${beside}`,
      whole / plain,
    ),
    noted(`the same, one signature of ${SAMPLE} recovered`, `CPU; ${partly}`, sampled / plain),
    noted('orders that it follows without lag', 'a second, on one core', 1_000_000 / whole, '/s'),
  ];
}

function optionsIn(directory: string) {
  return {
    log: { firstSeq: 1, lastSeq: 0, replay: () => Promise.resolve() },
    snapshots: new SnapshotStore({ directory: join(directory, 'snapshots') }),
    eras: new EraStore({ directory: join(directory, 'eras') }),
  };
}

async function plainly(directory: string, entries: readonly LogEntry[]) {
  const replica = await FollowingReplica.create(optionsIn(directory));
  const cpuMs = await cpuMsOf(async () => {
    for (const entry of entries) replica.take(entry);
  });
  return { cpuMs, hash: replica.head.hash };
}

async function audited(directory: string, entries: readonly LogEntry[], sampleOneIn: number) {
  const { serviceNetwork } = NETWORK;
  const policy = { serviceNetwork, venuePrices: true, testMoney: true, sampleOneIn };
  const replica = await AuditedReplica.open({
    ...optionsIn(directory),
    policy,
    now: () => Infinity,
    draw: Math.random,
  });
  const cpuMs = await cpuMsOf(async () => {
    for (const entry of entries) await replica.take(entry);
  });
  return { cpuMs, hash: replica.replica.head.hash };
}

/** Writes a log of matching orders from a few accounts, each in its own signed request. */
async function signedLog(directory: string, orders: number): Promise<readonly LogEntry[]> {
  const signer = await createRequestSigner(loadSecp256k1()!);
  const recoverer = await createRecoverer(NETWORK);
  const replica = await FollowingReplica.create(optionsIn(directory));
  const instruments = instrumentLookup(() => replica.state);
  const keys = Array.from({ length: ACCOUNTS }, (_, n) => signer.key(n));
  const entries: LogEntry[] = [];
  const add = (commands: readonly LoggedCommand[]): void => {
    const seq = entries.length + 1;
    const entry = { seq, timeMs: START_MS + seq * 100, commands };
    replica.take(entry);
    entries.push(entry);
  };
  const first = [replica.firstEra(), ...genesisCommands(NETWORK.serviceNetwork)];
  add(first.map((command) => ({ command })));
  const grants = keys.map(({ address: account }) => grantTo(account));
  const price = { instrumentId: instrumentId(1), oracle: 900_000 };
  const push = { type: 'pushOracle', prices: [price], observedMs: timeMs(START_MS + 100) } as const;
  add([...grants, push].map((command) => ({ command })));
  for (let from = 0; from < orders; from += BLOCK_ORDERS) {
    const block: LoggedCommand[] = [];
    for (let at = from; at < Math.min(orders, from + BLOCK_ORDERS); at++) {
      const key = keys[at % ACCOUNTS]!;
      const isBuy = at % 2 === 0;
      const limit = { tif: 'Gtc' } as const;
      const order = { a: 1, b: isBuy, p: '90000', s: '0.00021', r: false, t: { limit } };
      const nonce = START_MS + (entries.length + 1) * 100 + at - from;
      const { text } = signer.sign(key, orderAction([order]), nonce);
      const { sent, ...found } = recoverer.read(text, JOB);
      if ('refused' in sent) throw new Error('an order can not be read');
      const asked = sentRequest(sent);
      const authority = authorityFrom(asked, found, found.txHash as never);
      if (!('signer' in authority)) throw new Error('an order has no signer');
      block.push({ command: actionToCommand(asked.action, authority, instruments), request: text });
    }
    add(block);
  }
  return entries;
}

const JOB = { isLarge: false, nonceAfter: 0, nonceBefore: Infinity };
const GRANT_MICRO_USDC = 1_000_000_000;

function grantTo(account: string): Command {
  const amount = { subAccount: 'perp', amountMicroUsdc: GRANT_MICRO_USDC } as const;
  return { type: 'creditFaucet', account: address(account), ...amount };
}
