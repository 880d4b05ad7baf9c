import type { LogReport } from '@oddlot/audit/verify-log';
import type { BlockRow, Client } from '@oddlot/sdk';

/** What is compared of a block. */
type Head = Pick<BlockRow, 'hash' | 'height' | 'stateHash'>;

/** As many as a venue lists at once. */
const AT_ONCE = 100;

/** Holds what a venue tells everybody of its blocks against what came out here. */
export class ToldBlocks {
  readonly #info: Pick<Client['info'], 'blocks'>;
  #own: Head[] = [];
  /** Blocks that are told alike. */
  compared = 0;
  /** Blocks that the venue does not list, as its history was cut. */
  missing = 0;

  constructor(info: Pick<Client['info'], 'blocks'>) {
    this.#info = info;
  }

  /** Asks when there are as many as one answer has. */
  compare({ hash, height, stateHash }: Head): Promise<LogReport['finding']> | undefined {
    this.#own.push({ hash, height, stateHash });
    return this.#own.length < AT_ONCE ? undefined : this.rest();
  }

  /** Those that were not asked for yet. */
  async rest(): Promise<LogReport['finding']> {
    const own = this.#own;
    this.#own = [];
    const last = own.at(-1);
    if (last === undefined) return undefined;
    const rows = await this.#info.blocks({ before: last.height + 1, limit: own.length });
    const told = new Map(rows.map((row) => [row.height, row]));
    for (const { hash, height, stateHash } of own) {
      const row = told.get(height);
      if (row === undefined) this.missing++;
      else if (row.hash !== hash) return differs(height, 'hash', hash, row.hash);
      else if (row.stateHash !== stateHash) {
        return differs(height, 'state', stateHash, row.stateHash);
      } else this.compared++;
    }
    return undefined;
  }
}

function differs(height: number, part: string, own: string, told: string): LogReport['finding'] {
  return { height, what: `its ${part} is ${own} here, but the venue reports ${told}` };
}
