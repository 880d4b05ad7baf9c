import {
  checkInvariants,
  dump,
  fromRules3,
  restore,
  RULES_VERSION,
  type Rules3Dump,
  type StateDump,
} from '@oddlot/engine';
import type { BlockHead, EarlierBlock, LogEntry } from './block.ts';
import type { SnapshotPayload } from './snapshot-codec.ts';

/**
 * The engine of the previous rules version: one file in `packages/replica/eras/`, bundled from the
 * source of its release. It reads and writes the formats of that release; only `migrate` supports
 * both formats.
 */
export type EarlierEngine = {
  readonly rules: number;
  open(payload: SnapshotPayload | undefined): EarlierReplica | Promise<EarlierReplica>;
};

export type EarlierReplica = {
  apply(entry: LogEntry): EarlierBlock;
  dump(): EarlierDump;
};

type EarlierDump = {
  readonly head: BlockHead;
  readonly state: unknown;
  readonly companions: Readonly<Record<string, unknown>>;
  readonly versions?: Readonly<Record<string, number>> | undefined;
};

/**
 * A program's rules version, and how to upgrade a log and a state from the previous version
 * (R-era).
 */
export type RulesStep = {
  readonly rules: number;
  readonly loadEarlier: () => Promise<EarlierEngine>;
  /**
   * Derives the first state under `rules` from the last state under the previous rules. A pure
   * function.
   */
  readonly migrate: (state: unknown) => StateDump;
};

type EngineFile = { createEngine(): Promise<EarlierEngine> };

export async function loadEngine(file: URL): Promise<EarlierEngine> {
  const { createEngine } = (await import(file.href)) as EngineFile;
  return createEngine();
}

export const RULES_STEP: RulesStep = {
  rules: RULES_VERSION,
  loadEarlier: () => loadEngine(new URL(`../eras/rules-${RULES_VERSION - 1}.js`, import.meta.url)),
  migrate: (state) => {
    const restored = restore(fromRules3(state as Rules3Dump));
    checkInvariants(restored);
    return dump(restored);
  },
};
