import { Grants } from '@oddlot/host/grants';
import type { AppliedBlock, Projection } from '@oddlot/replica/block';

/**
 * Who was given test money within an interval, by address. It is read from the blocks, so a restart
 * forgives nobody; and by their time, so that it is the same on every thread.
 */
export class FaucetGrants implements Projection {
  readonly name = 'faucet';
  readonly version = 1;
  readonly byAddress: Grants;
  #timeMs = 0;

  constructor(intervalMs: number) {
    this.byAddress = new Grants(intervalMs);
  }

  onBlock({ result, timeMs }: AppliedBlock): void {
    this.#timeMs = timeMs;
    for (const event of result.events) {
      if (event.type === 'faucetCredited') this.byAddress.add(event.account, timeMs);
    }
  }

  /** The grants of the last interval, whose blocks may not be replayed again. */
  dump(): readonly (readonly [address: string, timeMs: number])[] {
    return this.byAddress.entries(this.#timeMs);
  }

  reset(): void {
    this.#timeMs = 0;
    this.byAddress.clear();
  }

  restore(data: unknown): void {
    for (const [address, timeMs] of data as ReturnType<FaucetGrants['dump']>) {
      this.#timeMs = timeMs;
      this.byAddress.add(address, timeMs);
    }
  }
}
