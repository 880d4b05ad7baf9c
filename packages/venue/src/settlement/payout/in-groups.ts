/** Questions to an endpoint at once. */
const AT_ONCE_MAX = 16;

/** Does the same for all, some of them at a time. */
export async function inGroups<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE_MAX) {
    await Promise.all(items.slice(from, from + AT_ONCE_MAX).map(work));
  }
}
