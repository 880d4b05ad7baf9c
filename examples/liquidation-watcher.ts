import { createReader, type Reader } from '@oddlot/sdk';

/**
 * Reports when an account comes close to liquidation, and when it is safe again. It needs no key,
 * because accounts are public. It polls, because account streams send no update when only the mark
 * changes.
 */

export type Alarm = {
  readonly user: string;
  readonly isNear: boolean;
  /** The cross margin ratio. A higher ratio is safer, and liquidation starts at 1. */
  readonly ratio: number;
};

export class LiquidationWatcher {
  readonly #reader: Pick<Reader, 'info'>;
  readonly #users: readonly string[];
  readonly #below: number;
  readonly #near = new Set<string>();

  constructor(reader: Pick<Reader, 'info'>, users: readonly string[], below: number) {
    this.#reader = reader;
    this.#users = users;
    this.#below = below;
  }

  /** Checks all accounts and returns those whose status has changed since the last check. */
  async look(): Promise<Alarm[]> {
    const alarms: Alarm[] = [];
    for (const user of this.#users) {
      const { crossMarginRatio } = await this.#reader.info.clearinghouseState({ user });
      const ratio = Number(crossMarginRatio);
      const isNear = ratio < this.#below;
      if (isNear !== this.#near.has(user)) alarms.push({ user, isNear, ratio });
      if (isNear) this.#near.add(user);
      else this.#near.delete(user);
    }
    return alarms;
  }
}

if (import.meta.main) {
  const { ODDLOT_URL: url = 'http://127.0.0.1:8690', WATCHED = '' } = process.env;
  const users = WATCHED.split(',').filter((user) => user !== '');
  if (users.length === 0) throw new Error('Missing accounts to watch. Set WATCHED=0x…,0x…');
  const watcher = new LiquidationWatcher(createReader({ url }), users, 1.5);
  for (;;) {
    for (const { user, isNear, ratio } of await watcher.look()) {
      console.log(user, isNear ? `has a margin ratio of ${ratio}` : 'is safe again');
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}
