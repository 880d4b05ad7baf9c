import { chainFault, ChainRevertError } from '@oddlot/custody/chain';
import type { Hex } from 'viem';
import { tokenBalance, transferData, type RelayChain } from '../chains/relay-chain.ts';
import type { RelayBook } from '../book/relay-book.ts';
import { type GivenAddress, sumOf, type Transfer, type Trouble } from '../book/records.ts';
import { chainTrouble, floatTrouble, noteTrouble } from './trouble.ts';
import { type CanReceive, NO_RECEIVER } from './receivers.ts';
import { pegHolding } from './peg-holding.ts';
import type { VenueAccount } from './venue-account.ts';
import type { VenueApi } from '../venue-api.ts';

type PegWorkOptions = {
  readonly book: RelayBook;
  readonly api: Pick<VenueApi, 'freeMoney'>;
  readonly now: () => number;
  /** The account of a peg. */
  readonly accountOf: (peg: GivenAddress) => VenueAccount;
  /** Where the relay collects what came to pegs. */
  readonly ownAddress: Hex;
  readonly canReceive: CanReceive;
};

/**
 * Hands on what was sent to pegs: the same amount without the fee leaves the relay's own money on the
 * other chain, then the peg's money becomes the relay's. What cannot be handed on goes back whole to who
 * sent it, to the sub-account that it came from.
 */
export class PegWork {
  readonly #options: PegWorkOptions;

  constructor(options: PegWorkOptions) {
    this.#options = options;
  }

  /** What is still below the minimum when the peg expires goes back. */
  expire(transfer: Transfer, peg: GivenAddress): void {
    const { book, now } = this.#options;
    if (now() < peg.expireMs) return;
    book.put({ ...transfer, state: 'refunding', updateMs: now() });
  }

  async pay(transfer: Transfer, peg: GivenAddress, chain: RelayChain): Promise<void> {
    const { book, canReceive, now } = this.#options;
    const { relayer, token } = chain;
    const key = payoutKey(transfer);
    const record = relayer.find(key);
    const { mined } = record ?? {};
    if (mined?.isConfirmed === true) {
      const next = { ...transfer, trouble: undefined, updateMs: now() };
      const { succeeded, txHash: dstTxHash } = mined;
      if (succeeded) return book.put({ ...next, state: 'completed', dstTxHash });
      return book.put({ ...next, attempt: transfer.attempt + 1 });
    }
    if (record !== undefined) return this.#trouble(transfer, chainTrouble(record));
    if (!canReceive(peg.dstAddr)) return this.#refuse(transfer);
    if (!(await this.#isHeld(transfer, peg))) return undefined;
    const amount = sumOf(transfer) - BigInt(peg.feeMicro);
    const balance = await tokenBalance(chain, relayer.address);
    if (balance < amount) {
      return this.#trouble(transfer, floatTrouble(chain.terms.name, amount, balance));
    }
    try {
      await relayer.submit({ key, to: token, data: transferData(peg.dstAddr, amount) });
    } catch (error) {
      if (!(error instanceof ChainRevertError)) throw error;
      // Nothing was signed, and the token takes it for nobody there: an address on its black list.
      const trouble = { what: 'token', detail: chainFault(error) } as const;
      return book.put({ ...transfer, state: 'refunding', trouble, updateMs: now() });
    }
    return this.#trouble(transfer, undefined);
  }

  /** Never more than the peg holds; where it holds less, that is told. */
  async #isHeld(transfer: Transfer, peg: GivenAddress): Promise<boolean> {
    const holding = await pegHolding(transfer, peg, this.#options);
    if (holding.is === 'short') this.#trouble(transfer, holding.trouble);
    return holding.is === 'whole';
  }

  /** Back to who sent it; what came by the bridge has nobody to go to but the receiver. */
  #refuse(transfer: Transfer): void {
    const { book, canReceive, now } = this.#options;
    if (!canReceive(transfer.user)) return this.#trouble(transfer, NO_RECEIVER);
    return book.put({ ...transfer, state: 'refunding', trouble: NO_RECEIVER, updateMs: now() });
  }

  async refund(transfer: Transfer, peg: GivenAddress): Promise<void> {
    const { accountOf, book, now } = this.#options;
    const account = accountOf(peg);
    if (transfer.send === undefined) {
      if (!(await this.#isHeld(transfer, peg))) return undefined;
      const kinds = { from: transfer.cameTo, to: transfer.cameFrom };
      const amountMicro = sumOf(transfer);
      const send = await account.sign({ destination: transfer.user, amountMicro, ...kinds });
      return book.put({ ...transfer, send });
    }
    const result = await account.deliver(transfer.send);
    if (result.is === 'executed') {
      const dstTxHash = transfer.send.txHash;
      const end = { state: 'refunded', dstTxHash, trouble: undefined, updateMs: now() } as const;
      return book.put({ ...transfer, ...end });
    }
    const trouble: Trouble = { what: 'venue', detail: result.why };
    if (result.is === 'void') {
      return book.put({ ...transfer, send: undefined, trouble, updateMs: now() });
    }
    return this.#trouble(transfer, trouble);
  }

  /** Of what was paid out, the peg's money to the relay's own account. */
  async sweep(transfer: Transfer, peg: GivenAddress): Promise<void> {
    const { accountOf, book, ownAddress } = this.#options;
    const account = accountOf(peg);
    if (transfer.sweep === undefined) {
      const sweep = await account.sign({
        destination: ownAddress,
        amountMicro: sumOf(transfer),
        from: transfer.cameTo,
        to: 'perp',
      });
      return book.put({ ...transfer, sweep });
    }
    const result = await account.deliver(transfer.sweep);
    if (result.is === 'executed') return book.put({ ...transfer, isSwept: true });
    if (result.is === 'void') return book.put({ ...transfer, sweep: undefined });
    return this.#trouble(transfer, { what: 'venue', detail: result.why });
  }

  #trouble(transfer: Transfer, trouble: Trouble | undefined): void {
    noteTrouble(this.#options, transfer, trouble);
  }
}

/** Names the payment of a transfer among all that the relay sends. */
export function payoutKey({ attempt, id }: Transfer): string {
  return `payout:${id}:${attempt}`;
}
