import { BRIDGE_ABI } from '@oddlot/contracts';
import { chainFault, ChainRevertError } from '@oddlot/custody/chain';
import type { Relayer } from '@oddlot/custody/relayer';
import { encodeFunctionData } from 'viem';
import { approveExactly } from './approve-exactly.ts';
import { type SettlementLine, tokenBalance } from '../chains/relay-chain.ts';
import type { RelayBook } from '../book/relay-book.ts';
import { type GivenAddress, sumOf, type Transfer, type Trouble } from '../book/records.ts';
import { chainTrouble, floatTrouble, noteTrouble } from './trouble.ts';
import { type CanReceive, NO_RECEIVER } from './receivers.ts';
import type { VenueAccount } from './venue-account.ts';

type DepositWorkOptions = {
  readonly book: RelayBook;
  readonly settlement: SettlementLine;
  /** The relay's own account in the venue. */
  readonly account: VenueAccount;
  readonly canReceive: CanReceive;
  readonly now: () => number;
};

/**
 * Hands on what came in on other chains: the bridge credits the user with the relay's own money of the
 * settlement chain (R-deposit). The perp sub-account is credited by that alone; for the other one the
 * relay deposits for itself and sends the money on inside of the venue.
 */
export class DepositWork {
  readonly #options: DepositWorkOptions;

  constructor(options: DepositWorkOptions) {
    this.#options = options;
  }

  /** One step of a transfer that is to be handed on. What it throws is told and tried again. */
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

  /** What is missing before the bridge can take the money. */
  async #lacking(amount: bigint): Promise<Trouble | undefined> {
    const { book, settlement } = this.#options;
    const { relayer, terms } = settlement;
    const balance = await tokenBalance(settlement, relayer.address);
    if (balance < amount) return floatTrouble(terms.name, amount, balance);
    return await approveExactly(settlement, { amount, balance, ...depositsOf(book, relayer) });
  }

  /** The money is on its way into the relay's account; until it is there the venue refuses. */
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

/** Micro-USDC that the bridge is still to take: what was sent and is in no block, and what was not sent yet. */
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
