import type { Page } from 'playwright-core';

/** Common desktop screen widths, in pixels. */
export const DESKS = [1280, 1366, 1440, 1536, 1680, 1920] as const;

/** The largest figure that must fit in a column. The key is the beginning of the column's name. */
const LARGEST: Readonly<Record<string, string>> = {
  Size: '−1,234.56789',
  Filled: '1,234.56789',
  Entry: '123,456.7',
  Mark: '123,456.7',
  Price: '123,456.7',
  Average: '123,456.7',
  Trigger: '123,456.7',
  'TP/SL': '123,456.7',
  'Liq. price': '123,456.7',
  PnL: '−123,456.78',
  Closed: '−123,456.78',
  Margin: '123,456.78',
  Funding: '−12,345.67',
  Payment: '−12,345.67',
  Value: '152,415,787.50',
  Fee: '12,345.67',
  Amount: '−1,234,567.89',
};

/**
 * Returns, by column, the visible figures that are truncated in their cell or outside the visible
 * part of the table. With `isLarge`, each figure is first replaced by the largest one for its
 * column.
 */
export async function cutFigures(page: Page, { isLarge = false } = {}): Promise<readonly string[]> {
  return page.evaluate(
    ({ largest }) => {
      const cut: string[] = [];
      for (const table of document.querySelectorAll('table')) {
        const heads = [...table.querySelectorAll('thead th')].map(
          (head) => (head as HTMLElement).innerText,
        );
        const scroller = table.parentElement!;
        if (table.scrollWidth > scroller.clientWidth) cut.push(`the table ${heads.join(', ')}`);
        for (const row of table.querySelectorAll('tbody tr')) {
          for (const [at, cell] of [...row.children].entries()) {
            const texts = textsIn(cell);
            const before = texts.map((text) => text.data);
            const large = Object.entries(largest).find(([name]) => heads[at]?.startsWith(name));
            if (large !== undefined) {
              for (const text of texts) if (isFigure(text.data)) text.data = large[1];
            }
            if (texts.some(({ data }) => /\d/.test(data)) && isCut(cell)) {
              cut.push(`${heads[at]}: ${(cell as HTMLElement).innerText.replace('\n', ' ')}`);
            }
            for (const [place, text] of texts.entries()) text.data = before[place]!;
          }
        }
      }
      return cut;

      function textsIn(cell: Element): Text[] {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        const texts: Text[] = [];
        while (walker.nextNode() !== null) texts.push(walker.currentNode as Text);
        return texts.filter(
          ({ parentElement }) => parentElement!.closest('.visually-hidden') === null,
        );
      }
      /** Returns true for a plain number. Share counts keep their size. */
      function isFigure(text: string): boolean {
        return /^[+−]?[\d,]+(\.\d+)?$/.test(text.trim());
      }
      function isCut(cell: Element): boolean {
        return [cell, ...cell.querySelectorAll(':not(.visually-hidden)')].some(
          (part) =>
            getComputedStyle(part).overflowX !== 'visible' && part.scrollWidth > part.clientWidth,
        );
      }
    },
    { largest: isLarge ? LARGEST : {} },
  );
}
