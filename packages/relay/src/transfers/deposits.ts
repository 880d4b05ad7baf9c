import { chainFault, type ChainLog, ChainRevertError } from '@oddlot/custody/chain';
import { encodeFunctionData, type Hex, hexToBigInt, keccak256, pad, toHex } from 'viem';
import {
  type GivenAddress,
  type RelayBook,
  sumOf,
  type Transfer,
  type Trouble,
} from '../book/relay-book.ts';
import {
  allowanceOf,
  type RelayChain,
  type SettlementLine,
  tokenBalance,
} from '../chains/relay-chain.ts';
import { BRIDGE_ABI, TEST_USDC_ABI } from '@oddlot/contracts';
import type { Relayer } from '@oddlot/custody/relayer';
import { chainTrouble, floatTrouble, noteTrouble } from './trouble.ts';
import { type CanReceive, NO_RECEIVER } from './receivers.ts';
import type { VenueAccount } from './venue-account.ts';

/** The money in blocks without enough confirmations, by address id. */
type Unconfirmed = ReadonlyMap<string, { readonly amountMicro: bigint; readonly txHash: Hex }>;

const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'));
/** The maximum number of blocks and of addresses per query; public endpoints limit both. */
const RANGE_BLOCKS = 2_000;
const ADDRESSES = 200;

type DepositScanOptions = {
  readonly chain: RelayChain;
  readonly book: RelayBook;
  readonly now: () => number;
  /** The interval for scanning addresses that are no longer expected to be used. */
  readonly lateEveryMs: number;
};

/**
 * Finds payments to the deposit addresses on a chain. Unexpired addresses are scanned in each step.
 * All others are scanned periodically and indefinitely, so that late payments are not lost. Only
 * payments in confirmed blocks are recorded; payments in later blocks are only shown.
 */
export class DepositScan {
  readonly #options: DepositScanOptions;
  #expiredScanMs = -Infinity;
  #isRightChain = false;
  #unconfirmed: Unconfirmed = new Map();

  constructor(options: DepositScanOptions) {
    this.#options = options;
  }

  get unconfirmed(): Unconfirmed {
    return this.#unconfirmed;
  }

  async step(): Promise<void> {
    const { book, chain, lateEveryMs, now } = this.#options;
    const { name } = chain.terms;
    if (!this.#isRightChain) await chain.client.assertChain();
    this.#isRightChain = true;
    // The addresses are listed before the head is queried, because addresses assigned later can
    // only be paid in later blocks.
    const given = book.addresses('deposit').filter((each) => each.chain === name);
    const nowMs = now();
    const live = given.filter(({ expireMs }) => expireMs > nowMs);
    const expired = given.filter(({ expireMs }) => expireMs <= nowMs);
    const { confirmed, head } = await chain.client.head();
    const start = Math.min(chain.fromBlock ?? confirmed, confirmed);
    const known = book.cursor(name) ?? { chain: name, live: start, late: start };
    const scansExpired = nowMs - this.#expiredScanMs >= lateEveryMs;
    await this.#take(live, { fromBlock: known.live + 1, toBlock: confirmed });
    if (scansExpired) await this.#take(expired, { fromBlock: known.late + 1, toBlock: confirmed });
    const expiredTo = scansExpired ? confirmed : known.late;
    book.setCursor({
      chain: name,
      live: Math.max(known.live, confirmed),
      late: Math.max(known.late, expiredTo),
    });
    if (scansExpired) this.#expiredScanMs = nowMs;
    await this.#look(live, { fromBlock: confirmed + 1, toBlock: head });
  }

  async #take(addresses: readonly GivenAddress[], range: Range): Promise<void> {
    const { book, now } = this.#options;
    for (const { address, log } of await this.#logs(addresses, range)) {
      const amount = hexToBigInt(log.data);
      if (amount === 0n) continue;
      const arrival = {
        key: `${log.txHash}:${log.logIndex}`,
        txHash: log.txHash,
        amountMicro: String(amount),
      };
      const owner = { user: address.dstAddr, cameTo: 'perp', cameFrom: 'perp' } as const;
      book.arrive(address, { ...arrival, ...owner }, now());
    }
  }

