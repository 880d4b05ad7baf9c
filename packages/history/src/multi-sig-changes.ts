import { type AppliedBlock, authorityOf, isRequest, type Projection } from '@oddlot/replica/block';

/** Of one account; who changes signers more often than this is shown the newest ones. */
const CHANGES_MAX = 100;

/**
 * The requests that changed who signs for an account (R-multisig), oldest first. Each is signed by those who signed for it
 * before, so that whoever has them all need not believe the venue who its signers are: validators of a bridge do not.
 */
export class MultiSigChanges implements Projection {
  readonly name = 'multiSigChanges';
  readonly version = 1;
  readonly #changes = new Map<string, readonly string[]>();

  /** Hashes of requests. */
  of(account: string): readonly string[] {
    return this.#changes.get(account) ?? [];
  }

  onBlock({ commands, result }: AppliedBlock): void {
    for (const event of result.events) {
      if (event.type !== 'multiSigChanged') continue;
      const command = commands[event.commandIndex]?.command;
      if (command === undefined || !isRequest(command)) continue;
      const changes = [...this.of(event.account), authorityOf(command).txHash];
      this.#changes.set(event.account, changes.slice(-CHANGES_MAX));
    }
  }

  dump(): readonly (readonly [account: string, changes: readonly string[]])[] {
    return [...this.#changes];
  }

  restore(data: unknown): void {
    for (const [account, changes] of data as ReturnType<MultiSigChanges['dump']>) {
      this.#changes.set(account, changes);
    }
  }

  reset(): void {
    this.#changes.clear();
  }
}
