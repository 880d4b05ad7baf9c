import { authorityOf, type AppliedBlock, isRequest, type Projection } from '@oddlot/venue/replay';
import { z } from 'zod';

const Dumped = z.array(z.tuple([z.int(), z.string()]));

/** By which request each withdrawal was asked for, as long as it is not settled: as many as the state holds. */
export class WithdrawalRequests implements Projection {
  readonly name = 'withdrawalRequests';
  readonly version = 1;
  readonly #requests = new Map<number, string>();

  /** The hash of the request. */
  of(withdrawalId: number): string | undefined {
    return this.#requests.get(withdrawalId);
  }

  onBlock({ commands, result }: AppliedBlock): void {
    for (const event of result.events) {
      if (event.type !== 'withdrawalChanged') continue;
      if (event.status !== 'pending') {
        this.#requests.delete(event.withdrawalId);
        continue;
      }
      const command = commands[event.commandIndex]?.command;
      if (command === undefined || !isRequest(command)) continue;
      this.#requests.set(event.withdrawalId, authorityOf(command).txHash);
    }
  }

  dump(): unknown {
    return [...this.#requests];
  }

  restore(data: unknown): void {
    this.reset();
    for (const [withdrawalId, request] of Dumped.parse(data)) {
      this.#requests.set(withdrawalId, request);
    }
  }

  reset(): void {
    this.#requests.clear();
  }
}
