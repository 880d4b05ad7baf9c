import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyBlock, createState, owedMicroUsdc, type Command, type State } from '@oddlot/engine';
import { address, timeMs, type Address } from '@oddlot/units';
import { defaultParameters } from '../packages/replica/src/genesis-commands.ts';
import { buildTree } from '../packages/history/src/reserves/build-tree.ts';
import { readProof } from '../packages/history/src/reserves/read-proof.ts';
import {
  createTreeHasher,
  NODE_BYTES,
  treeFile,
  type TreeHasher,
} from '../packages/history/src/reserves/tree-file.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  cpuMsOf,
  noted,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * The proof of reserves of a large venue: what the tree costs against the hashes that it can't do
 * without, how long others wait meanwhile, and what one proof costs.
 */

const START_MS = 1_800_000_000_000;
const COMMANDS_PER_BLOCK = 10_000;
/** A salt, a leaf and a node for each account. */
const HASHES = 3;
const RATIO_MAX = 4;
/** The thread answers questions on the past meanwhile. */
const TURN_MS_MAX = 50;
const PROOFS = 200;

export async function reservesSection(scale: Scale): Promise<readonly Row[]> {
  const accounts = sized(scale, { full: 1_000_000, quick: 100_000, tiny: 200 });
  const state = crowd(accounts);
  collectGarbage();
  const hasher = await createTreeHasher();
  const hashMs = cpuMs(() => hashAll(hasher, HASHES * accounts));
  const folder = await mkdtemp(join(tmpdir(), 'oddlot-bench-reserves-'));
  const secret = Buffer.alloc(32, 7);
  const shared = { folder, hasher, secret, height: 1 };
  let longest = 0;
  let since = process.cpuUsage();
  const pause = async (): Promise<void> => {
    const { system, user } = process.cpuUsage(since);
    longest = Math.max(longest, (system + user) / 1_000);
    await new Promise((resolve) => setImmediate(resolve));
    since = process.cpuUsage();
  };
  try {
    let liabilities = 0n;
    const startedMs = performance.now();
    const treeMs = await cpuMsOf(async () => {
      ({ liabilities } = await buildTree({ ...shared, state, pause }));
    });
    const seconds = (performance.now() - startedMs) / 1_000;
    same('the sum of the tree', liabilities, owedMicroUsdc(state));
    const { size } = await stat(treeFile(folder, 1));
    const proofsMs = await cpuMsOf(async () => {
      for (let n = 0; n < PROOFS; n++) {
        const user = someone((n * 7_919) % accounts);
        same('a proof', typeof (await readProof({ ...shared, user })), 'object');
      }
    });
    const words = `${show(accounts)} accounts, CPU against ${HASHES} Keccaks for each`;
    const file = `${show(treeMs / 1_000)} s of it, ${show(seconds)} s by the clock, a file of ${show(size / 2 ** 20)} MiB`;
    return [
      atMost('tree of reserves', `${words}; ${file}`, treeMs / hashMs, RATIO_MAX),
      atMost(
        'longest turn while building the reserve tree',
        'CPU, garbage collection included',
        longest,
        TURN_MS_MAX,
        ' ms',
      ),
      noted('one proof from it', 'CPU, the file in the cache', proofsMs / PROOFS, ' ms'),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

function someone(n: number): Address {
  return address(`0x${(n + 1).toString(16).padStart(40, '0')}`);
}

/** A venue where everybody has some money. */
function crowd(accounts: number): State {
  const state = createState();
  const apply = (commands: readonly Command[]): void => {
    applyBlock(state, { height: state.height + 1, timeMs: timeMs(START_MS), commands });
  };
  apply([{ type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') }]);
  for (let from = 0; from < accounts; from += COMMANDS_PER_BLOCK) {
    const count = Math.min(COMMANDS_PER_BLOCK, accounts - from);
    const numbers = Array.from({ length: count }, (_, at) => from + at);
    apply(
      numbers.map((n) => {
        const amountMicroUsdc = 1_000_000 + n;
        return { type: 'creditFaucet', account: someone(n), subAccount: 'perp', amountMicroUsdc };
      }),
    );
  }
  return state;
}

function hashAll(hasher: TreeHasher, count: number): void {
  const node = Buffer.alloc(NODE_BYTES, 1);
  for (let n = 0; n < count; n++) hasher.node(node, node);
}
