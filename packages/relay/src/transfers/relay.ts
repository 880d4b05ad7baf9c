import { chainFault } from '@oddlot/custody/chain';
import type { Logger } from '@oddlot/host/log';
import { DepositScan, DepositWork } from './deposits.ts';
import { payoutKey, PegScan, PegWork } from './pegs.ts';
import { type GivenAddress, isOver, type RelayBook, type Transfer } from '../book/relay-book.ts';
import type { RelayChain, SettlementLine } from '../chains/relay-chain.ts';
import type { RelayKey, RelayKeys } from '../relay-keys.ts';
import { receiversOf } from './receivers.ts';
import { Sweeps } from './sweeps.ts';
import { VenueAccount } from './venue-account.ts';
import type { VenueApi, VenueFacts } from '../venue-api.ts';
import { SettingError } from '@oddlot/host/settings';

export type RelayParts = {
  readonly book: RelayBook;
  readonly keys: RelayKeys;
  readonly api: VenueApi;
  readonly facts: VenueFacts;
  /** The chains by name, including the settlement chain. */
  readonly chains: ReadonlyMap<string, RelayChain>;
  readonly settlement: SettlementLine;
  readonly log: Logger;
  readonly now: () => number;
  readonly everyMs: number;
  readonly lateEveryMs: number;
};

/**
 * Moves money between the venue and other chains. Each step reads new payments and advances every
 * open transfer by one step. All of the relay's state is in the journal, so it can be stopped at
 * any point.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #scans: ReadonlyMap<string, DepositScan>;
  readonly #pegScan: PegScan;
  readonly #deposits: DepositWork;
  readonly #pegs: PegWork;
  readonly #sweeps: Sweeps;
  readonly #own: VenueAccount;
  readonly #accounts = new Map<string, VenueAccount>();
  readonly #warned = new Map<string, string>();

  constructor(parts: RelayParts) {
    const { api, book, chains, everyMs, keys, lateEveryMs, now, settlement } = parts;
    this.#parts = parts;
    this.#scans = new Map(
      [...chains].map(([name, chain]) => [
        name,
        new DepositScan({ chain, book, now, lateEveryMs }),
      ]),
    );
    this.#pegScan = new PegScan({ book, api, now, everyMs });
    const account = this.#account(keys.key('float'));
    const canReceive = receiversOf(parts);
    this.#own = account;
    this.#deposits = new DepositWork({ book, settlement, account, canReceive, now });
    this.#pegs = new PegWork({
      book,
      api,
      now,
      ownAddress: account.address,
      canReceive,
      accountOf: (peg) => this.#accountOf(peg),
    });
    const keyOf = ({ index }: GivenAddress) => keys.key('deposit', index);
    this.#sweeps = new Sweeps({ book, keyOf, now });
  }

  /** The account in the venue that holds the relay's money. */
  get account(): VenueAccount {
    return this.#own;
  }

  /** Returns the money in blocks without enough confirmations. */
  unconfirmed(address: GivenAddress) {
    return this.#scans.get(address.chain)?.unconfirmed.get(address.id);
  }

  hurry(user: GivenAddress['dstAddr']): void {
    this.#pegScan.hurry(user);
  }

  /**
   * Determines the first block to read on each chain. Must be called before any addresses are
   * assigned. Unavailable chains are retried.
   */
  async begin(): Promise<void> {
    for (const [name, scan] of this.#scans) await this.#try(name, () => scan.step());
  }

  async step(): Promise<void> {
    const { book, chains } = this.#parts;
    for (const [name, chain] of chains) await this.#try(name, () => chain.relayer.step());
    for (const [name, scan] of this.#scans) await this.#try(name, () => scan.step());
    await this.#try('venue', () => this.#pegScan.step());
    for (const transfer of book.open()) {
      await this.#try(transfer.id, () => this.#advance(transfer));
      const { id, trouble } = book.transfer(transfer.id) ?? transfer;
      if (trouble === undefined || trouble.detail === transfer.trouble?.detail) continue;
      const level = trouble.what === 'peg' ? 'error' : 'warn';
      this.#parts.log[level]({ id, ...trouble }, 'transfer blocked');
    }
  }

  async #advance(transfer: Transfer): Promise<void> {
    const { book, chains } = this.#parts;
    const address = book.address(transfer.addressId);
    const chain = address === undefined ? undefined : chains.get(address.chain);
    if (address === undefined || chain === undefined) {
      throw new Error(`the chain of transfer ${transfer.id} is not configured`);
    }
    const isPeg = address.kind === 'peg';
    switch (transfer.state) {
      case 'collecting':
        return isPeg ? this.#pegs.expire(transfer, address) : undefined;
      case 'paying':
        if (isPeg) return await this.#pegs.pay(transfer, address, chain);
        await this.#deposits.step(transfer, address);
        return await this.#sweep(transfer.id, address, chain);
      case 'refunding':
        return await this.#pegs.refund(transfer, address);
      case 'completed':
        if (isPeg) return await this.#pegs.sweep(transfer, address);
        return await this.#sweep(transfer.id, address, chain);
      case 'refunded':
        return undefined;
    }
  }

  /** Collects an address's money, but only if there is enough of it to be paid out. */
  async #sweep(id: string, address: GivenAddress, chain: RelayChain): Promise<void> {
    const transfer = this.#parts.book.transfer(id);
    if (transfer?.isSwept === false) await this.#sweeps.step(transfer, address, chain);
  }

  /** Reports an error once, without delaying the other work. */
  async #try(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#warned.delete(name);
    } catch (error) {
      const why = chainFault(error);
      if (this.#warned.get(name) === why) return;
      this.#warned.set(name, why);
      this.#parts.log.warn({ name, why }, 'relay step failed; retrying');
    }
  }

  #accountOf(peg: GivenAddress): VenueAccount {
    const known = this.#accounts.get(peg.id);
    if (known !== undefined) return known;
    const account = this.#account(this.#parts.keys.key('peg', peg.index));
    this.#accounts.set(peg.id, account);
    return account;
  }

  #account(key: RelayKey): VenueAccount {
    const { api, facts, now } = this.#parts;
    return new VenueAccount({ key, api, network: facts.network, now });
  }
}

/**
 * Ends peg transfers at the operator's request. Nothing more is then paid, returned or collected
 * for them, and their arrivals no longer count as held by the peg.
 */
export function endTransfers(
  ids: readonly string[],
  parts: {
    readonly book: RelayBook;
    readonly chains: ReadonlyMap<string, RelayChain>;
    readonly log: Logger;
    readonly now: () => number;
  },
): void {
  const { book, chains, log, now } = parts;
  for (const id of ids) {
    const transfer = book.transfer(id);
    const address = transfer === undefined ? undefined : book.address(transfer.addressId);
    if (transfer === undefined || address?.kind !== 'peg') {
      throw new SettingError(
        `end: ${id} is not the id of a transfer from a relay withdrawal address`,
      );
    }
    if (isOver(transfer)) continue;
    const sent = chains.get(address.chain)?.relayer.find(payoutKey(transfer));
    if (sent !== undefined && sent.mined?.isConfirmed !== true) {
      throw new SettingError(
        `end: the payment of ${id} is under way; wait until the chain confirms it`,
      );
    }
    const end = { state: 'completed', isSwept: true, trouble: undefined } as const;
    book.put({ ...transfer, ...end, updateMs: now() });
    log.warn({ id, was: transfer.state }, 'transfer ended by the operator');
  }
}
