import {
  checkInvariants,
  dump,
  fromRules3,
  restore,
  RULES_VERSION,
  type Rules3Dump,
} from '@oddlot/engine';
import type { BlockHead } from '../block/applied-block.ts';
import type { EarlierBlock } from '../block/earlier-block.ts';
import type { LogEntry } from '../block/log-entry.ts';
import { EarlierRulesError } from './replica-error.ts';

/**
 * The engines of earlier eras: a file each in `packages/venue/eras/`, made once from the source of the
 * release. They read the shapes of their own time and write them; only a migration knows those of two.
 */
type EarlierEngine = {
  readonly rules: number;
  /** From a snapshot of its release, or from before the first block. */
  open(payload: unknown): EarlierReplica;
  /**
   * The state that its era starts from, made of the last one of the era before: the migration of its
   * release. Pure; the first rules have none.
   */
  eraStart?(state: unknown): unknown;
};

export type EarlierReplica = {
  apply(entry: LogEntry): EarlierBlock;
  dump(): EarlierDump;
};

type EarlierDump = {
  readonly head: BlockHead;
  /** In the shape of its time. */
  readonly state: unknown;
  readonly companions: Readonly<Record<string, unknown>>;
  /** Versions of those; the first release had none. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
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

/**
 * Engines by their rules, from some on up to the last before those of this program: a log can go
 * through the eras of each, and a state goes through their migrations one by one.
 */
export type EarlierEngines = ReadonlyMap<number, EarlierEngine>;

export async function loadEarlierEngines(fromRules: number): Promise<EarlierEngines> {
  const engines = new Map<number, EarlierEngine>();
  for (let rules = fromRules; rules < RULES_VERSION; rules += 1) {
    engines.set(rules, await loadEarlierEngine(rules));
  }
  return engines;
}

/** The state that an era starts from, made of one of earlier rules, step by step. Pure. */
export function migrated(
  engines: EarlierEngines,
  state: unknown,
  { from, to }: { readonly from: number; readonly to: number },
): unknown {
  let current = state;
  for (let rules = from + 1; rules <= to; rules += 1) {
    if (rules === RULES_VERSION) {
      current = eraStart(current);
      continue;
    }
    const step = engines.get(rules)?.eraStart;
    if (step === undefined) {
      throw new EarlierRulesError(from, new Error(`no path from rules ${rules - 1} to ${rules}`));
    }
    current = step(current);
  }
  return current;
}

/** The step into the rules of this program, of a state of those before it. */
function eraStart(state: unknown): unknown {
  const restored = restore(fromRules3(state as Rules3Dump));
  checkInvariants(restored);
  return dump(restored);
}
