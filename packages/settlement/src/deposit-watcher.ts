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
  depositStanding,
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
  type Vanished,
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
  /** Too few endpoints answer, or none knows the chain as far as it was read; it goes on when they do. */
  | 'unavailable'
  /** Endpoints contradict each other: nothing is credited until they agree. */
  | 'disagrees'
  /** The chain has given up a block that had all confirmations: nothing is credited any more. */
  | 'reorganised'
  /** Something else is wrong, and is tried again. */
  | 'failed';

/** A chain that is not the one that was read, for the operator to judge and to accept. */
type Reorganisation = {
  readonly block: number;
  /** What the block was; null where only the deposits are missed. */
  readonly was: Hex | null;
  /** What it is: naming it accepts it. */
  readonly is: Hex;
  /** What was credited and is not on the chain as it was. */
  readonly vanished: readonly Vanished[];
};

export type WatchStatus = {
  readonly state: WatchState;
  readonly error: string | undefined;
  /** The newest block of the chain that is known, and the last one whose deposits are credited. */
  readonly head: number;
  readonly block: number;
  /** True when all confirmed blocks have been read. */
  readonly isCurrent: boolean;
  readonly book: DepositBook;
  readonly reorganisation: Reorganisation | undefined;
  /** What the bridge has paid and this venue never issued: nothing is credited or paid any more. */
  readonly foreign: ForeignPayout | undefined;
};

type DepositWatcherOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly rules: Omit<DepositRules, 'contracts' | 'isCredited'>;
  /** The block that the bridge was made in, or any before. */
  readonly fromBlock: number;
  readonly file: string | RecordStore;
  readonly state: () => State;
  readonly propose: (command: Command) => Promise<{ readonly outcome: CommandResult }>;
  /** The block of a reorganisation that the operator has accepted (`Reorganisation.is`). */
  readonly accepted?: Hex | undefined;
  /** Told when its notes are damaged; it goes on without them. */
  readonly onDamaged?: (why: string) => void;
  /** Blocks of one question for logs at most. */
  readonly rangeMax?: number;
};

const RANGE_MAX = 2_000;
/** EIP-7702: an account that lets a contract act for it is still somebody's own. */
const DELEGATION = '0xef0100';
/** Deposits that are looked for on the chain when it may be another one. */
const VANISHED_MAX = 500;
/** Deposits that wait for the log together. */
const AT_ONCE = 100;
/** Senders that are asked about at once, and contracts among them that are remembered. */
const QUESTIONS_AT_ONCE = 16;
const CONTRACTS_MAX = 10_000;
/** How many blocks without deposits may have to be read again after a crash. */
const UNWRITTEN_BLOCKS_MAX = 100;

