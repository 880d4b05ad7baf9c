import type { Command, CommandResult, CreditDepositCommand } from '@oddlot/engine';
import type { Address } from '@oddlot/units';
import type { Hex } from 'viem';
import type { ChainClient } from './chain-client.ts';
import { ChainDisagreementError, chainFault } from './chain-error.ts';
import {
  type Aside,
  type Credit,
  creditsOf,
  type DepositBook,
  type DepositRules,
  plainSenders,
} from './deposit-book.ts';
import { type BridgeContracts, readDepositLogs } from './deposit-logs.ts';
import { readWatched, startOf, type Watched, writeWatched } from './watch-file.ts';

export type WatchState =
  | 'ok'
  /** Too few endpoints answer; it goes on when they do. */
  | 'unavailable'
  /** Endpoints contradict each other: nothing is credited until they agree. */
  | 'disagrees'
  /** The chain has given up a block that had all confirmations: nothing is credited any more. */
  | 'reorganised';

export type WatchStatus = {
  readonly state: WatchState;
  readonly error: string | undefined;
  /** The newest block of the chain that is known, and the last one whose deposits are credited. */
  readonly head: number;
  readonly block: number;
  /** True when all confirmed blocks have been read. */
  readonly isCurrent: boolean;
  readonly book: DepositBook;
};

export type DepositWatcherOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly rules: Omit<DepositRules, 'contracts'>;
  /** The block that the bridge was made in, or any before. */
  readonly fromBlock: number;
  readonly file: string;
  readonly check: (command: Command) => CommandResult;
  readonly propose: (command: Command) => Promise<{ readonly outcome: CommandResult }>;
  /** Blocks of one question for logs at most. */
  readonly rangeMax?: number;
};

const RANGE_MAX = 2_000;
/** EIP-7702: an account that lets a contract act for it is still somebody's own. */
const DELEGATION = '0xef0100';

/**
 * Reads the confirmed blocks of the settlement chain once, in order, and puts what they hold for users
 * into the log (R-deposit). What it has read is written down after it is credited: a crash in between
 * reads it again, and the engine credits nothing twice. Others call `step`; it keeps no timer.
 */
export class DepositWatcher {
  readonly #options: DepositWatcherOptions;
  readonly #rangeMax: number;
  #watched: Watched;
  #range: number;
  #head = 0;
  #isCurrent = false;
  #state: WatchState = 'ok';
  #error: string | undefined = undefined;

  constructor(options: DepositWatcherOptions) {
    const { client, contracts, file, fromBlock } = options;
    this.#options = options;
    this.#rangeMax = options.rangeMax ?? RANGE_MAX;
    this.#range = this.#rangeMax;
    const start = startOf({ chainId: client.chainId, bridge: contracts.bridge }, fromBlock);
    this.#watched = readWatched(file, start);
  }

