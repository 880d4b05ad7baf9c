import type { Page } from 'playwright-core';

/**
 * Returns the visible buttons, links and fields that extend sideways beyond a container that clips
 * or scrolls them. Lists of tabs scroll by design.
 */
export async function cutControls(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const name = (element: Element): string =>
      [
        element.tagName,
        element.getAttribute('aria-label') ?? '',
        (element as HTMLElement).innerText,
      ]
        .join(' ')
        .replaceAll(/\s+/g, ' ')
        .slice(0, 80);
    const cut: string[] = [];
    for (const control of document.querySelectorAll('button, a, input, select')) {
      const { height, left, right, width } = control.getBoundingClientRect();
      if (width < 2 || height < 2 || !control.checkVisibility({ visibilityProperty: true }))
        continue;
      if (control.closest('[role=tablist], [role=toolbar], .visually-hidden') !== null) continue;
      for (let box = control.parentElement; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).overflowX === 'visible') continue;
        const edge = box.getBoundingClientRect();
        if (left < edge.left - 1 || right > edge.right + 1) {
          cut.push(
            `${name(control)} by ${Math.round(Math.max(edge.left - left, right - edge.right))} px`,
          );
          break;
        }
      }
    }
    return cut;
  });
}
