import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { keepText, readText } from '../../../lib/browser.ts';
import { layoutOf, usualLayout, type LayoutNode } from './layout.ts';

type Layouts = {
  /** The current layout, or undefined for the default layout, which depends on the screen width. */
  readonly now: LayoutNode | undefined;
  readonly saved: Readonly<Record<string, LayoutNode>>;
};

const NAME = 'oddlot.layout';
const SAVED_MAX = 20;
const NAME_MAX = 40;

const store = createStore<Layouts>(() => read());

function read(): Layouts {
  try {
    const found = JSON.parse(readText(NAME) ?? '{}') as { now?: unknown; saved?: unknown };
    const saved = Object.entries(found.saved ?? {}).flatMap(([name, each]) => {
      const layout = layoutOf(each);
      return layout === undefined ? [] : [[name, layout] as const];
    });
    return { now: layoutOf(found.now), saved: Object.fromEntries(saved.slice(0, SAVED_MAX)) };
  } catch {
    return { now: undefined, saved: {} };
  }
}

function change(next: Partial<Layouts>): void {
  store.setState(next);
  keepText(NAME, JSON.stringify(store.getState()));
}

export function useLayout(isWide: boolean): LayoutNode {
  return useStore(store, ({ now }) => now) ?? (isWide ? WIDE : USUAL);
}

const [USUAL, WIDE] = [usualLayout(false), usualLayout(true)];

export function changeLayout(layout: LayoutNode | undefined): void {
  change({ now: layout });
}

export function useSavedLayouts(): Layouts['saved'] {
  return useStore(store, ({ saved }) => saved);
}

export function saveLayout(name: string, layout: LayoutNode): void {
  const kept = Object.entries(store.getState().saved).slice(0, SAVED_MAX - 1);
  change({ saved: { ...Object.fromEntries(kept), [name.slice(0, NAME_MAX)]: layout } });
}

export function removeLayout(name: string): void {
  const { [name]: _, ...saved } = store.getState().saved;
  change({ saved });
}