  async #look(addresses: readonly GivenAddress[], range: Range): Promise<void> {
    const seen = new Map<string, { amountMicro: bigint; txHash: Hex }>();
    for (const { address, log } of await this.#logs(addresses, range)) {
      const before = seen.get(address.id)?.amountMicro ?? 0n;
      const amountMicro = before + hexToBigInt(log.data);
      seen.set(address.id, { amountMicro, txHash: log.txHash });
    }
    this.#unconfirmed = seen;
  }

  async #logs(addresses: readonly GivenAddress[], { fromBlock, toBlock }: Range) {
    const { client, token } = this.#options.chain;
    const byTopic = new Map(addresses.map((each) => [pad(each.address), each]));
    const topics = [...byTopic.keys()];
    const found: { readonly address: GivenAddress; readonly log: ChainLog }[] = [];
    for (let from = fromBlock; from <= toBlock; from += RANGE_BLOCKS) {
      const to = Math.min(toBlock, from + RANGE_BLOCKS - 1);
      for (let at = 0; at < topics.length; at += ADDRESSES) {
        const places = [TRANSFER, null, topics.slice(at, at + ADDRESSES)];
        const range = { address: token, topics: places, fromBlock: from, toBlock: to };
        for (const log of await client.logs(range)) {
          const address = byTopic.get(log.topics[2] ?? '0x');
          if (address !== undefined) found.push({ address, log });
        }
      }
    }
    return found;
  }
}

type Range = { readonly fromBlock: number; readonly toBlock: number };

type DepositWorkOptions = {
  readonly book: RelayBook;
  readonly settlement: SettlementLine;
  /** The relay's own account in the venue. */
  readonly account: VenueAccount;
  readonly canReceive: CanReceive;
  readonly now: () => number;
};

/**
 * Pays out deposits from other chains. The relay deposits its own money on the settlement chain,
 * and the bridge credits the user (R-deposit). For the perp sub-account, that is all. For the
 * outcome sub-account, the relay deposits into its own account and then transfers the money inside
 * the venue.
 */
export class DepositWork {
  readonly #options: DepositWorkOptions;

  constructor(options: DepositWorkOptions) {
    this.#options = options;
  }

  /** Performs one step of paying out a transfer. Errors are recorded, and the step is retried. */
  async step(transfer: Transfer, address: GivenAddress): Promise<void> {
    if (transfer.isBridged === true) await this.#sendOn(transfer, address);
    else await this.#deposit(transfer, address);
  }

  async #deposit(transfer: Transfer, address: GivenAddress): Promise<void> {
    const { account, book, canReceive, now, settlement } = this.#options;
    const { relayer } = settlement;
    const key = depositKey(transfer);
    const record = relayer.find(key);
    const { mined } = record ?? {};
    if (mined?.isConfirmed === true) {
      const { succeeded, txHash } = mined;
      const next = { ...transfer, trouble: undefined, updateMs: now() };
      const isForPerp = address.accountType === 'perp';
      if (!succeeded) book.put({ ...next, attempt: transfer.attempt + 1, trouble: REVERTED });
      else if (isForPerp) book.put({ ...next, state: 'completed', dstTxHash: txHash });
      else book.put({ ...next, isBridged: true, dstTxHash: txHash });
      return;
    }
    if (record !== undefined) return this.#trouble(transfer, chainTrouble(record));
    if (!canReceive(address.dstAddr)) return this.#trouble(transfer, NO_RECEIVER);
    const amount = sumOf(transfer) - BigInt(address.feeMicro);
    const lacking = await this.#lacking(amount);
    if (lacking !== undefined) return this.#trouble(transfer, lacking);
    const user = address.accountType === 'perp' ? address.dstAddr : account.address;
    const args = [user, amount] as const;
    const data = encodeFunctionData({ abi: BRIDGE_ABI, functionName: 'depositFor', args });
    try {
      await relayer.submit({ key, to: settlement.bridge, data });
    } catch (error) {
      if (!(error instanceof ChainRevertError)) throw error;
      return this.#trouble(transfer, { what: 'bridge', detail: chainFault(error) });
    }
    return this.#trouble(transfer, undefined);
  }

  /** Returns what prevents the bridge from taking the money, if anything. */
  async #lacking(amount: bigint): Promise<Trouble | undefined> {
    const { book, settlement } = this.#options;
    const { relayer, terms } = settlement;
    const balance = await tokenBalance(settlement, relayer.address);
    if (balance < amount) return floatTrouble(terms.name, amount, balance);
    return await approveExactly(settlement, { amount, balance, ...depositsOf(book, relayer) });
  }

  /**
   * Transfers the money inside the venue. The deposit may still be on its way to the relay's
   * account; until it arrives, the venue rejects the transfer.
   */
  async #sendOn(transfer: Transfer, address: GivenAddress): Promise<void> {
    const { account, book, now } = this.#options;
    const amountMicro = sumOf(transfer) - BigInt(address.feeMicro);
    if (transfer.send === undefined) {
      const kinds = { from: 'perp', to: address.accountType } as const;
      const send = await account.sign({ destination: address.dstAddr, amountMicro, ...kinds });
      return book.put({ ...transfer, send });
    }
    const result = await account.deliver(transfer.send);
    const next = { ...transfer, trouble: undefined, updateMs: now() };
    if (result.is === 'executed') {
      return book.put({ ...next, state: 'completed', dstTxHash: transfer.send.txHash });
    }
    const trouble: Trouble = { what: 'venue', detail: result.why };
    if (result.is === 'void') return book.put({ ...next, send: undefined, trouble });
    return this.#trouble(transfer, trouble);
  }

  #trouble(transfer: Transfer, trouble: Trouble | undefined): void {
    noteTrouble(this.#options, transfer, trouble);
  }
}

