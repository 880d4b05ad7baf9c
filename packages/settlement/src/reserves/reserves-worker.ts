import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import type { BridgeContracts } from '@oddlot/custody/bridge-contract';
import { type ChainClient, chainFault } from '@oddlot/custody/chain';
import {
  bridgeView,
  grantedMicroUsdc,
  nextWithdrawalId,
  owedMicroUsdc,
  type PublishReservesCommand,
} from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import { type Address, assert } from '@oddlot/units';
import { encodeFunctionData } from 'viem';
import type { History } from '@oddlot/history/history';
import type { Term } from '@oddlot/replica/lease';
import type { HolderReplica, Replica } from '@oddlot/replica/replica';
import type { BuiltTree } from '@oddlot/history/reserves/build-tree';
import {
  differenceOf,
  readProof,
  type ReserveFigures,
  type TreeProof,
} from '@oddlot/history/reserves/read-proof';
import {
  createTreeHasher,
  heightOfFile,
  treeFile,
  type TreeHasher,
  treeSecret,
} from '@oddlot/history/reserves/tree-file';
import type { WatchStatus } from '../deposit-watcher.ts';
import { type Paid, PaidWatch } from './paid-watch.ts';
import type { SharedSettlement } from '../shared-settlement.ts';
import type { DepositBook } from '../deposit-book.ts';

export type ReservesOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly fromBlock: number;
  /**
   * The interval between publications in milliseconds. Publications take place at multiples of this
   * interval since 1970, UTC.
   */
  readonly everyMs: number;
  readonly watch: () => WatchStatus;
  /** True if the venue mints the token itself and backs its grants shortly after paying them. */
  readonly isMinter: boolean;
  readonly replica: Replica & Pick<HolderReplica, 'term'>;
  readonly history: Pick<History, 'ask'>;
  readonly folder: string;
  /** The file that stores the payments read from the chain. */
  readonly file: string;
  readonly now: () => number;
  readonly log: Logger;
};

export type CurrentReserves = ReserveFigures & { readonly height: number; readonly timeMs: number };

type Building = {
  /** The term in which the tree was begun; it is not published in another term. */
  readonly term: Term | undefined;
  readonly figures: CurrentReserves;
  outcome: { readonly tree: BuiltTree } | { readonly error: unknown } | undefined;
};

const RETRY_MS = 60_000;
const UNBACKED_WAIT_MS = 60_000;

/**
 * Compares the liabilities of the venue with the balance of the bridge and publishes the result in
 * the log: at the first start, and then by default daily at 00:00 UTC in log time. Deposits and
 * withdrawals continue during a comparison, so it counts only if none has been credited or settled
 * since it began.
 */
export class ReservesWorker {
  readonly #options: ReservesOptions;
  readonly #paid: PaidWatch;
  readonly #secret: Uint8Array;
  readonly #hasher: Promise<TreeHasher>;
  #balance: { readonly block: number; readonly amount: bigint } | undefined;
  #current: CurrentReserves | undefined;
  #building: Building | undefined;
  #dueSinceMs: number | undefined;
  #notBeforeMs = 0;

  constructor(options: ReservesOptions) {
    const { client, contracts, file, folder, fromBlock } = options;
    const isOpen = (id: bigint): boolean => this.#isOpen(id);
    this.#options = options;
    this.#paid = new PaidWatch({ client, bridge: contracts.bridge, fromBlock, file, isOpen });
    this.#secret = treeSecret(folder);
    this.#hasher = createTreeHasher();
  }

  /** The figures are undefined until all sources have been read once. */
  get current(): CurrentReserves | undefined {
    return this.#current;
  }

