import type { Address, InstrumentId, TimeMs } from '@oddlot/units';
import type { Command } from './command.ts';
import type { BuilderDrop, EngineEvent, EntryResult } from './event.ts';
import type { Reject } from './reject.ts';

/**
 * A batch of commands committed to the log together. Its time is the only clock the engine sees
 * (R-clock).
 */
export type Block = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly commands: readonly Command[];
};

/**
 * The result of a block; `outcomes` has one entry per command, in the order of `Block.commands`.
 */
export type BlockResult = {
  readonly height: number;
  readonly timeMs: TimeMs;
  readonly outcomes: readonly CommandResult[];
  readonly events: readonly EngineEvent[];
  /**
   * The 128-bit digest of the effects of the whole log up to this block, as 32 hex digits
   * (R-determinism).
   */
  readonly digest: string;
};

/**
 * The result of one command. If `reject` is absent, the command was executed, although individual
 * orders may have failed.
 */
export type CommandResult = {
  /** The account for which the signer acts; absent if the signer has no role. */
  readonly account?: Address;
  readonly reject?: Reject;
  /** The index of the order or cancel that caused the rejection of the whole command. */
  readonly rejectIndex?: number;
  /** The results of the orders or cancels, in the order of the command. */
  readonly entries?: readonly EntryResult[];
  /** The prices of a push that were ignored; the others were applied. */
  readonly skipped?: readonly SkippedEntry[];
  /**
   * Set if the approved agent has been an agent before: actions its key signed with later nonces
   * can still execute (R-nonce).
   */
  readonly agentReused?: true;
  /** Set if the deposit is held because its recipient is bound as an agent (R-agents). */
  readonly isKept?: true;
  /**
   * The reason that the orders' builder is not paid; the orders execute without its fee
   * (R-builder).
   */
  readonly builderDrop?: BuilderDrop;
  readonly created?: {
    readonly instrumentId?: InstrumentId;
    readonly eventId?: number;
    readonly seriesSlug?: string;
  };
};

export type SkippedEntry = {
  readonly index: number;
  readonly why: 'instrumentUnknown' | 'instrumentDelisted' | 'priceOutOfRange' | 'stale';
};
