import { type Format1Dump, fromFormat1, RULES_VERSION, type StateDump } from '@oddlot/engine';
import type { BlockHead } from '../block/applied-block.ts';
import type { EarlierBlock } from '../block/earlier-block.ts';
import type { LogEntry } from '../block/log-entry.ts';
import { EarlierRulesError } from './replica-error.ts';

/**
 * The engines of earlier eras: a file each in `packages/venue/eras/`, made once from the source of the
 * release. They read the shapes of their own time and write them; only the migration knows both.
 */
export type EarlierEngine = {
  readonly rules: number;
  /** From a snapshot of its release, or from before the first block. */
  open(payload: unknown): EarlierReplica;
};

export type EarlierReplica = {
  apply(entry: LogEntry): EarlierBlock;
  dump(): EarlierDump;
};

export type EarlierDump = {
  readonly head: BlockHead;
  /** In the shape of its time. */
  readonly state: unknown;
  readonly companions: Readonly<Record<string, unknown>>;
};

type EngineFile = { createEngine(): Promise<EarlierEngine> };

export async function loadEarlierEngine(rules: number): Promise<EarlierEngine> {
  const file = new URL(`../../eras/rules-${rules}.js`, import.meta.url);
  try {
    const { createEngine } = (await import(file.href)) as EngineFile;
    return await createEngine();
  } catch (cause) {
    throw new EarlierRulesError(rules, cause);
  }
}

/** The state that the era after theirs starts from. Pure. */
export function migrated(rules: number, state: unknown): StateDump {
  if (rules === 1) return fromFormat1(state as Format1Dump);
  throw new EarlierRulesError(rules, new Error(`no way from rules ${rules} to ${RULES_VERSION}`));
}
