import {
  type BridgeContracts,
  depositLogsAmong,
  readDepositLogs,
} from '@oddlot/custody/bridge-contract';
import {
  type ChainClient,
  ChainDisagreementError,
  chainFault,
  type ChainReceipt,
  ChainUnavailableError,
} from '@oddlot/custody/chain';
import {
  type Command,
  type CommandResult,
  type CreditDepositCommand,
  type CreditedDeposit,
  depositStatus,
  isDepositRemembered,
  newestDeposits,
  type State,
} from '@oddlot/engine';
import type { RecordStore } from '@oddlot/host/durable';
import { type Address, address } from '@oddlot/units';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import {
  type Aside,
  type Credit,
  creditsOf,
  type DepositBook,
  type DepositRules,
  depositsIn,
  plainSenders,
  type ReorganisedDeposit,
} from './deposit-book.ts';
import {
  foreignAhead,
  foreignAmong,
  type ForeignPayout,
  ForeignPayoutError,
  startOf,
  type Watched,
  WatchFile,
} from './watch-file.ts';
import { BRIDGE_ABI } from '@oddlot/contracts';

type WatchState =
  | 'ok'
  /**
   * Too few endpoints respond, or none of them has reached the last block read. Reading resumes
   * when they do.
   */
  | 'unavailable'
  /** The endpoints contradict each other. Nothing is credited until they agree. */
  | 'disagrees'
  /** The chain dropped a fully confirmed block. Nothing more is credited. */
  | 'reorganised'
  /** Any other failure; reading is retried. */
  | 'failed';

/** A chain that differs from the one previously read, for the operator to assess and accept. */
type Reorganisation = {
  readonly block: number;
  /** The former hash of the block; null if only deposits are missing. */
  readonly was: Hex | null;
  /** The current hash of the block, which the operator passes to accept the chain. */
  readonly is: Hex;
  /** The credited deposits that are no longer at their former positions on the chain. */
  readonly vanished: readonly ReorganisedDeposit[];
};

export type WatchStatus = {
  readonly state: WatchState;
  readonly error: string | undefined;
  /** The chain's newest known block; `block` is the last block whose deposits are credited. */
  readonly head: number;
  readonly block: number;
  readonly isCurrent: boolean;
  readonly book: DepositBook;
  readonly reorganisation: Reorganisation | undefined;
  /**
   * A payout by the bridge that this venue never issued. Once one is found, nothing more is
   * credited or paid.
   */
  readonly foreign: ForeignPayout | undefined;
};

type DepositWatcherOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly rules: Omit<DepositRules, 'contracts' | 'isCredited'>;
  /** The block in which the bridge was created, or any earlier one. */
  readonly fromBlock: number;
  readonly file: string | RecordStore;
  readonly state: () => State;
  readonly propose: (command: Command) => Promise<{ readonly outcome: CommandResult }>;
  /** The block of a reorganisation that the operator has accepted (`Reorganisation.is`). */
  readonly accepted?: Hex | undefined;
  /** Called if the stored position is damaged; the watcher continues without it. */
  readonly onDamaged?: (why: string) => void;
  readonly rangeMax?: number;
};

const RANGE_MAX = 2_000;
/**
 * The prefix of delegated code (EIP-7702). An account with delegated code still belongs to a user.
 */
const DELEGATION = '0xef0100';
/** The maximum number of deposits to look up if the chain may be a different one. */
const VANISHED_MAX = 500;
const AT_ONCE = 100;
/** The number of senders queried concurrently, and the number of contracts remembered. */
const QUESTIONS_AT_ONCE = 16;
const CONTRACTS_MAX = 10_000;
/** The maximum number of blocks without deposits to reread after a crash. */
const UNWRITTEN_BLOCKS_MAX = 100;

/**
 * Reads the confirmed blocks of the settlement chain once, in order, and proposes their deposits to
 * the log (R-deposit). The position is stored after the deposits are credited. After a crash in
 * between, they are read again, but the engine credits none of them twice. The watcher has no
 * timer: callers invoke `step`.
 */
