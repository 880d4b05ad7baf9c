import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../lib/browser.ts';

const NAME = 'oddlot.perps.favourites';

const store = createStore<readonly string[]>(() => {
  try {
    const found: unknown = JSON.parse(readText(NAME) ?? '[]');
    return Array.isArray(found) ? found.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
});

/** Returns the names of the favourite markets, which all lists of markets share. */
export function useFavourites(): readonly string[] {
  return useStore(store);
}

export function toggleFavourite(name: string): void {
  const before = store.getState();
  const next = before.includes(name) ? before.filter((each) => each !== name) : [...before, name];
  store.setState(next, true);
  keepText(NAME, JSON.stringify(next));
}
