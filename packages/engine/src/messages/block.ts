import type { Address, InstrumentId, TimeMs } from '@oddlot/units';
import type { Command } from './command.ts';
import type { EngineEvent } from './event.ts';
import type { BuilderDrop, EntryResult } from './order-result.ts';
import type { Reject } from './reject.ts';

/** Commands that the log committed together, with the only clock the engine sees (R-clock). */
export type Block = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly commands: readonly Command[];
};

/** What a block did. `outcomes` stands in the order of `Block.commands`. */
export type BlockResult = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly outcomes: readonly CommandResult[];
  readonly events: readonly EngineEvent[];
  /** 128 bits over the effects of the whole log so far, 32 hex digits (R-determinism). */
  readonly digest: string;
};

/** How a command ended. Without `reject` it executed; single orders may still have failed. */
export type CommandResult = {
  /** The account acted for; absent when the signer has no role. */
  readonly account?: Address;
  readonly reject?: Reject;
  /** The order or cancel that the refusal of a whole command is about. */
  readonly rejectIndex?: number;
  /** One per order or cancel, in the order of the command. */
  readonly entries?: readonly EntryResult[];
  /** Prices of a push that were left out; the others apply. */
  readonly skipped?: readonly SkippedEntry[];
  /** The agent that was bound is a former one: what its key signed for later can still run (R-nonce). */
  readonly agentReused?: true;
  /** The deposit waits for the end of a binding (R-agents). */
  readonly isKept?: true;
  /** Why the builder of the orders is not paid; the orders go on (R-builder). */
  readonly builderDrop?: BuilderDrop;
  /** What a registration brought into being. */
  readonly created?: {
    readonly instrumentId?: InstrumentId;
    readonly eventId?: number;
    readonly seriesSlug?: string;
  };
};

/** One entry of a list that did not count, and why. */
export type SkippedEntry = {
  readonly index: number;
  readonly why: 'instrumentUnknown' | 'instrumentDelisted' | 'priceOutOfRange' | 'stale';
};