export class DepositWatcher {
  readonly #options: DepositWatcherOptions;
  readonly #rangeMax: number;
  readonly #file: WatchFile;
  #watched: Watched;
  #range: number;
  #head = 0;
  #isCurrent = false;
  #state: WatchState = 'ok';
  #error: string | undefined = undefined;
  #reorganisation: Reorganisation | undefined = undefined;
  #operators: ReadonlySet<Address> = new Set();
  /** True once the chain is known to contain the credited deposits. */
  #isSameChain = false;
  readonly #contracts = new Set<Address>();
  #writtenBlock = -1;

  constructor(options: DepositWatcherOptions) {
    const { client, contracts, file, fromBlock } = options;
    this.#options = options;
    this.#rangeMax = options.rangeMax ?? RANGE_MAX;
    this.#range = this.#rangeMax;
    const start = startOf({ chainId: client.chainId, bridge: contracts.bridge }, fromBlock);
    this.#file = new WatchFile(file, options.onDamaged);
    this.#watched = this.#file.last(start);
    this.#writtenBlock = this.#watched.block;
  }

  get status(): WatchStatus {
    const { block, book, foreign } = this.#watched;
    const state = { state: this.#state, error: this.#error };
    const reorganisation = this.#reorganisation;
    const stopped = { reorganisation, foreign };
    return { ...state, head: this.#head, block, isCurrent: this.#isCurrent, book, ...stopped };
  }

  /**
   * Reads the next range of blocks. Returns true if more can be read immediately. Chain errors are
   * reported in the status rather than thrown.
   */
  async step(): Promise<boolean> {
    try {
      const hasMore = await this.#step();
      this.#reorganisation = undefined;
      this.#setState('ok');
      this.#range = Math.min(this.#rangeMax, 2 * this.#range);
      return hasMore;
    } catch (error) {
      this.#isCurrent = false;
      // The range is reduced, because an endpoint that finds the range too large may say so with
      // any error text.
      this.#range = Math.max(1, Math.floor(this.#range / 2));
      if (error instanceof ReorganisedError) this.#setState('reorganised', error);
      else if (error instanceof ChainDisagreementError) this.#setState('disagrees', error);
      else if (error instanceof ChainUnavailableError) this.#setState('unavailable', error);
      else {
        this.#setState('failed', error);
        throw error;
      }
      return false;
    }
  }

  /**
   * Verifies that the chain and its contracts are the configured ones. It must be called before any
   * step.
   */
  async verify(): Promise<boolean> {
    const { client, contracts } = this.#options;
    try {
      await this.#assertOwn(undefined);
      this.#operators = new Set(await verifyChain(client, contracts));
      await this.#assertOwn(await foreignAhead(client, contracts.bridge, this.#options.state));
      return true;
    } catch (error) {
      this.#isCurrent = false;
      const isContradiction = error instanceof ChainDisagreementError;
      if (error instanceof ChainUnavailableError) this.#setState('unavailable', error);
      else this.#setState(isContradiction ? 'disagrees' : 'failed', error);
      return false;
    }
  }

  close(): void {
    this.#file.close();
  }

  #setState(state: WatchState, error?: unknown): void {
    this.#state = state;
    this.#error = error === undefined ? undefined : chainFault(error);
  }

  async #step(): Promise<boolean> {
    const { client, contracts } = this.#options;
    await this.#assertOwn(undefined);
    const { confirmed, head } = await client.head();
    this.#head = head;
    await this.#assertSameChain(head, confirmed);
    await this.#creditFreed();
    const fromBlock = this.#watched.block + 1;
    if (fromBlock > confirmed) {
      this.#isCurrent = true;
      return false;
    }
    const toBlock = Math.min(confirmed, fromBlock + this.#range - 1);
    const blockHash = await this.#hashOf(toBlock);
    const logs = await readDepositLogs(client, contracts, { fromBlock, toBlock });
    await this.#assertOwn(foreignAmong(logs, this.#options.state()));
    const senders = plainSenders(this.#watched.book, logs, this.#options.rules);
    const codes = await this.#contractsAmong(senders, confirmed);
    // Logs from one fork must not be attributed to another.
    if ((await this.#hashOf(toBlock)) !== blockHash) {
      throw new ChainUnavailableError(`block ${toBlock} changed while it was being read`);
    }
    const { rules: given } = this.#options;
    const operators = new Set([...given.operators, ...this.#operators]);
    const rules = { ...given, operators, contracts: codes };
    const isCredited = (source: Credit['source']): boolean =>
      isDepositRemembered(this.#options.state(), source);
    const { book, credits } = creditsOf(this.#watched.book, logs, { ...rules, isCredited });
    const aside = [...book.aside];
    // Until all these deposits are credited, the watcher is not current: the accounts are ahead of
    // the recorded position.
    this.#isCurrent = false;
    for (let from = 0; from < credits.length; from += AT_ONCE) {
      const some = credits.slice(from, from + AT_ONCE);
      const outcomes = await Promise.all(some.map((credit) => this.#credit(credit)));
      aside.push(...outcomes.filter((each) => each !== undefined));
    }
    this.#watched = { ...this.#watched, block: toBlock, blockHash, book: { ...book, aside } };
    if (logs.length > 0 || toBlock - this.#writtenBlock >= UNWRITTEN_BLOCKS_MAX)
      await this.#write();
    this.#isCurrent = toBlock === confirmed;
    return !this.#isCurrent;
  }

  /**
   * Throws if the bridge has paid a withdrawal that is not in this log, because the accounts then
   * no longer match the bridge's balance.
   */
  async #assertOwn(found: ForeignPayout | undefined): Promise<void> {
    const { foreign = found } = this.#watched;
    if (foreign === undefined) return;
    if (this.#watched.foreign === undefined) {
      this.#watched = { ...this.#watched, foreign };
      await this.#write();
    }
    throw new ForeignPayoutError(foreign);
  }

  async #hashOf(block: number): Promise<Hex> {
    const found = await this.#options.client.blockHash(block);
    if (found === undefined) throw new ChainUnavailableError(`block ${block} does not exist`);
    return found;
  }

  /**
   * Throws if confirmed blocks have disappeared, which only an operator can resolve (R-deposit).
   */
  async #assertSameChain(head: number, confirmed: number): Promise<void> {
    const { block, blockHash } = this.#watched;
    if (head < block) {
      throw new ChainUnavailableError(
        `the chain is at block ${head}, but block ${block} was read earlier`,
      );
    }
    if (blockHash === null) {
      if (!this.#isSameChain) await this.#assertDepositsThere(confirmed);
      this.#isSameChain = true;
      return;
    }
    // Endpoints that lag behind are not evidence of a change.
    if (confirmed < block) return;
    const is = await this.#hashOf(block);
    if (is === blockHash) return;
    const vanished = vanishedBeyond(this.#watched.book.vanished, await this.#vanished());
    await this.#judge({ block, was: blockHash, is, vanished });
  }

  /**
   * Checks that the chain contains the credited deposits, which is necessary if no block was
   * recorded.
   */
  async #assertDepositsThere(confirmed: number): Promise<void> {
    const vanished = vanishedBeyond(this.#watched.book.vanished, await this.#vanished());
    if (vanished.length === 0) return;
    const block = Math.min(confirmed, Math.max(...vanished.map((each) => each.source.blockNumber)));
    await this.#judge({ block, was: null, is: await this.#hashOf(block), vanished });
  }

  #vanished(): Promise<readonly ReorganisedDeposit[]> {
    const { client, contracts, state } = this.#options;
    return findVanished(client, contracts, newestDeposits(state(), client.chainId, VANISHED_MAX));
  }

  /** Throws unless the operator has accepted the chain. If so, reading starts over. */
  async #judge(reorganisation: Reorganisation): Promise<void> {
    const { accepted, client, contracts, fromBlock } = this.#options;
    const { block, is, vanished, was } = reorganisation;
    this.#reorganisation = reorganisation;
    if (accepted?.toLowerCase() !== is) {
      const lost = vanished.length === 0 ? '' : `; missing deposits: ${vanished.length}`;
      throw new ReorganisedError(
        `block ${block} was replaced: ${was === undefined ? '' : `previously ${was}, `}now ${is}${lost}`,
      );
    }
    const { book } = this.#watched;
    const start = startOf({ chainId: client.chainId, bridge: contracts.bridge }, fromBlock);
    this.#watched = {
      ...start,
      book: { ...start.book, vanished: [...book.vanished, ...vanished] },
    };
    this.#isSameChain = true;
    await this.#write();
  }

  async #contractsAmong(senders: readonly Address[], block: number): Promise<ReadonlySet<Address>> {
    const { rules } = this.#options;
    const found = new Set<Address>();
    const asked = senders.filter((sender) => !rules.operators.has(sender));
    for (let from = 0; from < asked.length; from += QUESTIONS_AT_ONCE) {
      const some = asked.slice(from, from + QUESTIONS_AT_ONCE);
      await Promise.all(
        some.map(async (sender) => {
          const isContract = this.#contracts.has(sender) || (await this.#isContract(sender, block));
          if (isContract) found.add(sender);
        }),
      );
    }
    return found;
  }

  /**
   * Contracts are remembered because they remain contracts. An address without code can become a
   * contract.
   */
  async #isContract(sender: Address, block: number): Promise<boolean> {
    const code = await this.#options.client.codeAt(sender as Hex, block);
    if (code === '0x' || code.toLowerCase().startsWith(DELEGATION)) return false;
    if (this.#contracts.size >= CONTRACTS_MAX) this.#contracts.clear();
    this.#contracts.add(sender);
    return true;
  }

  /**
   * Proposes a deposit. Returns undefined if it is credited; otherwise, returns the record of the
   * held deposit.
   */
  async #credit(credit: Credit): Promise<Aside | undefined> {
    const { propose, state } = this.#options;
    const standing = depositStatus(state(), credit);
    // `old` deposits predate the engine's individual records. They were credited when they were
    // first read.
    if (standing === 'credited' || standing === 'old') return undefined;
    const { isKept = false, reject } = (await propose(commandOf(credit))).outcome;
    if (reject !== undefined && reject.reason !== 'agentAddressUsed') {
      throw new Error(`the engine rejected a deposit: ${reject.reason}`);
    }
    if (reject === undefined && !isKept) return undefined;
    const { account, amountMicroUsdc, isOwn, source } = credit;
    return { reason: 'bound', account, amount: String(amountMicroUsdc), source, isOwn };
  }

  /** Credits deposits that were held for an address that is no longer an agent (R-agents). */
  async #creditFreed(): Promise<void> {
    const { propose, state } = this.#options;
    for (const each of this.#watched.book.aside) {
      if (each.reason !== 'bound') continue;
      const credit = { ...each, amountMicroUsdc: Number(each.amount) };
      const standing = depositStatus(state(), credit);
      if (standing === 'bound' || standing === 'old') continue;
      if (standing === 'open') {
        this.#isCurrent = false;
        const { isKept = false, reject } = (await propose(commandOf(credit))).outcome;
        if (reject !== undefined || isKept) continue;
      }
      const { book } = this.#watched;
      const aside = book.aside.filter((other) => other !== each);
      this.#watched = { ...this.#watched, book: { ...book, aside } };
      await this.#write();
    }
  }

  async #write(): Promise<void> {
    const { block } = this.#watched;
    await this.#file.write(this.#watched);
    this.#writtenBlock = block;
  }
}

class ReorganisedError extends Error {
  override readonly name = 'ReorganisedError';
}

function commandOf(credit: Credit): CreditDepositCommand {
  const { account, amountMicroUsdc, isOwn, source } = credit;
  return { type: 'creditDeposit', account, amountMicroUsdc, source, isOwn };
}

const CHECKED_AT_ONCE = 25;

/**
 * Returns the deposits that are no longer at their former positions on the chain: either the
 * transaction has no receipt, or its receipt has no matching log at the credited position.
 */
async function findVanished(
  client: ChainClient,
  contracts: BridgeContracts,
  credited: readonly CreditedDeposit[],
): Promise<readonly ReorganisedDeposit[]> {
  const vanished: ReorganisedDeposit[] = [];
  for (let from = 0; from < credited.length; from += CHECKED_AT_ONCE) {
    const some = credited.slice(from, from + CHECKED_AT_ONCE);
    const receipts = await Promise.all(some.map(({ txHash }) => client.receipt(txHash as Hex)));
    for (const [at, deposit] of some.entries()) {
      const receipt = receipts[at];
      if (receipt !== undefined && isThere(receipt, deposit, contracts)) continue;
      if (receipt === undefined && (await client.isInSomeBlock(deposit.txHash as Hex))) {
        throw new ChainDisagreementError(`endpoints disagree about the block of ${deposit.txHash}`);
      }
      const { account, amount, ...source } = deposit;
      vanished.push({ account, amount: String(amount), source });
    }
  }
  return vanished;
}

/**
 * Returns whether a receipt includes the deposit. For a former bridge, only the existence of the
 * log is checked.
 */
function isThere(
  { logs, succeeded }: ChainReceipt,
  { account, chainId, logIndex }: CreditedDeposit,
  contracts: BridgeContracts,
): boolean {
  const found = depositsIn(depositLogsAmong(logs, contracts, chainId));
  const places = found.length === 0 ? logs : [];
  return (
    succeeded &&
    (places.some((log) => log.logIndex === logIndex) ||
      found.some((each) => each.source.logIndex === logIndex && each.account === account))
  );
}

function vanishedBeyond(
  known: readonly ReorganisedDeposit[],
  found: readonly ReorganisedDeposit[],
): readonly ReorganisedDeposit[] {
  const keys = new Set(known.map(keyOf));
  return found.filter((each) => !keys.has(keyOf(each)));
}

function keyOf({ source: { logIndex, txHash } }: ReorganisedDeposit): string {
  return `${txHash}:${logIndex}`;
}

class WrongContractsError extends Error {
  override readonly name = 'WrongContractsError';
}

/**
 * Verifies the chain, because contracts often have the same address on several chains, and tokens
 * on another chain must not be counted. Returns the operators that the bridge itself reports: its
 * guardian and its validators.
 */
export async function verifyChain(
  client: ChainClient,
  { bridge, token }: BridgeContracts,
): Promise<readonly Address[]> {
  await client.assertChain();
  const { confirmed } = await client.head();
  for (const [name, at] of [
    ['bridgeContract', bridge],
    ['usdcContract', token],
  ] as const) {
    if ((await client.codeAt(at, confirmed)) === '0x') {
      throw new WrongContractsError(`${name}: no contract at ${at}`);
    }
  }
  const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'token' });
  const bridgeToken: Hex = `0x${(await client.call({ to: bridge, data })).slice(-40)}`;
  if (bridgeToken.toLowerCase() !== token) {
    throw new WrongContractsError(
      `the bridge uses the token ${bridgeToken}, not usdcContract ${token}`,
    );
  }
  const abi = BRIDGE_ABI;
  const ask = (functionName: 'guardian' | 'validators'): Promise<Hex> =>
    client.call({ to: bridge, data: encodeFunctionData({ abi, functionName }) });
  const [guardian, validators] = await Promise.all([ask('guardian'), ask('validators')]);
  return [
    decodeFunctionResult({ abi, functionName: 'guardian', data: guardian }),
    ...decodeFunctionResult({ abi, functionName: 'validators', data: validators }),
  ].map((each) => address(each.toLowerCase()));
}
