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

/** Hidden tabs have no frames, so a slow timer updates their titles, sounds and notices. */

const WITHOUT_FRAME_MS = 1_000;

const waiting = new Set<() => void>();
let planned: { readonly frame: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;

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
  // A new function is created, because the same listener can be subscribed twice.
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
  const last = useRef<{ readonly part: Part } | undefined>(undefined);
  const subscribe = useCallback((listener: () => void) => onFrame(store, listener), [store]);
  return useSyncExternalStore(subscribe, () => {
    const part = select(store.getState());
    if (last.current !== undefined && isSame(last.current.part, part)) return last.current.part;
    last.current = { part };
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
    // This listener is subscribed last, because earlier listeners apply the theme.
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
  useEffect(() => plan.current?.());
}