  /**
   * Runs one step. Returns true if more can be read immediately. Errors are reported without
   * delaying other work.
   */
  async step(): Promise<boolean> {
    try {
      return await this.#step();
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  async #step(): Promise<boolean> {
    const { block, isCurrent, state } = this.#options.watch();
    await this.#publishBuilt();
    if (!isCurrent || state !== 'ok') return false;
    const settled = this.#settled;
    if (!(await this.#paid.step(block))) return true;
    const balance = await this.#balanceAt(block);
    const now = this.#options.watch();
    const isSame = now.block === block && now.isCurrent && settled === this.#settled;
    const figures = isSame ? this.#figuresOf(block, balance) : undefined;
    if (figures === undefined) return false;
    this.#current = figures;
    if (this.#isDue(figures)) this.#build(figures);
    return false;
  }

  /** Returns the proof of an address in the most recently published tree. */
  async proof(user: Address): Promise<TreeProof | undefined | 'missing'> {
    for (;;) {
      const height = this.#publishedHeight;
      if (height === undefined) return 'missing';
      const proof = await this.#readProof(user, height);
      // If the height has changed, a newer tree has been published in the meantime and is read
      // next.
      if (this.#publishedHeight === height) return proof;
    }
  }

  get #publishedHeight(): number | undefined {
    return bridgeView(this.#options.replica.state)?.reserves?.height;
  }

  async #readProof(user: Address, height: number): Promise<TreeProof | undefined | 'missing'> {
    const { folder, log } = this.#options;
    const hasher = await this.#hasher;
    const proof = await readProof({ folder, height, secret: this.#secret, hasher, user });
    if (proof !== 'damaged') return proof;
    // The next round publishes a new tree.
    log.error({ height }, 'Merkle tree of the published reserves is damaged; publishing a new one');
    await rm(treeFile(folder, height), { force: true });
    return 'missing';
  }

  get #settled(): number {
    const { state } = this.#options.replica;
    return nextWithdrawalId(state) - state.withdrawals.size;
  }

  #isOpen(withdrawalId: bigint): boolean {
    const { withdrawals } = this.#options.replica.state;
    return withdrawalId <= Number.MAX_SAFE_INTEGER && withdrawals.has(Number(withdrawalId));
  }

  async #balanceAt(block: number): Promise<bigint> {
    if (this.#balance?.block === block) return this.#balance.amount;
    const { client, contracts } = this.#options;
    const { bridge, token } = contracts;
    const data = encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'balanceOf',
      args: [bridge],
    });
    const amount = BigInt(await client.call({ to: token, data }, block));
    this.#balance = { block, amount };
    return amount;
  }

  /**
   * Uses the current state, so the caller must not await between this call and using its result.
   */
  #figuresOf(blockNumber: number, balance: bigint): CurrentReserves | undefined {
    const { replica, watch } = this.#options;
    const { height, timeMs } = replica.head;
    const figures = figuresOf({
      owed: owedMicroUsdc(replica.state),
      granted: grantedMicroUsdc(replica.state),
      isOpen: (id) => this.#isOpen(id),
      book: watch().book,
      blockNumber,
      bookedBlock: bridgeView(replica.state)?.bookedBlock ?? 0,
      balance,
      paid: this.#paid.paid,
    });
    return figures && { ...figures, height, timeMs };
  }

  #isDue({ unbacked }: ReserveFigures): boolean {
    const { everyMs, folder, isMinter, now, replica } = this.#options;
    const nowMs = now();
    const published = bridgeView(replica.state)?.reserves;
    const turnOf = (timeMs: number): number => Math.floor(timeMs / everyMs);
    const isDone =
      published !== undefined && turnOf(published.publishedMs) >= turnOf(replica.head.timeMs);
    // If the tree is missing, no proofs would be available until the next publication.
    if (isDone && existsSync(treeFile(folder, published.height))) {
      this.#dueSinceMs = undefined;
      return false;
    }
    this.#dueSinceMs ??= nowMs;
    if (this.#building !== undefined) return false;
    if (isMinter && unbacked > 0n && nowMs - this.#dueSinceMs < UNBACKED_WAIT_MS) return false;
    return nowMs >= this.#notBeforeMs;
  }

  #fail(error: unknown): void {
    const { log, now } = this.#options;
    const nowMs = now();
    if (nowMs < this.#notBeforeMs) return;
    this.#notBeforeMs = nowMs + RETRY_MS;
    log.warn({ why: chainFault(error) }, 'reserves could not be determined; retrying in a minute');
  }

  /**
   * Requests the tree of exactly this block. The builder lags behind the log, so it reaches the
   * block only after the request. Work on the chain continues in the meantime.
   */
  #build(figures: CurrentReserves): void {
    const { height } = figures;
    const { history, replica } = this.#options;
    const asked = history.ask('reserves', {}, { minHeight: height });
    const building: Building = { term: replica.term, figures, outcome: undefined };
    this.#building = building;
    asked.then(
      ({ answer }) => (building.outcome = { tree: answer }),
      (error: unknown) => (building.outcome = { error }),
    );
  }

  async #publishBuilt(): Promise<void> {
    const { figures, outcome, term } = this.#building ?? {};
    if (figures === undefined) return;
    if (term !== this.#options.replica.term || term?.isOver() === true) {
      this.#building = undefined;
      return;
    }
    if (outcome === undefined) return;
    this.#building = undefined;
    if ('error' in outcome) throw outcome.error;
    const { tree } = outcome;
    const isSame = tree.height === figures.height && tree.owed === figures.owed;
    assert(isSame, `the tree belongs to block ${tree.height}, not ${figures.height}`);
    const isWhole = tree.liabilities - tree.shortfall === tree.owed;
    assert(
      isWhole,
      `the tree contains ${tree.liabilities} minus ${tree.shortfall}, not ${tree.owed}`,
    );
    await this.#publish(tree, figures);
  }

