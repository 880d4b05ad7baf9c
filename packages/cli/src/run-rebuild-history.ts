import { join } from 'node:path';
import { readConfig, rebuildHistory } from '@oddlot/venue';

/**
 * Throws the history of a venue that does not run away, and computes it again from its log:
 *
 *     oddlot rebuild-history --data ./data [--database postgres://…]
 *
 * Takes the venue's own settings, from flags, environment or file. Ends with 0 when it is complete.
 */
export async function runRebuildHistory(
  args: readonly string[],
  { environment, stderr }: { readonly environment: NodeJS.ProcessEnv; readonly stderr: Terminal },
): Promise<number> {
  try {
    const { data, database } = readConfig([...args], environment);
    const place =
      database === undefined ? { file: join(data, 'history.sqlite') } : { url: database };
    const bar = new ProgressBar(stderr);
    const { height, rows } = await rebuildHistory({
      data,
      place,
      onProgress: (progress) => bar.show(progress),
    });
    bar.end();
    const counts = Object.entries(rows).map(([name, count]) => `${count} ${name}`);
    stderr.write(`the history is complete up to block ${height}: ${counts.join(', ')}\n`);
    return 0;
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

type Terminal = { readonly isTTY?: boolean; write(text: string): unknown };

const BAR_CELLS = 30;
/** Without a terminal a line is written each time that so much more is done. */
const LINE_PERCENT = 10;

class ProgressBar {
  readonly #out: Terminal;
  #lastPercent = -1;

  constructor(out: Terminal) {
    this.#out = out;
  }

  show({ height, of }: { readonly height: number; readonly of: number }): void {
    const percent = of === 0 ? 100 : Math.floor((100 * height) / of);
    const text = `${percent}% block ${height} of ${of}`;
    if (this.#out.isTTY === true) {
      const cells = Math.floor((BAR_CELLS * percent) / 100);
      this.#out.write(`\r[${'#'.repeat(cells).padEnd(BAR_CELLS)}] ${text}`);
    } else if (percent >= this.#lastPercent + LINE_PERCENT || percent === 100) {
      if (percent === this.#lastPercent) return;
      this.#lastPercent = percent;
      this.#out.write(`${text}\n`);
    }
  }

  end(): void {
    if (this.#out.isTTY === true) this.#out.write('\n');
  }
}