  get status(): WatchStatus {
    const { block, book } = this.#watched;
    const state = { state: this.#state, error: this.#error };
    return { ...state, head: this.#head, block, isCurrent: this.#isCurrent, book };
  }

  /** Reads the next range of blocks; true when there is more to read at once. Never throws for the chain. */
  async step(): Promise<boolean> {
    try {
      const hasMore = await this.#step();
      this.#tell('ok');
      this.#range = Math.min(this.#rangeMax, 2 * this.#range);
      return hasMore;
    } catch (error) {
      this.#isCurrent = false;
      // An endpoint may refuse a range for its size, and say so in its own words.
      this.#range = Math.max(1, Math.floor(this.#range / 2));
      if (error instanceof ReorganisedError) this.#tell('reorganised', error);
      else if (error instanceof ChainDisagreementError) this.#tell('disagrees', error);
      else if (error instanceof Error && error.name === 'ChainUnavailableError') {
        this.#tell('unavailable', error);
      } else throw error;
      return false;
    }
  }

  #tell(state: WatchState, error?: Error): void {
    this.#state = state;
    this.#error = error === undefined ? undefined : chainFault(error);
  }

  async #step(): Promise<boolean> {
    const { client, contracts } = this.#options;
    const { confirmed, head } = await client.head();
    this.#head = head;
    await this.#assertSameChain(confirmed);
    await this.#creditFreed();
    const fromBlock = this.#watched.block + 1;
    if (fromBlock > confirmed) {
      this.#isCurrent = true;
      return false;
    }
    const toBlock = Math.min(confirmed, fromBlock + this.#range - 1);
    const logs = await readDepositLogs(client, contracts, { fromBlock, toBlock });
    const codes = await this.#contractsAmong(plainSenders(logs), confirmed);
    const blockHash = (await client.blockHash(toBlock)) ?? null;
    const rules = { ...this.#options.rules, contracts: codes };
    const { book, credits } = creditsOf(this.#watched.book, logs, rules);
    const aside = [...book.aside];
    for (const credit of credits) {
      const kept = await this.#credit(credit);
      if (kept !== undefined) aside.push(kept);
    }
    this.#keep({ ...this.#watched, block: toBlock, blockHash, book: { ...book, aside } });
    this.#isCurrent = toBlock === confirmed;
    return !this.#isCurrent;
  }

  /** R-deposit: what had its confirmations and is gone cannot be taken back by anybody but an operator. */
  async #assertSameChain(confirmed: number): Promise<void> {
    const { block, blockHash } = this.#watched;
    if (blockHash === null) return;
    // Endpoints that lag behind say nothing about it.
    if (confirmed < block) return;
    const found = await this.#options.client.blockHash(block);
    if (found === blockHash) return;
    throw new ReorganisedError(`block ${block} was ${blockHash} and is ${found ?? 'gone'}`);
  }

  async #contractsAmong(senders: readonly Address[], block: number): Promise<ReadonlySet<Address>> {
    const { client } = this.#options;
    const codes = await Promise.all(senders.map((sender) => client.codeAt(sender as Hex, block)));
    const isContract = (code: Hex | undefined): boolean =>
      code !== undefined && code !== '0x' && !code.toLowerCase().startsWith(DELEGATION);
    return new Set(senders.filter((_, at) => isContract(codes[at])));
  }

  /** Undefined when the engine has it, else what is kept aside. */
  async #credit(credit: Credit): Promise<Aside | undefined> {
    const { outcome } = await this.#options.propose(commandOf(credit));
    const { reject } = outcome;
    if (reject === undefined) return undefined;
    if (reject.reason !== 'agentAddressUsed') {
      throw new Error(`the engine refused a deposit: ${reject.reason}`);
    }
    const { account, amountMicroUsdc, isOwn, source } = credit;
    return { reason: 'bound', account, amount: String(amountMicroUsdc), source, isOwn };
  }

  /** R-agents: once an address is nobody's agent any more, what came for it is credited. */
  async #creditFreed(): Promise<void> {
    for (const each of this.#watched.book.aside) {
      if (each.reason !== 'bound') continue;
      const command = commandOf({ ...each, amountMicroUsdc: Number(each.amount) });
      if (this.#options.check(command).reject !== undefined) continue;
      const { outcome } = await this.#options.propose(command);
      if (outcome.reject !== undefined) continue;
      const { book } = this.#watched;
      const aside = book.aside.filter((other) => other !== each);
      this.#keep({ ...this.#watched, book: { ...book, aside } });
    }
  }

  #keep(watched: Watched): void {
    this.#watched = watched;
    writeWatched(this.#options.file, watched);
  }
}

class ReorganisedError extends Error {
  override readonly name = 'ReorganisedError';
}

function commandOf(credit: Credit): CreditDepositCommand {
  const { account, amountMicroUsdc, isOwn, source } = credit;
  return { type: 'creditDeposit', account, amountMicroUsdc, source, isOwn };
}
