import type { Address, InstrumentId, TimeMs } from '@oddlot/units';
import type { Command } from './command.ts';
import type { BuilderDrop, EngineEvent, EntryResult } from './event.ts';
import type { Reject } from './reject.ts';

/** Commands that the log committed together, with the only clock the engine sees (R-clock). */
export type Block = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly commands: readonly Command[];
};

/** The results of a block; `outcomes` is in the order of `Block.commands`. */
export type BlockResult = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly outcomes: readonly CommandResult[];
  readonly events: readonly EngineEvent[];
  /** 128 bits over the effects of the whole log so far, 32 hex digits (R-determinism). */
  readonly digest: string;
};

/** Without `reject` the command executed; single orders may still have failed. */
export type CommandResult = {
  /** The account that the signer acts for; absent if the signer has no role. */
  readonly account?: Address;
  readonly reject?: Reject;
  /** The order or cancel that caused the rejection of the whole command. */
  readonly rejectIndex?: number;
  /** One per order or cancel, in the order of the command. */
  readonly entries?: readonly EntryResult[];
  /** Prices of a push that were left out; the others apply. */
  readonly skipped?: readonly SkippedEntry[];
  /** The approved agent is a former one: actions that its key signed for later can still run (R-nonce). */
  readonly agentReused?: true;
  /** The deposit waits for the end of a binding (R-agents). */
  readonly isKept?: true;
  /** Why the builder of the orders is not paid; the orders continue (R-builder). */
  readonly builderDrop?: BuilderDrop;
  /** Ids and slug that a registration created. */
  readonly created?: {
    readonly instrumentId?: InstrumentId;
    readonly eventId?: number;
    readonly seriesSlug?: string;
  };
};

/** An entry of a list that was ignored, and why. */
export type SkippedEntry = {
  readonly index: number;
  readonly why: 'instrumentUnknown' | 'instrumentDelisted' | 'priceOutOfRange' | 'stale';
};