/**
 * Reads the confirmed blocks of the settlement chain once, in order, and puts what they hold for users
 * into the log (R-deposit). What it has read is written down after it is credited: a crash in between
 * reads it again, and the engine credits nothing twice. Others call `step`; it keeps no timer.
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
  /** Who acts for the bridge, as the bridge says. */
  #operators: ReadonlySet<Address> = new Set();
  /** What was credited has been looked for on a chain of which nothing else is known. */
  #isSameChain = false;
  /** Senders that are contracts. */
  readonly #contracts = new Set<Address>();
  /** The last block that the file says was read. */
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

  /** Reads the next range of blocks; true when there is more to read at once. Never throws for the chain. */
  async step(): Promise<boolean> {
    try {
      const hasMore = await this.#step();
      this.#reorganisation = undefined;
      this.#tell('ok');
      this.#range = Math.min(this.#rangeMax, 2 * this.#range);
      return hasMore;
    } catch (error) {
      this.#isCurrent = false;
      // An endpoint may refuse a range for its size, and say so in its own words.
      this.#range = Math.max(1, Math.floor(this.#range / 2));
      if (error instanceof ReorganisedError) this.#tell('reorganised', error);
      else if (error instanceof ChainDisagreementError) this.#tell('disagrees', error);
      else if (error instanceof ChainUnavailableError) this.#tell('unavailable', error);
      else {
        this.#tell('failed', error);
        throw error;
      }
      return false;
    }
  }

  /** Whether this is the chain that is meant, with the contracts that are meant; nothing may run before. */
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
      if (error instanceof ChainUnavailableError) this.#tell('unavailable', error);
      else this.#tell(isContradiction ? 'disagrees' : 'failed', error);
      return false;
    }
  }

  close(): void {
    this.#file.close();
  }

  #tell(state: WatchState, error?: unknown): void {
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
    // Logs of one branch must not be taken for those of another.
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
    // Until all of it is credited accounts are ahead of what is said to have been read.
    this.#isCurrent = false;
    for (let from = 0; from < credits.length; from += AT_ONCE) {
      const some = credits.slice(from, from + AT_ONCE);
      const kept = await Promise.all(some.map((credit) => this.#credit(credit)));
      aside.push(...kept.filter((each) => each !== undefined));
    }
    this.#watched = { ...this.#watched, block: toBlock, blockHash, book: { ...book, aside } };
    if (logs.length > 0 || toBlock - this.#writtenBlock >= UNWRITTEN_BLOCKS_MAX)
      await this.#write();
    this.#isCurrent = toBlock === confirmed;
    return !this.#isCurrent;
  }

  /** Accounts stand for what the bridge holds only where it has paid what they asked for, and no more. */
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

  /** R-deposit: what had its confirmations and is gone cannot be taken back by anybody but an operator. */
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
    // Endpoints that lag behind say nothing about it.
    if (confirmed < block) return;
    const is = await this.#hashOf(block);
    if (is === blockHash) return;
    const vanished = vanishedBeyond(this.#watched.book.vanished, await this.#vanished());
    await this.#judge({ block, was: blockHash, is, vanished });
  }

  /** Where nothing is known of the chain that was read, what was credited must still be on this one. */
  async #assertDepositsThere(confirmed: number): Promise<void> {
    const vanished = vanishedBeyond(this.#watched.book.vanished, await this.#vanished());
    if (vanished.length === 0) return;
    const block = Math.min(confirmed, Math.max(...vanished.map((each) => each.source.blockNumber)));
    await this.#judge({ block, was: null, is: await this.#hashOf(block), vanished });
  }

  #vanished(): Promise<readonly Vanished[]> {
    const { client, contracts, state } = this.#options;
    return findVanished(client, contracts, newestDeposits(state(), client.chainId, VANISHED_MAX));
  }

  /** Stops, or begins anew where the operator has said that this is the chain from now on. */
  async #judge(reorganisation: Reorganisation): Promise<void> {
    const { accepted, client, contracts, fromBlock } = this.#options;
    const { block, is, vanished, was } = reorganisation;
    this.#reorganisation = reorganisation;
    if (accepted?.toLowerCase() !== is) {
      const lost = vanished.length === 0 ? '' : `, ${vanished.length} deposits are missing`;
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

  /** What is a contract stays one; what is none may become one. */
  async #isContract(sender: Address, block: number): Promise<boolean> {
    const code = await this.#options.client.codeAt(sender as Hex, block);
    if (code === '0x' || code.toLowerCase().startsWith(DELEGATION)) return false;
    if (this.#contracts.size >= CONTRACTS_MAX) this.#contracts.clear();
    this.#contracts.add(sender);
    return true;
  }

  /** Undefined when the engine has it, else what is kept aside. */
  async #credit(credit: Credit): Promise<Aside | undefined> {
    const { propose, state } = this.#options;
    const standing = depositStanding(state(), credit);
    // From before what the engine remembers one by one: it was credited when it was read first.
    if (standing === 'credited' || standing === 'old') return undefined;
    const { isKept = false, reject } = (await propose(commandOf(credit))).outcome;
    if (reject !== undefined && reject.reason !== 'agentAddressUsed') {
      throw new Error(`the engine rejected a deposit: ${reject.reason}`);
    }
    if (reject === undefined && !isKept) return undefined;
    const { account, amountMicroUsdc, isOwn, source } = credit;
    return { reason: 'bound', account, amount: String(amountMicroUsdc), source, isOwn };
  }

  /** R-agents: once an address is nobody's agent any more, what came for it is credited. */
  async #creditFreed(): Promise<void> {
    const { propose, state } = this.#options;
    for (const each of this.#watched.book.aside) {
      if (each.reason !== 'bound') continue;
      const credit = { ...each, amountMicroUsdc: Number(each.amount) };
      const standing = depositStanding(state(), credit);
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

/** Deposits whose receipts are asked for at once. */
const CHECKED_AT_ONCE = 25;

/**
 * Which of these deposits the chain does not have any more, or not where it had them: those whose
 * transaction has no receipt, and those whose receipt has nothing at the place that was credited.
 */
async function findVanished(
  client: ChainClient,
  contracts: BridgeContracts,
  credited: readonly CreditedDeposit[],
): Promise<readonly Vanished[]> {
  const vanished: Vanished[] = [];
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

/** Of a bridge that the venue had before it is only told whether there is anything. */
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

/** Those of the second that are not among the first. */
function vanishedBeyond(
  known: readonly Vanished[],
  found: readonly Vanished[],
): readonly Vanished[] {
  const keys = new Set(known.map(keyOf));
  return found.filter((each) => !keys.has(keyOf(each)));
}

function keyOf({ source: { logIndex, txHash } }: Vanished): string {
  return `${txHash}:${logIndex}`;
}

/** The contracts are not those that the configuration means. */
class WrongContractsError extends Error {
  override readonly name = 'WrongContractsError';
}

/**
 * Contracts often have one address on several chains: money of another chain must not count as of this one.
 * Tells who acts for the bridge by what the bridge itself says: its guardian and its validators.
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
  const told: Hex = `0x${(await client.call({ to: bridge, data })).slice(-40)}`;
  if (told.toLowerCase() !== token) {
    throw new WrongContractsError(`the bridge uses the token ${told}, not usdcContract ${token}`);
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
