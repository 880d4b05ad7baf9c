import {
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useSyncExternalStore,
  type RefObject,
} from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { preferences } from '../ui/preferences.ts';

/**
 * Streams write into stores as often as they like; what is drawn changes at most once per frame of the screen.
 * A tab that nobody sees has no frames, and one that is asked for just before it is left comes when somebody is back:
 * a slow timer stands in for it, for titles, sounds and notices.
 */

const WITHOUT_FRAME_MS = 1_000;

const waiting = new Set<() => void>();
let planned: { readonly frame: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;

/** Calls back in the next frame; however often it is asked for, once. */
export function inNextFrame(callback: () => void): void {
  waiting.add(callback);
  planned ??= { frame: requestAnimationFrame(flush), timer: setTimeout(flush, WITHOUT_FRAME_MS) };
}

export function notInNextFrame(callback: () => void): void {
  waiting.delete(callback);
}

function flush(): void {
  if (planned === undefined) return;
  cancelAnimationFrame(planned.frame);
  clearTimeout(planned.timer);
  planned = undefined;
  const due = [...waiting];
  waiting.clear();
  for (const callback of due) callApart(callback);
}

function callApart(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    reportError(error);
  }
}

export function onFrame<State>(
  store: Pick<StoreApi<State>, 'subscribe'>,
  listener: () => void,
): () => void {
  // One function per subscription, so that two of one listener do not swallow each other.
  const call = (): void => listener();
  const leave = store.subscribe(() => inNextFrame(call));
  return () => {
    leave();
    notInNextFrame(call);
  };
}

export function useFrame<State, Part>(
  store: Pick<StoreApi<State>, 'subscribe' | 'getState'>,
  select: (state: State) => Part,
): Part {
  const kept = useRef<{ readonly part: Part } | undefined>(undefined);
  const subscribe = useCallback((listener: () => void) => onFrame(store, listener), [store]);
  return useSyncExternalStore(subscribe, () => {
    const part = select(store.getState());
    if (kept.current !== undefined && isSame(kept.current.part, part)) return kept.current.part;
    kept.current = { part };
    return part;
  });
}

function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isPlain(left) || !isPlain(right) || Array.isArray(left) !== Array.isArray(right)) {
    return false;
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.is(left[key], right[key]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}

type Watched = Pick<StoreApi<unknown>, 'subscribe'>;

/**
 * Draws a canvas when its size, the theme, its stores or its component changed: once in the next frame, however
 * many of them did.
 */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  stores: readonly Watched[],
  draw: () => void,
): void {
  const now = useEffectEvent(draw);
  const plan = useRef<() => void>(undefined);
  useEffect(() => {
    const redraw = (): void => now();
    const again = (): void => inNextFrame(redraw);
    const leave = stores.map((store) => store.subscribe(again));
    // Earlier listeners put the theme on the document, so this one comes last.
    leave.push(preferences.subscribe(again));
    const sizes = new ResizeObserver(again);
    if (canvas.current !== null) sizes.observe(canvas.current);
    plan.current = again;
    return () => {
      for (const end of leave) end();
      sizes.disconnect();
      notInNextFrame(redraw);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each store is one of the parameters
  }, [canvas, ...stores]);
  // What a component draws depends on its own state too.
  useEffect(() => plan.current?.());
}
