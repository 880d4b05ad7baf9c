import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules to check: all rules, or only those that depend on the theme. */
export type Faults = 'all' | 'of colours';

const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Returns the violations that axe finds. Each line gives the rule and the first element. */
export async function faultsFound(page: Page, faults: Faults = 'all'): Promise<readonly string[]> {
  const only = faults === 'all' ? {} : { runOnly: RULES_OF_COLOURS };
  // The script is evaluated through the debugger, because the page's policy forbids it.
  await page.evaluate(`globalThis.axe ??= (() => { ${AXE}; return globalThis.axe; })()`);
  return page.evaluate(async (rules) => {
    type Found = { id: string; nodes: { html: string; failureSummary?: string }[] };
    const { axe } = globalThis as unknown as {
      axe: { run(where: Document, how: object): Promise<{ violations: Found[] }> };
    };
    // Waits for the colour transitions between themes. An inherited colour starts its transition
    // when its parent's ends.
    for (;;) {
      const moving = document.getAnimations().filter((each) => each instanceof CSSTransition);
      if (moving.length === 0) break;
      await Promise.allSettled(moving.map(({ finished }) => finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    // The check is ten times as fast without preloading, frames and details on rules that passed.
    const how = { preload: false, iframes: false, resultTypes: ['violations'], ...rules };
    const { violations } = await axe.run(document, how);
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.length} × ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary?.slice(0, 200)}`,
    );
  }, only);
}
