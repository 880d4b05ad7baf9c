import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is looked for: everything, or what another theme of the same screen can bring about. */
export type Faults = 'all' | 'of colours';

const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds wrong with a page, each in a line: the rule, and the first place. */
export async function faultsFound(page: Page, faults: Faults = 'all'): Promise<readonly string[]> {
  const only = faults === 'all' ? {} : { runOnly: RULES_OF_COLOURS };
  // Evaluated by the debugger rather than by the page, whose policy lets no such script in.
  await page.evaluate(`globalThis.axe ??= (() => { ${AXE}; return globalThis.axe; })()`);
  return page.evaluate(async (rules) => {
    type Found = { id: string; nodes: { html: string; failureSummary?: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run(where: Document, how: object): Promise<{ violations: Found[] }> };
    };
    // A colour on its way from one theme to the other is neither's; one that is inherited sets out when its parent's moves.
    for (;;) {
      const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
      if (moving.length === 0) break;
      await Promise.allSettled(moving.map(({ finished }) => finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    // Nothing to load, no frames, and of what passes only that it does: a tenth of the time.
    const how = { preload: false, iframes: false, resultTypes: ['violations'], ...rules };
    const { violations } = await axe.run(document, how);
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.length} × ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary?.slice(0, 200)}`,
    );
  }, only);
}