const REVERTED: Trouble = {
  what: 'chain',
  detail: 'the settlement chain rejected the transaction; retrying',
};

function depositKey({ attempt, id }: Transfer): string {
  return `deposit:${id}:${attempt}`;
}

/**
 * Returns two amounts in micro-USDC that the bridge has yet to take: the sum in transactions sent
 * but not yet mined, and the sum not yet sent.
 */
function depositsOf(book: RelayBook, relayer: Relayer) {
  let [sent, waiting] = [0n, 0n];
  for (const transfer of book.open()) {
    const address = book.address(transfer.addressId);
    const isOne = address?.kind === 'deposit' && transfer.state === 'paying';
    if (!isOne || transfer.isBridged === true) continue;
    const amount = sumOf(transfer) - BigInt(address.feeMicro);
    const record = relayer.find(depositKey(transfer));
    if (record === undefined) waiting += amount;
    else if (record.mined === undefined) sent += amount;
  }
  return { sent, waiting };
}

/** The amounts in micro-USDC that limit the allowance. */
type Claims = {
  /** The amount that the bridge is to take now; it is included in `waiting`. */
  readonly amount: bigint;
  /** The relay's balance, which the allowance never exceeds. */
  readonly balance: bigint;
  /** The amount in transactions that are not in a block yet. */
  readonly sent: bigint;
  /** The total to be paid out that has not been sent yet. */
  readonly waiting: bigint;
};

/**
 * Allows the bridge to take exactly the amount to be paid out, because with an unlimited allowance,
 * an exploit of the bridge could take the whole balance. An allowance replaces the previous one, so
 * it is granted for all pending deposits at once, while no transaction is in progress. A larger
 * allowance, from a former release or a failed deposit, is replaced in the same way. Returns
 * undefined if the bridge can take the amount.
 */
async function approveExactly(
  settlement: SettlementLine,
  { amount, balance, sent, waiting }: Claims,
): Promise<Trouble | undefined> {
  const { bridge, relayer, token } = settlement;
  const allowed = await allowanceOf(settlement);
  const isTooMuch = allowed > sent + waiting;
  if (allowed - sent >= amount && !isTooMuch) return undefined;
  if (sent > 0n) return NOT_YET;
  let times = 0;
  const keyOf = (): string => `approve:${bridge}:${times}`;
  while (relayer.find(keyOf())?.mined?.isConfirmed === true) times += 1;
  const args = [bridge, waiting < balance ? waiting : balance] as const;
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'approve', args });
  await relayer.submit({ key: keyOf(), to: token, data });
  return NOT_YET;
}

const NOT_YET: Trouble = {
  what: 'chain',
  detail: 'the token allowance for the bridge is not confirmed yet',
};