  async #publish(tree: BuiltTree, figures: ReserveFigures): Promise<void> {
    const { folder, log, replica } = this.#options;
    const { outcome } = await replica.propose(commandOf(tree, figures));
    if (outcome.reject !== undefined) throw new Error(`rejected: ${outcome.reject.reason}`);
    const difference = differenceOf(figures);
    const fields = { height: tree.height, root: tree.root, difference: String(difference) };
    if (difference === 0n) log.info(fields, 'proof of reserves published');
    else log.error(fields, 'bridge holds less than the venue owes');
    await removeOthers(folder, tree.height);
  }
}

function commandOf(tree: BuiltTree, figures: ReserveFigures): PublishReservesCommand {
  const { balance, blockNumber, keptAside, unbacked, unsettled } = figures;
  return {
    type: 'publishReserves',
    height: tree.height,
    root: tree.root,
    leaves: tree.leaves,
    liabilitiesMicroUsdc: exact(tree.liabilities),
    shortfallMicroUsdc: exact(tree.shortfall),
    blockNumber,
    assetsMicroUsdc: exact(balance - keptAside),
    keptAsideMicroUsdc: exact(keptAside),
    unsettledMicroUsdc: exact(unsettled),
    unbackedMicroUsdc: exact(unbacked),
  };
}

/** The log contains whole numbers without rounding (R-exact). */
function exact(amount: bigint): number {
  const number = Number(amount);
  assert(Number.isSafeInteger(number), `${amount} micro-USDC is more than the log can store`);
  return number;
}

async function removeOthers(folder: string, height: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const other = heightOfFile(name.replace(/\.new$/, ''));
    if (other !== undefined && other !== height) await rm(join(folder, name), { force: true });
  }
}

type Source = Pick<ReservesWorker, 'current' | 'proof'>;

/**
 * Returns the reserves of a cluster: the replica that transacts on the chain compares them and
 * holds the tree, and the other replicas query it.
 */
export function sharedReserves(own: Source, settlement: SharedSettlement): Source {
  settlement.addStatus(() => own.current);
  settlement.answer('proof', async (user) => (await own.proof(user as Address)) ?? null);
  return {
    get current() {
      return settlement.isHere
        ? own.current
        : (settlement.holderStatus as CurrentReserves | undefined);
    },
    async proof(user) {
      if (settlement.isHere) return own.proof(user);
      const asked = settlement.ask('proof', user).catch(() => 'missing');
      return ((await asked) as TreeProof | 'missing' | null) ?? undefined;
    },
  };
}

type FigureSources = {
  readonly owed: bigint;
  readonly granted: bigint;
  readonly isOpen: (withdrawalId: bigint) => boolean;
  /** The watcher's book after all blocks up to `blockNumber`. */
  readonly book: DepositBook;
  readonly blockNumber: number;
  /**
   * The newest block of the chain that the books in the log depend on, whichever replica reported
   * it.
   */
  readonly bookedBlock: number;
  readonly balance: bigint;
  readonly paid: readonly Paid[];
};

/**
 * Compares liabilities and assets as of one block of the chain. Returns undefined while the books
 * are ahead of that block, because another replica has credited or settled based on a later block.
 * The balance at this block would then not match the books.
 */
export function figuresOf(sources: FigureSources): ReserveFigures | undefined {
  const { balance, blockNumber, book, bookedBlock, granted, isOpen, owed, paid } = sources;
  if (bookedBlock > blockNumber) return undefined;
  let unsettled = 0n;
  for (const each of paid) {
    const isOwed = isOpen(each.withdrawalId);
    if (each.blockNumber > blockNumber && !isOwed) return undefined;
    if (each.blockNumber <= blockNumber && isOwed) unsettled += each.usd;
  }
  const unbacked = granted - BigInt(book.minted);
  return { owed, blockNumber, balance, keptAside: keptAsideOf(book), unsettled, unbacked };
}

/**
 * Returns the sum of pending amounts, held deposits and dust. An event without a transfer brought
 * in no funds.
 */
export function keptAsideOf({ aside, dust, pots }: DepositBook): bigint {
  const small = Object.values(pots).map(({ amount }) => BigInt(amount));
  const held = aside.filter((each) => each.reason !== 'noTransfer' && !isReturned(each));
  return [...small, ...held.map(({ amount }) => BigInt(amount))].reduce(
    (sum, each) => sum + each,
    BigInt(dust.amount),
  );
}

/** A deposit that was returned to its sender has left the bridge. */
function isReturned(aside: object): boolean {
  return 'returned' in aside && aside.returned !== undefined;
}
