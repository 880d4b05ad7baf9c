import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyBlock, createState, type Command, type State } from '@oddlot/engine';
import { type Address, address, timeMs } from '@oddlot/units';
import { defaultParameters } from '../../../packages/replica/src/genesis-commands.ts';
import { buildTree, type BuiltTree } from '../../../packages/history/src/reserves/build-tree.ts';
import { readProof } from '../../../packages/history/src/reserves/read-proof.ts';
import {
  createTreeHasher,
  type TreeHasher,
  treeSecret,
} from '../../../packages/history/src/reserves/tree-file.ts';

const START_MS = 1_800_000_000_000;

export function testAddress(n: number): Address {
  return address(`0x${(n + 1).toString(16).padStart(40, '0')}`);
}

/** Creates a venue in which the n-th account has the n-th amount. */
export function venueOf(amounts: readonly number[]): State {
  const state = createState();
  const commands: Command[] = amounts.map((amountMicroUsdc, n) => {
    return { type: 'creditFaucet', account: testAddress(n), subAccount: 'perp', amountMicroUsdc };
  });
  const genesis: Command = { type: 'genesis', parameters: defaultParameters('Oddlot-Testnet') };
  applyBlock(state, { height: 1, timeMs: timeMs(START_MS), commands: [genesis, ...commands] });
  return state;
}

export class Trees {
  readonly folder = mkdtempSync(join(tmpdir(), 'oddlot-trees-'));
  readonly secret: Uint8Array = treeSecret(this.folder);
  readonly hasher: TreeHasher;
  /** How often the build has yielded to the event loop. */
  pauses = 0;

  private constructor(hasher: TreeHasher) {
    this.hasher = hasher;
  }

  static async create(): Promise<Trees> {
    return new Trees(await createTreeHasher());
  }

  build(state: State, height: number): Promise<BuiltTree> {
    const pause = async (): Promise<void> => {
      this.pauses += 1;
    };
    const { folder, hasher, secret } = this;
    return buildTree({ state, height, secret, folder, hasher, pause });
  }

  proof(user: Address, height: number): ReturnType<typeof readProof> {
    const { folder, hasher, secret } = this;
    return readProof({ folder, hasher, secret, height, user });
  }
}
