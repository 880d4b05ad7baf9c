import { present, type Address } from '@oddlot/units';
import type { AppliedBlock } from '../block/block.ts';
import type { Replica } from '../replica/replica.ts';

/**
 * Who is in the signer set of some multi-sig account. The state knows only the way from an account to
 * its signers; this is the way back, gathered when it is first asked for and then kept up by events.
 */
export class MultiSigSigners {
  readonly #replica: Pick<Replica, 'state'>;
  /** The set of each multi-sig account; undefined until somebody asks. */
  #sets: Map<Address, readonly Address[]> | undefined;
  /** In how many sets a signer is. */
  readonly #counts = new Map<Address, number>();

  constructor(replica: Pick<Replica, 'state' | 'onBlock'>) {
    this.#replica = replica;
    replica.onBlock((block) => this.#onBlock(block));
  }

  has(address: Address): boolean {
    if (this.#sets === undefined) {
      this.#sets = new Map();
      for (const account of this.#replica.state.accounts) {
        this.#put(this.#sets, account.address, account.multiSig?.users);
      }
    }
    return this.#counts.has(address);
  }

  #onBlock({ result }: AppliedBlock): void {
    if (this.#sets === undefined) return;
    const { accountIndex, accounts } = this.#replica.state;
    for (const event of result.events) {
      if (event.type !== 'multiSigChanged') continue;
      const index = present(accountIndex.get(event.account), 'the account of an event');
      this.#put(this.#sets, event.account, accounts[index]?.multiSig?.users);
    }
  }

  #put(
    sets: Map<Address, readonly Address[]>,
    account: Address,
    users: readonly Address[] | undefined,
  ): void {
    for (const user of sets.get(account) ?? []) this.#count(user, -1);
    for (const user of users ?? []) this.#count(user, 1);
    if (users === undefined) sets.delete(account);
    else sets.set(account, users);
  }

  #count(user: Address, change: number): void {
    const count = (this.#counts.get(user) ?? 0) + change;
    if (count === 0) this.#counts.delete(user);
    else this.#counts.set(user, count);
  }
}
