/** Where it is drawn. */
export type Terminal = { readonly isTTY?: boolean; write(text: string): unknown };

type Progress = { readonly done: number; readonly of: number; readonly what: string };

const BAR_CELLS = 30;
/** Without a terminal a line is written each time that so much more is done. */
const LINE_PERCENT = 10;

/** How far something is: a bar in a terminal, else a line now and then. */
export class ProgressBar {
  readonly #out: Terminal;
  #lastPercent = -1;

  constructor(out: Terminal) {
    this.#out = out;
  }

  show({ done, of, what }: Progress): void {
    const percent = of === 0 ? 100 : Math.min(100, Math.floor((100 * done) / of));
    const text = `${percent}% ${what}`;
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
